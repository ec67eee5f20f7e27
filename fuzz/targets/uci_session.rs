#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| otrera_fuzz::check("uci_session", bytes));
