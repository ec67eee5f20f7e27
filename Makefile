# Otrera's builds. `make help` lists the targets.
#
# rustup installs missing parts of Rust. For any other missing tool, its install command is printed.

# Targets for Windows 7: the usual ones import functions of Windows 8 and 10. Rust distributes no compiled standard
# library for the Windows 7 targets; RUSTC_BOOTSTRAP lets the stable compiler build the library from source. In a folder of
# its own, because this variable makes cargo build the macros again that other builds use.
WINDOWS := x86_64-win7-windows-gnu
WINDOWS_32 := i686-win7-windows-gnu
build-windows = RUSTC_BOOTSTRAP=1 CARGO_ENCODED_RUSTFLAGS="$$(scripts/rustflags.sh)" cargo build -Zbuild-std=std,panic_unwind --release --locked --package otrera-bot --target-dir "$(TARGET)/windows" --target
# Folder of the build results.
TARGET  := $(or $(CARGO_TARGET_DIR),target)
# `make EXE=name` builds the bot under that name beside this file, as engine test farms expect.
EXE     ?= dist/otrera
PLAY_TIME ?= 0.2
# Preset of the bot for Botzone.
PRESET  ?= tournament
FUZZ_SECONDS ?= 60
FAULT_GAMES ?= 24
MUTANTS_MINUTES ?= 60

.DEFAULT_GOAL := bot
.PHONY: bot quick arm macos botzone windows sau test-sau web local python manual lab arena play test test-all fuzz faults mutants bench same-bench lint deny clean help

bot: ## the bot, a static Linux executable: dist/otrera
	@scripts/need.sh cargo cc
	@scripts/build_bot.sh "$(EXE)"

quick: ## a bot for daily work, builds faster, runs a tenth slower: dist/otrera-quick
	@scripts/need.sh cargo cc
	@cargo build --profile quick --locked --package otrera-bot
	@mkdir -p dist
	@cp -f "$(TARGET)/quick/otrera" dist/otrera-quick

arm: ## the bot for Linux on AArch64 (ARM64), static: dist/otrera-aarch64
	@scripts/need.sh cargo
	@scripts/build_arm.sh dist/otrera-aarch64

macos: ## on macOS: the bot for both kinds of processor: dist/otrera-macos-aarch64, dist/otrera-macos-x86_64
	@[ "$$(uname)" = Darwin ] || { echo "make: the bot for macOS is built on macOS only, with Apple's linker" >&2; exit 1; }
	@scripts/need.sh cargo cc
	@scripts/need_target.sh aarch64-apple-darwin x86_64-apple-darwin
	@mkdir -p dist
	for kind in aarch64 x86_64; do \
		CARGO_ENCODED_RUSTFLAGS="$$(scripts/rustflags.sh)" cargo build --release --locked --package otrera-bot --target $$kind-apple-darwin && \
		cp -f "$(TARGET)/$$kind-apple-darwin/release/otrera" dist/otrera-macos-$$kind || exit 1; \
	done

botzone: ## the bot as one C++ source for Botzone: dist/botzone.cpp; with PRESET=paper, another preset
	@scripts/need.sh cargo cc python3
	@scripts/build_botzone.sh dist/botzone.cpp "$(PRESET)"

windows: ## the bot for Windows 7 and newer: dist/otrera.exe
	@scripts/need.sh cargo cc x86_64-w64-mingw32-gcc
	@$(need-std-source)
	$(build-windows) $(WINDOWS)
	@mkdir -p dist
	cp -f "$(TARGET)/windows/$(WINDOWS)/release/otrera.exe" dist/otrera.exe

sau: ## the folder for the SAU Game Platform: dist/otrera-sau.zip
	@scripts/need.sh cargo cc x86_64-w64-mingw32-gcc i686-w64-mingw32-gcc python3
	@$(need-std-source)
	$(build-windows) $(WINDOWS) --target $(WINDOWS_32)
	@mkdir -p dist
	cp -f "$(TARGET)/windows/$(WINDOWS)/release/otrera.exe" dist/otrera.exe
	python3 packaging/pack.py dist/otrera-sau.zip otrera dist/otrera.exe \
		"$(TARGET)/windows/$(WINDOWS_32)/release/otrera.exe=otrera32.exe" \
		packaging/sau/otrera.toml packaging/sau/README.txt LICENSE=LICENSE.txt

test-sau: sau ## tests the folder for the SAU platform under Wine
	@scripts/tests.sh packaging

web: ## the page to play and analyse in a browser: dist/otrera.html
	@scripts/need.sh cargo cc python3
	@scripts/build_web.sh dist/otrera.html

local: ## plays on Botzone's tables from this machine: dist/otrera-local
	@scripts/need.sh cargo cc
	@scripts/build_bot.sh dist/otrera-local release otrera-local

python: ## the Python package: dist/otrera-*.whl
	@scripts/need.sh cargo cc python3
	@scripts/build_python.sh

manual: ## man pages and shell completions of the bot: dist/manual
	@scripts/need.sh cargo cc
	cargo run --quiet --locked --package otrera-bot --example manual -- dist/manual

lab: ## the laboratory: dist/lab
	@scripts/need.sh cargo cc
	cargo build --release --locked --package otrera-lab
	@mkdir -p dist
	cp -f "$(TARGET)/release/lab" dist/lab
	@echo "make: dist/lab is built and optimized; cargo's \"unoptimized\" means libraries that are seldom run" >&2

arena: ## the program for self-play and injected faults: dist/arena
	@scripts/need.sh cargo cc
	@scripts/build_bot.sh dist/arena bot otrera-arena

play: ## builds the bot and shows one game of it against itself
	@scripts/need.sh cargo cc
	@mkdir -p dist
	@scripts/build_bot.sh "$(EXE)" bot otrera-bot dist/arena
	scripts/selfplay.sh --engine "$(EXE)" --protocol json-keep --time $(PLAY_TIME) --grace 1 --show board

test: ## all quick tests; lists the skipped ones at the end
	@scripts/need.sh cargo cc python3
	@scripts/tests.sh rust scripts

test-all: ## all tests, also slow ones and those of Ray, the browser and Python; lists its downloads first (Ray, 285 MB)
	@scripts/need.sh cargo cc python3
	@scripts/tests.sh rust slow scripts botzone ray browser python

fuzz: ## fuzzes all text parsers, FUZZ_SECONDS (60) for each target
	@scripts/need.sh cargo cc cargo-fuzz
	scripts/fuzz.sh $(FUZZ_SECONDS)

faults: ## plays FAULT_GAMES (24) games with injected faults such as kills, noise and a full disk
	@scripts/need.sh cargo cc
	@mkdir -p dist
	@scripts/build_bot.sh "$(EXE)" bot otrera-bot dist/arena
	scripts/faults.sh --engine "$(EXE)" --games $(FAULT_GAMES)

mutants: ## mutation tests of the code changed since the last release, for MUTANTS_MINUTES (60), of MUTANTS_FOLDERS (all)
	@scripts/need.sh cargo cc git cargo-mutants
	scripts/mutants.sh $(MUTANTS_MINUTES) $(MUTANTS_FOLDERS)

bench: bot ## behaviour checksum and speed of the bot
	"$$(realpath "$(EXE)")" bench

same-bench: ## checks that the Linux, AArch64 (QEMU) and Windows builds have the recorded Bench
	scripts/same_bench.sh

lint: ## formatting, clippy, documentation (warnings are errors), and whether the fuzz targets compile
	@scripts/need.sh cargo
	@cargo fmt --version >/dev/null && cargo clippy --version >/dev/null || rustup component add rustfmt clippy
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	cargo clippy --locked --workspace --test cluster --test page --test pictures -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps --document-private-items --quiet
	cargo check --locked --manifest-path fuzz/Cargo.toml --quiet
	cargo fmt --manifest-path python/Cargo.toml --check
	PYO3_NO_PYTHON=1 cargo clippy --locked --manifest-path python/Cargo.toml --target-dir "$(TARGET)/python/cargo" -- -D warnings
	@if command -v cargo-deny >/dev/null; then cargo deny --log-level error check licenses bans sources; \
	else echo "licences and sources of the dependencies are not checked: cargo-deny is missing (make deny)"; fi

deny: ## licences, sources and advisories of the dependencies
	@scripts/need.sh cargo cargo-deny
	cargo deny --log-level error check
	cargo deny --log-level error --manifest-path python/Cargo.toml check --config deny.toml

clean: ## removes all build results
	cargo clean
	rm -rf dist

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

need-std-source = [ -d "$$(rustc --print sysroot)/lib/rustlib/src/rust/library" ] || { \
	echo "make: the source of Rust's library is missing; installing it:  rustup component add rust-src" >&2; \
	rustup component add rust-src; }
