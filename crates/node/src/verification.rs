//! Verification of proofs.

use crate::convert::{Result, StopWord, bytes, count, refused};
use chronym_vdf::{Error, Form, Question};
use napi::Env;
use napi::bindgen_prelude::{Either, Null, Uint8ArraySlice};
use napi_derive::napi;

/// Whether `proof` (y and all that follows it) shows that y is `x` (100 bytes, null: the generator) squared
/// `iterations` times. Every malformed input but the counts is a false verdict.
#[napi(catch_unwind)]
pub fn verify_proof(
    discriminant: &Discriminant,
    x: Option<&[u8]>,
    iterations: f64,
    proof: &[u8],
    depth: u32,
) -> Result<bool> {
    let discriminant = discriminant.get();
    let generator = Form::generator(discriminant).encode(discriminant);
    let iterations = count(iterations, "iterations")?;
    Ok(chronym_vdf::verify(discriminant, x.unwrap_or(&generator), iterations, proof, depth).is_ok())
}

/// A proof, and what it has to show.
#[napi(object, object_to_js = false)]
pub struct ProofQuestion<'a> {
    /// 2 to 64 bytes; the discriminant is derived from it, and the element is its generator.
    pub seed: Uint8ArraySlice<'a>,
    /// Size of the discriminant.
    pub bits: u32,
    /// Squarings in all.
    pub iterations: f64,
    /// Squarings of the first of two segments; null for one.
    pub split: Either<f64, Null>,
    /// y and all that follows it.
    pub proof: Uint8ArraySlice<'a>,
}

/// Verifies from seeds, many proofs a call, and remembers the discriminants derived last.
#[napi]
pub struct Verifier(chronym_vdf::Verifier);

#[napi]
impl Verifier {
    /// Remembers at most `capacity` discriminants, a kilobyte each.
    #[napi(constructor, catch_unwind)]
    pub fn new(capacity: u32) -> Self {
        Self(chronym_vdf::Verifier::new(capacity as usize))
    }

    /// The verdicts in the order of the questions; on fewer of them when the stop word is set, which is looked at
    /// between two proofs. Throws `INVALID_ARGUMENT` for seeds and sizes that have no discriminant and for counts that
    /// are none.
    #[napi(catch_unwind)]
    pub fn verify(&mut self, questions: Vec<ProofQuestion>, stop: StopWord) -> Result<Vec<bool>> {
        let asked = questions.iter().map(asked).collect::<Result<Vec<_>>>()?;
        let verdicts = self.0.verify_all(&asked, stop.get());
        verdicts.into_iter().map(verdict).collect()
    }
}

fn asked<'a>(question: &'a ProofQuestion) -> Result<Question<'a>> {
    Ok(Question {
        seed: &question.seed,
        bits: question.bits as usize,
        iterations: count(question.iterations, "iterations")?,
        split: match question.split {
            Either::A(split) => Some(count(split, "split")?),
            Either::B(Null) => None,
        },
        proof: &question.proof,
    })
}

/// What was malformed about the question throws; what is wrong with the proof is a verdict.
fn verdict(outcome: core::result::Result<(), Error>) -> Result<bool> {
    match outcome {
        Err(error @ (Error::SeedLength(_) | Error::DiscriminantSize(_))) => Err(refused(error)),
        outcome => Ok(outcome.is_ok()),
    }
}

// Discriminants.

/// The class group that a proof lives in.
#[napi]
pub struct Discriminant(chronym_vdf::Discriminant);

#[napi]
impl Discriminant {
    /// Derives the discriminant of `bits` bits from a seed; throws `INVALID_ARGUMENT` for sizes that have none.
    #[napi(factory, catch_unwind)]
    pub fn from_seed(seed: &[u8], bits: u32) -> Result<Self> {
        chronym_vdf::Discriminant::from_seed(seed, bits as usize).map(Self).map_err(refused)
    }

    /// Reads |D|, big-endian; throws `INVALID_ARGUMENT` unless it is a prime of the right kind.
    #[napi(factory, catch_unwind)]
    pub fn from_bytes(magnitude: &[u8]) -> Result<Self> {
        chronym_vdf::Discriminant::from_be_bytes(magnitude).map(Self).map_err(refused)
    }

    /// |D|, big-endian, bits / 8 bytes.
    #[napi(catch_unwind)]
    pub fn bytes<'env>(&self, env: &'env Env) -> Result<Uint8ArraySlice<'env>> {
        bytes(env, &self.0.to_be_bytes())
    }
}

impl Discriminant {
    pub(crate) fn get(&self) -> &chronym_vdf::Discriminant {
        &self.0
    }
}
