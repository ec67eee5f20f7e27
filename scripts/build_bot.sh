#!/bin/sh
# scripts/build_bot.sh EXECUTABLE [PROFILE [PACKAGE [ARENA [FEATURES]]]]: builds the bot (`make bot`) or another package,
# with a profile of Cargo.toml (default: bot). ARENA is a path to which the program `arena` is built as well (`make play`).
#
# Builds a static program with musl. Installs Rust's musl target with rustup if it is missing. If that fails, builds
# with this system's C library, statically if there is a libc.a. Prints each of these steps and the result.
set -eu
cd "$(dirname "$0")/.."
executable=$1
profile=${2-bot}
package=${3-otrera-bot}
arena=${4-}
features=${5-}

say() { echo "make: $*" >&2; }
has_library() { [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null)" ]; }

version=$(rustc --version --verbose)
host=$(echo "$version" | sed -n 's/^host: //p')
case $host in
    *-linux-*) target=${host%%-*}-unknown-linux-musl ;;
    *) target=$host ;;
esac

if ! has_library "$target" && command -v rustup >/dev/null; then
    say "Rust's library for $target is missing; installing it:  rustup target add $target"
    rustup target add "$target" || say "rustup failed"
fi
kind="static"
if [ "$target" = "$host" ]; then
    kind="for this system only"
elif ! has_library "$target"; then
    say "without Rust's library for $target the bot is built with this system's C library"
    target=$host
    if [ -e "$(cc -print-file-name=libc.a)" ]; then
        export RUSTFLAGS="${RUSTFLAGS-} -C target-feature=+crt-static"
        kind="static, with this system's C library"
    else
        kind="NOT static: it needs the libraries of this system, so do not upload it"
    fi
fi

# For Botzone, Rust's library is built from source without backtraces: the program becomes a sixth smaller. Unwinding
# stays, because the bot answers a panic with a legal move. RUSTC_BOOTSTRAP lets the stable compiler build the library.
if [ "$profile" = botzone ]; then
    source="$(rustc --print sysroot)/lib/rustlib/src/rust/library"
    if ! [ -d "$source" ] && command -v rustup >/dev/null; then
        say "the source of Rust's library is missing; installing it:  rustup component add rust-src"
        rustup component add rust-src || say "rustup failed"
    fi
    if [ -d "$source" ]; then
        export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=std,panic_unwind CARGO_UNSTABLE_BUILD_STD_FEATURES=
    else
        say "without the source of Rust's library the program is larger"
    fi
fi

# `ring`, which encrypts the connections of otrera-local, has parts in C. This system's compiler builds them, as they
# need no C library.
case $package:$target in
    otrera-local:*-musl) export "CC_$(echo "$target" | tr - _)=${CC-cc}" "CFLAGS_$(echo "$target" | tr - _)=-U_FORTIFY_SOURCE" ;;
esac

# With --target the flags apply to the program only, not to build scripts.
# A short name of Rust's library makes the source for Botzone smaller.
library=
[ "$profile" != botzone ] || library=/rust
CARGO_ENCODED_RUSTFLAGS=$(scripts/rustflags.sh $library)
export CARGO_ENCODED_RUSTFLAGS
case $package in
    otrera-bot) program=otrera ;;
    otrera-local | otrera-botzone) program=$package ;;
    *) program=${package#otrera-} ;;
esac
if [ "$profile" = botzone ]; then
    # The profile compiles the libraries for size; opt-level 3 applies to link-time optimisation.
    cargo rustc --profile "$profile" --locked --package "$package" --features "$features" --bin "$program" --target "$target" -- -C opt-level=3
else
    # The arena is built together with the bot, so that they share the engine and the libraries.
    other=${arena:+otrera-arena}
    [ "$package" != otrera-arena ] || other=otrera-bot
    cargo build --profile "$profile" --locked --package "$package" ${other:+--package "$other"} --target "$target"
fi
mkdir -p "$(dirname "$executable")"
built=${CARGO_TARGET_DIR:-target}/$target/$profile
cp -f "$built/$program" "$executable"
[ -z "$arena" ] || cp -f "$built/arena" "$arena"
# Cargo names the level of the profile; the engine and the libraries that it uses have levels of their own.
remark=
[ "$profile" = botzone ] || remark="; it is optimized: cargo's \"unoptimized\" means libraries that are seldom run"
say "$executable is built for $target, $kind$remark"
