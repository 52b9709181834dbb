#!/bin/sh
# Cargo's RUSTC_WRAPPER for fuzzing: `instrument.sh rustc ARGUMENTS`. Adds libFuzzer's coverage counters to the code
# under test, not to what checks them.
case " $* " in
  *' --crate-name chronym_https '*)
    exec "$@" -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=3 \
      -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
    ;;
  *) exec "$@" ;;
esac
