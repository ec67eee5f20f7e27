//! The functions of the module, called by `page/worker.js`: it writes a request where [`reserve`] says, calls
//! [`answer`], and reads that number of bytes of JSON where [`answer_at`] says.

use crate::request::Engine;
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::default();
    static REQUEST: RefCell<Vec<u8>> = RefCell::default();
    static ANSWER: RefCell<String> = RefCell::default();
}

// SAFETY: whoever instantiates the module gives a function of this signature, or it is not instantiated.
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Shows the UTF-8 text at this address.
    safe fn panicked(text: *const u8, bytes: usize);
}

/// Returns the address for a request of this length in bytes.
// SAFETY: no other function of the module has this name, nor have the two below.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: usize) -> *mut u8 {
    std::panic::set_hook(Box::new(|problem| {
        let text = problem.to_string();
        panicked(text.as_ptr(), text.len());
    }));
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(bytes, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request; returns how many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let answer = REQUEST.with_borrow(|request| {
        let request = String::from_utf8_lossy(request);
        ENGINE.with_borrow_mut(|engine| engine.answer(&request, &AtomicBool::new(false)))
    });
    let bytes = answer.len();
    ANSWER.set(answer);
    bytes
}

/// Where the last answer is.
#[unsafe(no_mangle)]
pub extern "C" fn answer_at() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}
