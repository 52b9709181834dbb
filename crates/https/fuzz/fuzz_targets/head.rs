#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| chronym_https_fuzz::head::run(data));
