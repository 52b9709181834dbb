#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| chronym_fuzz::audit::run(data));
