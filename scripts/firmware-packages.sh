#!/bin/sh
# The tools that build and check the firmware on a PC, from the system's packages. Silent when they
# are there. Installs them as root on Debian and Ubuntu; elsewhere says what to type and exits with 1.
set -eu

# Compilers and what builds with them; libraries of the host build; checkers; 32-bit ARM with an
# emulator; headers and a back end for the ESP32; the fonts that captions are drawn with.
packages="cmake ninja-build g++ g++-multilib clang-22 libclang-rt-22-dev libfuzzer-22-dev
doctest-dev libjsmn-dev libmbedtls-dev libsodium-dev
clang-tidy-22 clang-format-22 cppcheck
gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-user
llvm-22 picolibc-xtensa-lx106-elf
fonts-dejavu-core unifont"

missing=
for package in $packages; do
    state=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null) || state=
    [ "$state" = "install ok installed" ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
    exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "What checks the firmware is left out: its tools are the Debian packages"
    echo "$packages, and this system has no apt-get. Building it by hand (make firmware) needs"
    echo "CMake, a C++17 compiler, doctest, mbedTLS 2.28 and libsodium alone."
    exit 1
fi
install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" != 0 ]; then
    echo "What checks the firmware is left out. To have it, type this once:"
    echo "sudo $install"
    exit 1
fi

DEBIAN_FRONTEND=noninteractive
export DEBIAN_FRONTEND
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Installing the firmware's tools:$missing"
if ! $install >"$log" 2>&1; then
    # No package lists yet, or old ones.
    if ! { apt-get update && $install; } >"$log" 2>&1; then
        tail -n 15 "$log" >&2
        echo "The firmware's tools could not be installed (see above)."
        exit 1
    fi
fi
