//! Proofs made, and refused, by chiavdf; see `__test__/vectors/README.md`.

use chronym_vdf::{
    BACKEND_VARIABLE, Backend, Discriminant, Error, Evaluation, EvaluationOptions, Form, Step, backend_name, verify,
};
use core::sync::atomic::AtomicU32;
use serde_json::Value;
use std::process::Command;

#[derive(Clone)]
struct Vector {
    line: usize,
    kind: String,
    seed: Vec<u8>,
    bits: usize,
    discriminant: Vec<u8>,
    iterations: u64,
    x: Vec<u8>,
    proof: Vec<u8>,
    depth: u64,
    note: String,
}

impl Vector {
    fn discriminant(&self) -> Result<Discriminant, Error> {
        let size = 8 * self.discriminant.len();
        if self.bits != size {
            return Err(Error::DiscriminantSize(self.bits));
        }
        Discriminant::from_be_bytes(&self.discriminant)
    }

    fn verdict(&self) -> Result<(), Error> {
        let depth = u32::try_from(self.depth).map_err(|_| Error::ProofLength(self.proof.len()))?;
        verify(&self.discriminant()?, &self.x, self.iterations, &self.proof, depth)
    }
}

fn load(file: &str) -> Vec<Vector> {
    let path = format!("{}/../../__test__/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines()
        .enumerate()
        .map(|(index, line)| {
            let value: Value = serde_json::from_str(line).unwrap();
            let string = |key: &str| value[key].as_str().unwrap().to_owned();
            let bytes = |key: &str| {
                let hex = string(key);
                (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect::<Vec<_>>()
            };
            Vector {
                line: index + 1,
                kind: string("kind"),
                seed: bytes("seed_hex"),
                bits: usize::try_from(value["disc_bits"].as_u64().unwrap()).unwrap(),
                discriminant: bytes("discriminant_hex"),
                iterations: value["iterations"].as_u64().unwrap(),
                x: bytes("x_hex"),
                proof: [bytes("y_hex"), bytes("proof_hex")].concat(),
                depth: value["recursion"].as_u64().unwrap(),
                note: string("note"),
            }
        })
        .collect()
}

/// All of this file again in processes that are forced to one backend.
#[test]
fn every_backend_passes() {
    if std::env::var_os(BACKEND_VARIABLE).is_some() {
        return;
    }
    for backend in Backend::available() {
        let run = Command::new(std::env::current_exe().unwrap())
            .env(BACKEND_VARIABLE, backend.name())
            .output()
            .expect("a test that can be run again");
        assert!(run.status.success(), "{}: {}", backend.name(), String::from_utf8_lossy(&run.stdout));
    }
}

#[test]
fn the_backend_that_is_forced_is_in_use() {
    match std::env::var(BACKEND_VARIABLE) {
        Ok(name) => assert_eq!(backend_name(), Ok(name.as_str())),
        Err(_) => assert_eq!(backend_name(), Ok(Backend::available()[0].name())),
    }
}

#[test]
fn proofs_made_by_chiavdf_verify() {
    for vector in load("chiavdf.jsonl").iter().filter(|v| !["corrupt", "malleable"].contains(&v.kind.as_str())) {
        assert_eq!(vector.verdict(), Ok(()), "line {}", vector.line);
    }
}

#[test]
fn broken_and_malleable_proofs_are_refused() {
    for vector in load("chiavdf.jsonl").iter().filter(|v| ["corrupt", "malleable"].contains(&v.kind.as_str())) {
        assert!(vector.verdict().is_err(), "line {}: {}", vector.line, vector.note);
    }
}

#[test]
fn proofs_of_the_chia_main_network_verify() {
    for vector in load("chiavdf-mainnet.jsonl") {
        assert_eq!(vector.verdict(), Ok(()), "line {}", vector.line);
    }
}

#[test]
fn seeds_lead_to_chiavdfs_discriminants() {
    let vectors = [load("chiavdf.jsonl"), load("chiavdf-mainnet.jsonl")].concat();
    for vector in vectors.iter().filter(|v| v.kind != "corrupt") {
        let derived = Discriminant::from_seed(&vector.seed, vector.bits).unwrap();
        assert_eq!(derived.to_be_bytes(), vector.discriminant, "line {}", vector.line);
        assert_eq!(Ok(derived), vector.discriminant(), "line {}", vector.line);
    }
}

#[test]
fn short_seeds_lead_to_chiavdfs_discriminants_and_proofs() {
    for vector in load("chiavdf-short-seeds.jsonl") {
        let derived = Discriminant::from_seed(&vector.seed, vector.bits).unwrap();
        assert_eq!(derived.to_be_bytes(), vector.discriminant, "line {}", vector.line);
        assert_eq!(vector.verdict(), Ok(()), "line {}", vector.line);
    }
}

/// A candidate takes one hash for each 256 bits, so all seeds of two bytes run through one of that number of cycles.
/// One of each is tried.
#[test]
fn a_seed_of_two_bytes_leads_to_a_prime_of_every_size() {
    for bits in (8..=1024).step_by(8) {
        let cycles = [1, 2, 1, 4][(bits - 1) / 256];
        for first in 0..cycles {
            assert!(Discriminant::from_seed(&[0, first], bits).is_ok());
        }
    }
}

#[test]
fn our_proofs_equal_chiavdfs() {
    let made = |v: &&Vector| v.kind == "1wesolowski" || v.kind == "nwesolowski" && v.depth == 1;
    for vector in load("chiavdf.jsonl").iter().filter(made) {
        let discriminant = vector.discriminant().unwrap();
        let x = Form::decode(&discriminant, &vector.x).unwrap();
        // the first segment's length follows y and the last witness
        let split = (vector.depth == 1).then(|| u64::from_be_bytes(vector.proof[200..208].try_into().unwrap()));
        let options = EvaluationOptions { split, ..EvaluationOptions::default() };
        let mut evaluation = Evaluation::new(discriminant, x, vector.iterations, options).unwrap();
        assert_eq!(evaluation.advance(u64::MAX, &AtomicU32::new(0)), Step::Done);
        assert_eq!(evaluation.proof().as_ref(), Some(&vector.proof), "line {}", vector.line);
    }
}
