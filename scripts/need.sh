#!/bin/sh
# scripts/need.sh PROGRAM...: prints the install command of every missing program, and fails if one is missing. Installs
# nothing.

failed=0
for program; do
    command -v "$program" >/dev/null && continue
    case $program in
        cargo) install="curl https://sh.rustup.rs -sSf | sh" ;;
        cargo-deny | cargo-fuzz | cargo-mutants) install="cargo install $program" ;;
        cc) install="sudo apt-get install gcc" ;;
        x86_64-w64-mingw32-gcc) install="sudo apt-get install gcc-mingw-w64-x86-64" ;;
        i686-w64-mingw32-gcc) install="sudo apt-get install gcc-mingw-w64-i686" ;;
        *) install="sudo apt-get install $program" ;;
    esac
    echo "make: $program is missing; install it with:  $install" >&2
    failed=1
done
exit $failed
