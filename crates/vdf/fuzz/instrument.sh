#!/bin/sh
# Cargo's RUSTC_WRAPPER for fuzzing: `instrument.sh rustc ARGUMENTS`. Adds libFuzzer's coverage counters to the code
# under test only: in the oracles they would cost time and mislead it. Comparisons are not traced: in arithmetic on
# limbs nearly every instruction is one.
case " $* " in
  *' --crate-name chronym_vdf '* | *' --crate-name chronym_beacon '* | *' --crate-name bls12_381 '*)
    exec "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 \
      -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
    ;;
  *) exec "$@" ;;
esac
