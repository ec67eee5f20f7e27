# Otrera's builds. `make help` lists the targets.
#
# Nothing is installed silently: what is missing is named, with the command that brings it.

LINUX   := x86_64-unknown-linux-musl
# The targets for Windows 7, of which Rust distributes no compiled library: the usual ones import functions
# that came with Windows 8 and 10. RUSTC_BOOTSTRAP lets the stable compiler build the library from source.
WINDOWS := x86_64-win7-windows-gnu
WINDOWS_32 := i686-win7-windows-gnu
build-windows = RUSTC_BOOTSTRAP=1 cargo build -Zbuild-std=std,panic_unwind --release --locked --bin otrera --target
# `make EXE=name` puts the bot under that name beside this file, as engine test farms expect.
EXE     ?= dist/otrera
PLAY_TIME ?= 0.2
FUZZ_SECONDS ?= 60
FAULT_GAMES ?= 24
MUTANTS_SHARD ?= 0/100

.DEFAULT_GOAL := bot
.PHONY: bot botzone windows sau test-sau lab play test fuzz faults mutants bench same-bench lint clean help

bot: ## the bot, a static Linux executable: dist/otrera
	@$(call need-cargo)
	@$(call need-target,$(LINUX))
	cargo build --release --locked --target $(LINUX)
	@mkdir -p $(dir $(EXE))
	cp -f target/$(LINUX)/release/otrera $(EXE)

botzone: bot ## the bot as one C++ source that Botzone takes: dist/botzone.cpp
	@$(call need-python)
	@mkdir -p dist
	@python3 -B launcher/make_botzone.py $(EXE) dist/botzone.cpp

windows: ## the same for Windows 7 and newer: dist/otrera.exe
	@$(call need-cargo)
	@$(call need-std-source)
	@$(call need-mingw,x86_64,x86-64)
	$(build-windows) $(WINDOWS)
	@mkdir -p dist
	cp -f target/$(WINDOWS)/release/otrera.exe dist/otrera.exe

sau: windows ## the folder for the SAU Game Platform: dist/otrera-sau.zip
	@$(call need-mingw,i686,i686)
	@$(call need-python)
	$(build-windows) $(WINDOWS_32)
	python3 packaging/pack.py dist/otrera-sau.zip otrera dist/otrera.exe \
		target/$(WINDOWS_32)/release/otrera.exe=otrera32.exe \
		packaging/sau/otrera.toml packaging/sau/README.txt LICENSE=LICENSE.txt

test-sau: sau ## tests of that folder, under Wine
	python3 -m unittest discover --start-directory packaging --verbose

lab: ## the laboratory: dist/lab
	@$(call need-cargo)
	cargo build --release --locked --features lab --bin lab
	@mkdir -p dist
	cp -f target/release/lab dist/lab

play: bot ## builds the bot and shows one game of it against itself
	scripts/selfplay.sh --engine $(EXE) --protocol json --time $(PLAY_TIME) --show board

test: ## all tests
	@$(call need-cargo)
	@$(call need-python)
	cargo test --locked --all-features
	python3 -m unittest discover --start-directory scripts
	python3 -m unittest discover --start-directory launcher

fuzz: ## fuzzes everything that reads text, FUZZ_SECONDS (60) a target
	@$(call need-cargo)
	@command -v cargo-fuzz >/dev/null || $(call missing,cargo-fuzz,cargo install cargo-fuzz)
	scripts/fuzz.sh $(FUZZ_SECONDS)

faults: bot ## FAULT_GAMES (24) games while things go wrong around the bot
	scripts/faults.sh --engine $(EXE) --games $(FAULT_GAMES)

mutants: ## which of MUTANTS_SHARD (0/100) of all small changes to search and protocols the tests miss
	@$(call need-cargo)
	@command -v cargo-mutants >/dev/null || $(call missing,cargo-mutants,cargo install cargo-mutants)
	cargo mutants --baseline skip --timeout 600 --shard $(MUTANTS_SHARD) --sharding round-robin

bench: bot ## behaviour checksum and speed of the bot
	$(EXE) bench

same-bench: bot ## checks that debug, release, static and Windows builds search as recorded
	scripts/same_bench.sh

lint: ## formatting and clippy, warnings as errors
	@$(call need-cargo)
	cargo fmt --check
	cargo clippy --locked --all-targets --all-features -- -D warnings

clean: ## removes what was built
	cargo clean
	rm -rf dist

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

define missing
{ echo "make: $(1) is missing; this brings it:  $(2)" >&2; exit 1; }
endef
need-cargo = command -v cargo >/dev/null || $(call missing,Rust,curl https://sh.rustup.rs -sSf | sh)
need-python = command -v python3 >/dev/null || $(call missing,Python 3,sudo apt-get install python3)
need-target = [ -d "$$(rustc --print target-libdir --target $(1))" ] || $(call missing,Rust's library for $(1),rustup target add $(1))
need-std-source = [ -d "$$(rustc --print sysroot)/lib/rustlib/src/rust/library" ] || $(call missing,the source of Rust's library,rustup component add rust-src)
need-mingw = command -v $(1)-w64-mingw32-gcc >/dev/null || $(call missing,the MinGW linker,sudo apt-get install gcc-mingw-w64-$(2))
