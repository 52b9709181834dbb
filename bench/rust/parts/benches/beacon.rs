//! Verification of a pulse, the chain's key known: `cargo bench --bench beacon`.

use chronym_beacon::PublicKey;
use core::hint::black_box;
use criterion::{Criterion, criterion_group, criterion_main};

/// The pinned chain, drand quicknet, and its pulse of round 1000 (`__test__/vectors/quicknet-pulses.json`).
const VECTORS: &str = include_str!("../../../../__test__/vectors/quicknet-pulses.json");
const PULSE: usize = 1;

fn bytes(value: &serde_json::Value) -> Vec<u8> {
    let text = value.as_str().expect("hexadecimal");
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal")).collect()
}

fn pulse(criterion: &mut Criterion) {
    let vectors: serde_json::Value = serde_json::from_str(VECTORS).expect("JSON");
    let pulse = &vectors["pulses"][PULSE];
    let (round, signature) = (pulse["round"].as_u64().expect("a round"), bytes(&pulse["signature"]));
    let encoded = bytes(&vectors["public_key"]);
    let key = PublicKey::from_bytes(&encoded).expect("a chain's key");
    criterion.bench_function("pulse", |bencher| {
        bencher.iter(|| key.verify(round, black_box(&signature)).expect("the chain's pulse"));
    });
    criterion.bench_function("key", |bencher| {
        bencher.iter(|| PublicKey::from_bytes(black_box(&encoded)).expect("a chain's key"));
    });
}

criterion_group!(beacon, pulse);
criterion_main!(beacon);
