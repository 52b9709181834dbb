//! Each target's first inputs, made from `__test__/vectors`.

use serde_json::Value;
use std::fs;
use std::path::Path;

/// Vectors of each kind that become seeds: a fuzzer learns little from more of the same.
const OF_A_KIND: usize = 4;

/// Inputs by name.
type Seeds = Vec<(String, Vec<u8>)>;

/// Name and content of the first inputs of a target.
///
/// # Panics
/// When there is no such target, or a file of vectors is missing.
#[must_use]
pub fn seeds(target: &str) -> Seeds {
    match target {
        "checkpoint" => checkpoint(),
        "decode" => decode(&proofs()),
        "discriminant" => discriminant(&proofs()),
        "operations" => operations(),
        "pulse" => pulse(&serde_json::from_str(&read("quicknet-pulses.json")).expect("JSON")),
        "verify" => verify(&proofs()),
        _ => panic!("no target '{target}'"),
    }
}

fn proofs() -> Vec<Value> {
    read("chiavdf.jsonl").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../__test__/vectors").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn bytes(value: &Value) -> Vec<u8> {
    let hex = value.as_str().expect("hex");
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex")).collect()
}

fn seed(name: String, parts: &[&[u8]]) -> (String, Vec<u8>) {
    (name, parts.concat())
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
fn decode(proofs: &[Value]) -> Seeds {
    let mut seeds = Vec::new();
    for size in 0..14_u8 {
        seeds.push(seed(format!("power-{size}"), &[&[140 + size, 16], &[0xa5; 16], &[0x20, 0, 3]]));
        seeds.push(seed(format!("identity-{size}"), &[&[size], &[4], &[0; 99]]));
    }
    for (index, proof) in sample(proofs) {
        seeds.push(seed(format!("y-{index}"), &[&[13], &bytes(&proof["y_hex"])]));
    }
    seeds
}

/// Proofs of other discriminants as they are, and known proofs with changes.
fn verify(proofs: &[Value]) -> Seeds {
    let mut seeds = Vec::new();
    for known in 0..15_u8 {
        seeds.push(seed(format!("known-{known}"), &[&[known, 0]]));
        for at in [0, 101, 202, 230, 290_u16] {
            seeds.push(seed(format!("bit-{known}-{at}"), &[&[known, 0, 0x60], &at.to_be_bytes()]));
        }
        seeds.push(seed(format!("iterations-{known}"), &[&[known, 1], &301_u64.to_be_bytes()]));
    }
    for (index, proof) in sample(proofs) {
        let parts = [bytes(&proof["x_hex"]), bytes(&proof["y_hex"]), bytes(&proof["proof_hex"])].concat();
        let iterations = proof["iterations"].as_u64().expect("a number").to_be_bytes();
        let depth = u16::try_from(proof["recursion"].as_u64().expect("a number")).unwrap_or(0).to_be_bytes();
        seeds.push(seed(format!("proof-{index}"), &[&[12, 0b1011], &iterations, &depth, &parts]));
    }
    seeds
}

fn discriminant(proofs: &[Value]) -> Seeds {
    let mut seeds = Vec::new();
    for (index, proof) in sample(proofs) {
        seeds.push(seed(format!("bytes-{index}"), &[&[0], &bytes(&proof["discriminant_hex"])]));
    }
    for bits in [8, 16, 64, 256, 512_u16] {
        seeds.push(seed(format!("seed-{bits}"), &[&[1], &(bits << 1 | 1).to_be_bytes(), b"a seed"]));
        seeds.push(seed(format!("number-{bits}"), &[&[2], &(bits - 2).to_be_bytes(), &[0], &[0xff; 8]]));
        seeds.push(seed(format!("product-{bits}"), &[&[3, u8::try_from(bits / 4).expect("small"), 0, 1], &[0x5a; 32]]));
    }
    seeds
}

/// Every structure of both forms; see `operations::form`.
fn operations() -> Seeds {
    let mut seeds = Vec::new();
    for kind in 0..=15_u8 {
        for (name, fill) in [("ones", 0xff), ("zeros", 0), ("mixed", 0x53)] {
            seeds.push(seed(format!("{name}-{kind}"), &[&[kind], &[fill; 150]]));
        }
    }
    seeds
}

fn checkpoint() -> Seeds {
    let mut seeds = Vec::new();
    for checkpoint in 0..40_u8 {
        for kind in 0..4 {
            seeds.push(seed(format!("bit-{checkpoint}-{kind}"), &[&[checkpoint, kind, 0x40, 0, 180 + checkpoint]]));
        }
    }
    seeds
}

fn pulse(vectors: &Value) -> Seeds {
    let mut seeds = Vec::new();
    let key = bytes(&vectors["public_key"]);
    for (index, pulse) in vectors["pulses"].as_array().expect("pulses").iter().enumerate() {
        let round = pulse["round"].as_u64().expect("a number").to_be_bytes();
        seeds.push(seed(format!("recorded-{index}"), &[&[3], &round, &bytes(&pulse["signature"]), &key]));
        for kind in 0..3 {
            let choice = u8::try_from(index).expect("few") << 2 | kind;
            seeds.push(seed(format!("changed-{index}-{kind}"), &[&[choice], &[0x40, 0, 40]]));
        }
    }
    seeds.push(seed("signed".to_owned(), &[&[2], &[9; 32], &7_u64.to_be_bytes(), &[0]]));
    seeds
}
