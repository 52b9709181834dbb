#!/bin/sh
# A linker for rustc: links a program called `ours` twenty more times, each behind a different number of bytes, as
# OUTPUT.at-BYTES.
set -e
cc "$@"
output=
previous=
for argument; do
  [ "$previous" = -o ] && output=$argument
  previous=$argument
done
case $output in */deps/ours-*) ;; *) exit 0 ;; esac
rm -f "${output%/*}"/ours-*.at-*
place=0
while [ "$place" -lt 20 ]; do
  # Functions are at multiples of 16: each place within a page of 4 KiB has its turn among 256, 13 being odd.
  bytes=$((place * 13 * 16 % 4096))
  printf '.section .text.aaa,"axR",@progbits\n.p2align 12\n.skip %s\n' "$((bytes + 16))" | cc -c -x assembler - -o "$output.o"
  cc "$output.o" "$@" -o "$output.at-$bytes"
  place=$((place + 1))
done
