#![doc = include_str!("../README.md")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "limb arithmetic takes low words on purpose"
)]
#![allow(clippy::inline_always, reason = "carry chains only stay in registers when inlined")]
#![allow(
    clippy::cast_precision_loss,
    reason = "floating point only shows progress and steers, nothing rests on its last bits"
)]
#![allow(clippy::needless_range_loop, reason = "limb loops read as the papers' indices")]
#![allow(clippy::many_single_char_names, clippy::similar_names, reason = "the papers' symbols")]

mod backend;
mod discriminant;
mod error;
mod evaluation;
mod form;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod hash_prime;
mod instruction_set;
mod lattice;
mod prime;
#[cfg(test)]
mod reference;
mod sizes;
mod uint;
mod wesolowski;

pub use backend::{Backend, backend_name};
pub use discriminant::Discriminant;
pub use error::Error;
pub use evaluation::{Evaluation, EvaluationOptions, Phase, Step};
pub use form::Form;
pub use hash_prime::{B_BYTES, get_b};
pub use instruction_set::{BACKEND_VARIABLE, STEPS_VARIABLE};
pub use sizes::FORM_BYTES;
pub use wesolowski::{Question, Verifier, verify};

/// The kind of steps that squarings of this process are made of: `ordered` by hand, or `compiled`. With the backends of
/// x86-64 and aarch64 the faster of the two, measured once; [`STEPS_VARIABLE`] forces one.
///
/// # Errors
/// As [`Backend::in_use`], and [`Error::StepsUnknown`].
pub fn steps_name() -> Result<&'static str, Error> {
    Backend::in_use().and_then(lattice::steps_name)
}
