//! Verification of arbitrary bytes, and of altered valid proofs. What is accepted is true.

use crate::edits;
use crate::input::Input;
use chronym_vdf::{Discriminant, Evaluation, EvaluationOptions, FORM_BYTES, Form, Step, verify};
use core::sync::atomic::AtomicU32;
use std::sync::LazyLock;

/// Discriminants below some hundred bits have small class groups, where false proofs can be found: not for
/// verification.
const SIZES: [usize; 5] = [128, 256, 512, 936, 1024];

/// Up to here a statement is checked by squaring.
const MAX_ITERATIONS: u64 = 5000;

/// A question with the answer yes.
struct Known {
    discriminant: Discriminant,
    x: [u8; FORM_BYTES],
    iterations: u64,
    depth: u32,
    proof: Vec<u8>,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let cases = SIZES.iter().flat_map(|&bits| [(bits, 0, None), (bits, 300, None), (bits, 301, Some(270))]);
    cases.map(|(bits, iterations, split)| known(bits, iterations, split)).collect()
});

fn known(bits: usize, iterations: u64, split: Option<u64>) -> Known {
    let discriminant = Discriminant::from_seed(b"verification", bits).expect("a supported size");
    let x = Form::generator(&discriminant).pow(&[7; 4], &discriminant);
    let options = EvaluationOptions { split, ..EvaluationOptions::default() };
    let mut evaluation = Evaluation::new(discriminant.clone(), x, iterations, options).expect("a split within");
    assert_eq!(evaluation.advance(u64::MAX, &AtomicU32::new(0)), Step::Done);
    let proof = evaluation.proof().expect("done");
    Known { x: x.encode(&discriminant), discriminant, iterations, depth: u32::from(split.is_some()), proof }
}

/// Two bytes choose a known proof and what is done to it.
///
/// # Panics
/// When a false statement is accepted or a true one refused.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let Known { discriminant, x, iterations, depth, proof } = &KNOWN[usize::from(input.u8()) % KNOWN.len()];
    let (mut x, mut iterations, mut depth, mut proof) = (x.to_vec(), *iterations, *depth, proof.clone());
    let choice = input.u8();
    if choice & 1 == 1 {
        iterations = input.u64();
    }
    if choice & 2 == 2 {
        depth = u32::from(input.u16()) % 32;
    }
    match choice >> 2 & 3 {
        0 => edits::apply(&mut proof, &mut input),
        1 => edits::apply(&mut x, &mut input),
        2 => {
            x = input.take(FORM_BYTES).to_vec();
            proof = input.rest().to_vec();
        }
        _ => {
            // the right length for any depth
            proof = input.rest().to_vec();
            proof.resize(200 + 141 * depth as usize, 0);
        }
    }
    judge(discriminant, &x, iterations, &proof, depth);
}

fn judge(discriminant: &Discriminant, x: &[u8], iterations: u64, proof: &[u8], depth: u32) {
    let known = KNOWN.iter().any(|known| {
        known.discriminant == *discriminant
            && (&known.x[..], known.iterations, &known.proof[..], known.depth) == (x, iterations, proof, depth)
    });
    let verdict = verify(discriminant, x, iterations, proof, depth);
    if known {
        assert_eq!(verdict, Ok(()));
    }
    if verdict.is_ok() {
        let [start, end] =
            [x, &proof[..FORM_BYTES]].map(|bytes| Form::decode(discriminant, bytes).expect("decoded by verify"));
        let identity = Form::identity(discriminant);
        assert!(iterations <= MAX_ITERATIONS || start == identity, "accepted {iterations} squarings");
        let squared = (0..iterations.min(MAX_ITERATIONS)).fold(start, |form, _| form.square(discriminant));
        assert_eq!(squared, end);
    }
}
