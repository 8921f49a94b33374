#!/bin/sh
# The NEON table of kernels, built for 64-bit ARM and checked in an emulator (77: skipped, since
# there is no compiler for it or no emulator). Begins in the project's root.
compiler=$(command -v aarch64-linux-gnu-gcc)
emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
if [ -z "$compiler" ] || [ -z "$emulator" ]; then
    echo "skipped: aarch64-linux-gnu-gcc and qemu-aarch64 are needed"
    exit 77
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$compiler" -std=c11 -D_GNU_SOURCE -O2 -static -I. -Icore/include core/test/emulated_kernels.c \
    core/test/check_kernels.c core/simd/kernels.c -o "$folder/kernels" || exit 1
"$emulator" "$folder/kernels"
