//! Writes each target's first inputs, made from `__test__/vectors`, into `corpus/`:
//! `cargo run --no-default-features --example seeds`.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Vectors of each kind that become seeds: a fuzzer learns little from more of the same.
const OF_A_KIND: usize = 4;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let vectors = root.join("../../../__test__/vectors");
    let proofs: Vec<Value> =
        read(&vectors.join("chiavdf.jsonl")).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let pulses: Value = serde_json::from_str(&read(&vectors.join("quicknet-pulses.json"))).expect("JSON");
    let corpus = root.join("corpus");
    decode(&corpus.join("decode"), &proofs);
    verify(&corpus.join("verify"), &proofs);
    discriminant(&corpus.join("discriminant"), &proofs);
    operations(&corpus.join("operations"));
    checkpoint(&corpus.join("checkpoint"));
    pulse(&corpus.join("pulse"), &pulses);
}

fn read(path: &PathBuf) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn bytes(value: &Value) -> Vec<u8> {
    let hex = value.as_str().expect("hex");
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex")).collect()
}

fn write(folder: &Path, name: &str, parts: &[&[u8]]) {
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join(name), parts.concat()).expect("a file");
}

/// The first few vectors of each size and kind.
fn sample<'a>(proofs: &'a [Value]) -> impl Iterator<Item = (usize, &'a Value)> {
    let same = |one: &Value, other: &Value| one["kind"] == other["kind"] && one["disc_bits"] == other["disc_bits"];
    let new = move |&(index, proof): &(usize, &'a Value)| {
        proofs[..index].iter().filter(|earlier| same(earlier, proof)).count() < OF_A_KIND
    };
    proofs.iter().enumerate().filter(new)
}

/// Forms of other discriminants, as they are, and powers of the generator with changes, at every size (140 = 0 modulo
/// the 14 sizes).
fn decode(folder: &Path, proofs: &[Value]) {
    for size in 0..14_u8 {
        write(folder, &format!("power-{size}"), &[&[140 + size, 16], &[0xa5; 16], &[0x20, 0, 3]]);
        write(folder, &format!("identity-{size}"), &[&[size], &[4], &[0; 99]]);
    }
    for (index, proof) in sample(proofs) {
        write(folder, &format!("y-{index}"), &[&[13], &bytes(&proof["y_hex"])]);
    }
}

/// Proofs of other discriminants as they are, and known proofs with changes.
fn verify(folder: &Path, proofs: &[Value]) {
    for known in 0..15_u8 {
        write(folder, &format!("known-{known}"), &[&[known, 0]]);
        for at in [0, 101, 202, 230, 290_u16] {
            write(folder, &format!("bit-{known}-{at}"), &[&[known, 0, 0x60], &at.to_be_bytes()]);
        }
        write(folder, &format!("iterations-{known}"), &[&[known, 1], &301_u64.to_be_bytes()]);
    }
    for (index, proof) in sample(proofs) {
        let parts = [bytes(&proof["x_hex"]), bytes(&proof["y_hex"]), bytes(&proof["proof_hex"])].concat();
        let iterations = proof["iterations"].as_u64().expect("a number").to_be_bytes();
        let depth = u16::try_from(proof["recursion"].as_u64().expect("a number")).unwrap_or(0).to_be_bytes();
        write(folder, &format!("proof-{index}"), &[&[12, 0b1011], &iterations, &depth, &parts]);
    }
}

fn discriminant(folder: &Path, proofs: &[Value]) {
    for (index, proof) in sample(proofs) {
        write(folder, &format!("bytes-{index}"), &[&[0], &bytes(&proof["discriminant_hex"])]);
    }
    for bits in [8, 16, 64, 256, 512_u16] {
        write(folder, &format!("seed-{bits}"), &[&[1], &(bits << 1 | 1).to_be_bytes(), b"a seed"]);
        write(folder, &format!("number-{bits}"), &[&[2], &(bits - 2).to_be_bytes(), &[0], &[0xff; 8]]);
        write(folder, &format!("product-{bits}"), &[&[3, u8::try_from(bits / 4).expect("small"), 0, 1], &[0x5a; 32]]);
    }
}

/// Every structure of both forms; see `operations::form`.
fn operations(folder: &Path) {
    for kind in 0..=15_u8 {
        for (name, fill) in [("ones", 0xff), ("zeros", 0), ("mixed", 0x53)] {
            write(folder, &format!("{name}-{kind}"), &[&[kind], &[fill; 150]]);
        }
    }
}

fn checkpoint(folder: &Path) {
    for checkpoint in 0..40_u8 {
        for kind in 0..4 {
            write(folder, &format!("bit-{checkpoint}-{kind}"), &[&[checkpoint, kind, 0x40, 0, 180 + checkpoint]]);
        }
    }
}

fn pulse(folder: &Path, vectors: &Value) {
    let key = bytes(&vectors["public_key"]);
    for (index, pulse) in vectors["pulses"].as_array().expect("pulses").iter().enumerate() {
        let round = pulse["round"].as_u64().expect("a number").to_be_bytes();
        write(folder, &format!("recorded-{index}"), &[&[3], &round, &bytes(&pulse["signature"]), &key]);
        for kind in 0..3 {
            let choice = u8::try_from(index).expect("few") << 2 | kind;
            write(folder, &format!("changed-{index}-{kind}"), &[&[choice], &[0x40, 0, 40]]);
        }
    }
    write(folder, "signed", &[&[2], &[9; 32], &7_u64.to_be_bytes(), &[0]]);
}
