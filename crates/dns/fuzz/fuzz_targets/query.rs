#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| chronym_dns_fuzz::query::run(data));
