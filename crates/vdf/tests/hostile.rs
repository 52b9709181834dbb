//! Altered proofs: refused, never with a panic.

use chronym_vdf::{Discriminant, Error, Evaluation, EvaluationOptions, Form, Step, verify};
use core::sync::atomic::AtomicU32;

const ITERATIONS: u64 = 500;
const SPLIT: u64 = 450;

fn proof() -> (Discriminant, [u8; 100], Vec<u8>) {
    let discriminant = Discriminant::from_seed(b"hostile", 128).unwrap();
    let x = Form::generator(&discriminant);
    let options = EvaluationOptions { split: Some(SPLIT), ..EvaluationOptions::default() };
    let mut evaluation = Evaluation::new(discriminant.clone(), x, ITERATIONS, options).unwrap();
    assert_eq!(evaluation.advance(u64::MAX, &AtomicU32::new(0)), Step::Done);
    let x = x.encode(&discriminant);
    (discriminant, x, evaluation.proof().unwrap())
}

#[test]
fn no_single_bit_can_change() {
    let (discriminant, x, proof) = proof();
    assert_eq!(verify(&discriminant, &x, ITERATIONS, &proof, 1), Ok(()));
    for bit in 0..8 * proof.len() {
        let mut altered = proof.clone();
        altered[bit / 8] ^= 1 << (bit % 8);
        let verdict = verify(&discriminant, &x, ITERATIONS, &altered, 1);
        assert!(verdict.is_err(), "bit {bit}");
    }
    for bit in 0..8 * x.len() {
        let mut altered = x;
        altered[bit / 8] ^= 1 << (bit % 8);
        let verdict = verify(&discriminant, &altered, ITERATIONS, &proof, 1);
        assert!(verdict.is_err(), "bit {bit} of x");
    }
}

#[test]
fn lengths_and_depths_must_agree() {
    let (discriminant, x, proof) = proof();
    let check = |x: &[u8], iterations, proof: &[u8], depth| verify(&discriminant, x, iterations, proof, depth);
    for length in 0..proof.len() {
        let verdict = check(&x, ITERATIONS, &proof[..length], 1);
        assert_eq!(verdict, Err(Error::ProofLength(length)));
    }
    for depth in [0, 2, 3, 1000, u32::MAX] {
        let verdict = check(&x, ITERATIONS, &proof, depth);
        assert_eq!(verdict, Err(Error::ProofLength(341)));
    }
    assert_eq!(check(&x[..99], ITERATIONS, &proof, 1), Err(Error::FormLength(99)));
    assert_eq!(check(&x, SPLIT - 1, &proof, 1), Err(Error::SegmentLengths));
    for iterations in [SPLIT, ITERATIONS - 1, ITERATIONS + 1, u64::MAX] {
        assert_eq!(check(&x, iterations, &proof, 1), Err(Error::ProofInvalid));
    }
}

#[test]
fn the_extremes_of_every_field_are_refused() {
    let (discriminant, x, proof) = proof();
    for fill in [0, 1, 0x7f, 0x80, 0xfe, 0xff] {
        for range in [0..100, 100..200, 200..208, 208..241, 241..341, 0..341] {
            let mut altered = proof.clone();
            altered[range].fill(fill);
            assert!(verify(&discriminant, &x, ITERATIONS, &altered, 1).is_err());
        }
    }
}
