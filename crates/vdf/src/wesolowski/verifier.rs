//! Verification of proofs from strangers: from the seed, many in a row.

use super::pow::{double_pow, power_of_two_mod};
use super::proof::Proof;
use crate::discriminant::{Discriminant, check_size};
use crate::error::Error;
use crate::form::Form;
use crate::hash_prime::challenge;
use crate::sizes::FORM_BYTES;
use core::sync::atomic::{AtomicU32, Ordering};
use std::collections::VecDeque;

/// A proof, and what it has to show: that its first 100 bytes are the generator of the seed's class group, squared
/// `iterations` times.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// 2 to 64 bytes; the discriminant is derived from it.
    pub seed: &'a [u8],
    /// Size of the discriminant: a multiple of 8 from 8 to 1024.
    pub bits: usize,
    /// Squarings in all.
    pub iterations: u64,
    /// Squarings that the first of two segments must have; `None` asks for a single segment.
    pub split: Option<u64>,
    /// 200 bytes, or 341 with a split.
    pub proof: &'a [u8],
}

/// Answers questions, and remembers the discriminants that were derived last: deriving one costs more than verifying in
/// it.
#[derive(Debug)]
pub struct Verifier {
    capacity: usize,
    /// By seed and size, the one used last at the end. A kilobyte each.
    discriminants: VecDeque<(Vec<u8>, Discriminant)>,
}

impl Verifier {
    /// Remembers at most `capacity` discriminants.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { capacity, discriminants: VecDeque::new() }
    }

    /// Checks one proof, cheap steps first: its structure, then the discriminant, the forms, the powers.
    ///
    /// # Errors
    /// [`Error::SeedLength`] and [`Error::DiscriminantSize`] for questions that have no answer; those of
    /// [`super::verifier`] and [`Error::Split`] for proofs that are to be refused.
    pub fn verify(&mut self, question: &Question) -> Result<(), Error> {
        let Question { seed, bits, iterations, split, proof } = *question;
        check_size(bits)?;
        let proof = Proof::parse(bits, iterations, proof, u32::from(split.is_some()))?;
        if proof.split() != split {
            return Err(Error::Split);
        }
        let discriminant = self.discriminant(seed, bits)?;
        verify_parsed(discriminant, &Form::generator(discriminant).encode(discriminant), &proof)
    }

    /// Checks the proofs in sequence until all are done or `stop` is not zero, which is read between two of them.
    /// Returns the verdicts of the checked ones.
    pub fn verify_all(&mut self, questions: &[Question], stop: &AtomicU32) -> Vec<Result<(), Error>> {
        let mut verdicts = Vec::with_capacity(questions.len());
        for question in questions {
            if stop.load(Ordering::Relaxed) != 0 {
                break;
            }
            verdicts.push(self.verify(question));
        }
        verdicts
    }

    fn discriminant(&mut self, seed: &[u8], bits: usize) -> Result<&Discriminant, Error> {
        // a few hundred comparisons of seeds take a microsecond, a derivation thousands
        let known = self.discriminants.iter().position(|(key, known)| key == seed && known.bits() == bits);
        let entry = match known.and_then(|index| self.discriminants.remove(index)) {
            Some(entry) => entry,
            None => (seed.to_vec(), Discriminant::from_seed(seed, bits)?),
        };
        if self.discriminants.len() >= self.capacity.max(1) {
            self.discriminants.pop_front();
        }
        self.discriminants.push_back(entry);
        Ok(&self.discriminants.back().expect("just put there").1)
    }
}

// Verification.

/// Checks that `proof` shows `y = x^(2^iterations)` in the class group of `discriminant`, where y is the proof's first
/// 100 bytes.
///
/// `proof` is `y || pi || [squarings || B || pi] depth times`, 200 + 141 `depth` bytes. Costs about a millisecond for
/// each segment; what is malformed is refused in microseconds. `depth` only counts when the length agrees with it.
///
/// # Errors
/// [`Error::FormLength`], [`Error::ProofLength`], [`Error::FormEncoding`], [`Error::SegmentLengths`],
/// [`Error::SegmentPrime`] or [`Error::ProofInvalid`]; any of them means that the proof is to be refused.
pub fn verify(discriminant: &Discriminant, x: &[u8], iterations: u64, proof: &[u8], depth: u32) -> Result<(), Error> {
    let proof = Proof::parse(discriminant.bits(), iterations, proof, depth)?;
    verify_parsed(discriminant, x.try_into().map_err(|_| Error::FormLength(x.len()))?, &proof)
}

/// [`verify`] for a proof taken apart with this discriminant's size.
pub(super) fn verify_parsed(discriminant: &Discriminant, x: &[u8; FORM_BYTES], proof: &Proof) -> Result<(), Error> {
    // every form before the first power: a decoding costs a hundredth of it
    let (y, last) = (Form::decode(discriminant, proof.y)?, Form::decode(discriminant, proof.witness)?);
    let witnesses = proof.records().map(|record| Form::decode(discriminant, record.witness));
    // no more of them than the proof has bytes for
    let witnesses = witnesses.collect::<Result<Vec<_>, _>>()?;
    let (mut x, mut x_bytes) = (Form::decode(discriminant, x)?, *x);
    for (record, witness) in proof.records().zip(&witnesses) {
        let exponent = power_of_two_mod(record.squarings, &record.prime);
        let end = double_pow(witness, &record.prime, &x, &exponent, discriminant);
        let end_bytes = end.encode(discriminant);
        if challenge(&x_bytes, &end_bytes) != record.prime {
            return Err(Error::SegmentPrime);
        }
        (x, x_bytes) = (end, end_bytes);
    }
    let prime = challenge(&x_bytes, proof.y);
    let end = double_pow(&last, &prime, &x, &power_of_two_mod(proof.squarings, &prime), discriminant);
    if end == y { Ok(()) } else { Err(Error::ProofInvalid) }
}

#[cfg(test)]
mod tests {
    use super::{Question, Verifier};
    use crate::{Discriminant, Error, Evaluation, EvaluationOptions, Form};
    use core::sync::atomic::AtomicU32;

    const BITS: usize = 128;
    const ITERATIONS: u64 = 300;

    fn prove(seed: &[u8], split: Option<u64>) -> Vec<u8> {
        let discriminant = Discriminant::from_seed(seed, BITS).unwrap();
        let x = Form::generator(&discriminant);
        let options = EvaluationOptions { split, ..EvaluationOptions::default() };
        let mut evaluation = Evaluation::new(discriminant, x, ITERATIONS, options).unwrap();
        evaluation.advance(u64::MAX, &AtomicU32::new(0));
        evaluation.proof().unwrap()
    }

    #[test]
    fn verdicts_do_not_depend_on_what_is_remembered() {
        let proofs: Vec<_> = (0..6_u8).map(|seed| ([seed; 32], prove(&[seed; 32], None))).collect();
        let question = |seed: usize, proof: usize| Question {
            seed: &proofs[seed].0,
            bits: BITS,
            iterations: ITERATIONS,
            split: None,
            proof: &proofs[proof].1,
        };
        for capacity in [0, 1, 3, 100] {
            let mut verifier = Verifier::new(capacity);
            for round in 0..4 {
                for (seed, proof) in (0..6).flat_map(|seed| [(seed, seed), (seed, (seed + 1 + round) % 6)]) {
                    assert_eq!(verifier.verify(&question(seed, proof)).is_ok(), seed == proof, "{capacity}");
                }
            }
            assert!(verifier.discriminants.len() <= capacity.max(1));
        }
    }

    #[test]
    fn a_discriminant_is_remembered_with_its_size() {
        let proof = prove(&[1; 32], None);
        let mut verifier = Verifier::new(10);
        let question = Question { seed: &[1; 32], bits: BITS, iterations: ITERATIONS, split: None, proof: &proof };
        assert_eq!(verifier.verify(&question), Ok(()));
        assert!(verifier.verify(&Question { bits: BITS + 8, ..question }).is_err());
        assert_eq!(verifier.verify(&question), Ok(()));
    }

    #[test]
    fn a_split_is_the_one_that_is_asked_for() {
        let (whole, split) = (prove(&[1; 32], None), prove(&[1; 32], Some(250)));
        let mut verifier = Verifier::new(10);
        let mut ask = |split, proof| {
            verifier.verify(&Question { seed: &[1; 32], bits: BITS, iterations: ITERATIONS, split, proof })
        };
        assert_eq!(ask(None, &whole), Ok(()));
        assert_eq!(ask(Some(250), &split), Ok(()));
        assert_eq!(ask(Some(249), &split), Err(Error::Split));
        assert_eq!(ask(None, &split), Err(Error::ProofLength(341)));
        assert_eq!(ask(Some(250), &whole), Err(Error::ProofLength(200)));
    }

    #[test]
    fn a_malformed_proof_derives_no_discriminant() {
        let mut proof = prove(&[1; 32], None);
        proof[99] = 1;
        let mut verifier = Verifier::new(10);
        let question = Question { seed: &[1; 32], bits: BITS, iterations: ITERATIONS, split: None, proof: &proof };
        assert_eq!(verifier.verify(&question), Err(Error::FormEncoding));
        assert!(verifier.discriminants.is_empty());
    }

    #[test]
    fn questions_without_an_answer_are_told_from_proofs_to_be_refused() {
        let proof = prove(&[1; 32], None);
        let mut verifier = Verifier::new(10);
        let question = Question { seed: &[1; 32], bits: BITS, iterations: ITERATIONS, split: None, proof: &proof };
        assert_eq!(verifier.verify(&Question { seed: &[1; 1], ..question }), Err(Error::SeedLength(1)));
        assert_eq!(verifier.verify(&Question { bits: 1032, ..question }), Err(Error::DiscriminantSize(1032)));
    }

    #[test]
    fn a_set_stop_word_ends_a_batch() {
        let proof = prove(&[1; 32], None);
        let question = Question { seed: &[1; 32], bits: BITS, iterations: ITERATIONS, split: None, proof: &proof };
        let mut verifier = Verifier::new(10);
        assert_eq!(verifier.verify_all(&[question; 3], &AtomicU32::new(0)), vec![Ok(()); 3]);
        assert_eq!(verifier.verify_all(&[question; 3], &AtomicU32::new(1)), vec![]);
    }
}
