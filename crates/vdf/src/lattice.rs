//! Squaring and composition of binary quadratic forms by binary lattice reduction.
//!
//! The square of a form f = (A, B, C) is f restricted to the lattice of all (x, y) with `B x + C y = 0 mod A`, divided
//! by A: squaring is finding a short basis. Both extended gcds that this takes are binary ones, in batches on machine
//! words (Pornin, "Optimized Binary GCD for Modular Inversion", 2020), and no quotient is ever computed but a few of 64
//! bits.
//!
//! 1. *Odd A.* `|D| = 7 mod 8`, so one of a, c, a + b + c is odd: an equivalent form has A odd, `|B| <= A`.
//!    (`odd_form`)
//! 2. *Inverse.* Binary steps on `(A; 0)`, `(|B|; 1)` down to x = 1 give `v |B| = +-2^T mod A`. (`invert`, `batch`,
//!    `steps`)
//! 3. *K* `= -C B^-1 2^t mod A`. (`modulus`)
//! 4. *Partial reduction.* Steps of exactly t shift bits on `(A; 0)`, `(K; +-1)` give `2^t x = K y`, hence two vectors
//!    of the lattice, of determinant `+-A`, with x and y near the square root of A. (`partial`)
//! 5. *Gauss's reduction*, in doubles, of the points `(U, W) = (x + B / 2A y, sqrt |D| / 2A y)`, whose norm `U^2 + W^2`
//!    is the form's value. (`gauss`)
//! 6. *The new form* on that basis, with exact quotients by A. (`square`, `compose`)
//!
//! *Why a result is right.* Every operation on the rows is exact: approximations only choose between steps that all
//! keep the row in its lattice, so they cost time, never truth, and each file proves the bounds its words rest on. The
//! determinant is checked modulo `2^64`; a basis of determinant `+-A` of the right lattice has a form of the right
//! class and discriminant, and the form is returned only if `|b| < a < c` holds exactly, which makes it the one reduced
//! form of its class. So doubles decide nothing either.
//!
//! *What is checked nevertheless* against a slip of this code or of the machine: `b^2 - 4ac = D` modulo `2^64`, and a
//! against the norm within 1%. The first misses a vector off the lattice, which the second sees: its a is wrong by a
//! factor near `2^60`. (`candidate`)
//!
//! *What is refused* (`None`; the caller has a general path): forms far from the usual size (c above `2^560`, A below
//! `2^448`; one in `2^60` but for the first squarings from a generator), squares on the edge of reducedness, and
//! products whose first coefficients have too many common divisors (one in some thousand).
//!
//! The feature `stress` makes the approximations poor, so that tests take the rare paths all the time.

#![allow(
    clippy::inline_always,
    reason = "a squaring is one function per instruction set: every part takes over the target features of the function it is inlined into"
)]
#![allow(clippy::cast_possible_truncation, reason = "the lower half of a wide product is meant")]
#![allow(clippy::cast_precision_loss, reason = "doubles here are approximations, checked exactly afterwards")]
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "a comparison with NaN must come out as a refusal")]

mod batch;
mod candidate;
mod chain;
mod compose;
mod coordinate;
mod gauss;
mod invert;
mod kernel;
mod modulus;
mod odd_form;
mod partial;
mod rows;
mod slow_update;
mod square;
mod steps;
mod update;
mod word;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use crate::backend::Backend;
use coordinate::WORD;
use gauss::power_of_two;
use kernel::{Instructions, Kernel};

/// Limbs of a coefficient.
pub(crate) const FORM_LIMBS: usize = 9;

/// Limbs of a discriminant.
pub(crate) const DISCRIMINANT_LIMBS: usize = 16;

/// Bit lengths of |D| the context is made for. A must have more than 448 bits: with 928 bits one form in some ten
/// thousand has less.
const DISCRIMINANT_BITS: core::ops::RangeInclusive<u32> = 928..=1024;

/// A reduced form `(a, b, c)` of the context's discriminant, least significant limb first, c below `2^576`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FastForm {
    pub(crate) a: [u64; FORM_LIMBS],
    /// |b|.
    pub(crate) b: [u64; FORM_LIMBS],
    pub(crate) b_negative: bool,
    pub(crate) c: [u64; FORM_LIMBS],
}

impl FastForm {
    /// Whether b is odd and a and c are below `2^560`.
    #[inline(always)]
    fn is_in_range(&self) -> bool {
        debug_assert!(!candidate::is_less(&self.a, &self.b) && !candidate::is_less(&self.c, &self.a), "|b| <= a <= c");
        (self.a[FORM_LIMBS - 1] | self.c[FORM_LIMBS - 1]) >> 48 == 0 && self.b[0] & 1 == 1
    }
}

/// What the forms of one discriminant share.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LatticeContext {
    /// |D| modulo `2^64`.
    discriminant_low: u64,
    discriminant_bits: u32,
    sqrt_discriminant: f64,
    instructions: Instructions,
}

/// The square root of a number is never NaN.
impl Eq for LatticeContext {}

impl LatticeContext {
    /// The context of the discriminant `-magnitude`; None unless the magnitude is 7 modulo 8 and has 928 to 1024 bits.
    pub(crate) fn new(magnitude: &[u64; DISCRIMINANT_LIMBS], backend: Backend) -> Option<Self> {
        let discriminant_bits = bit_length(magnitude);
        if magnitude[0] & 7 != 7 || !DISCRIMINANT_BITS.contains(&discriminant_bits) {
            return None;
        }
        // |D| may be above the largest double, |D| / 2^512 is not: sqrt |D| = 2^256 sqrt(|D| / 2^512).
        let scaled = limbs_to_f64(&magnitude[8..]);
        Some(Self {
            discriminant_low: magnitude[0],
            discriminant_bits,
            sqrt_discriminant: power_of_two(256) * scaled.sqrt(),
            instructions: backend.into(),
        })
    }

    /// The reduced square of a reduced form; None when the form is out of range or a check failed, so that the caller
    /// takes its general path.
    pub(crate) fn square(&self, form: &FastForm) -> Option<FastForm> {
        match self.instructions {
            Instructions::Portable(portable) => portable.square(self, form),
            #[cfg(target_arch = "x86_64")]
            Instructions::Bmi2(bmi2) => bmi2.square(self, form),
        }
    }

    /// The reduced product of two reduced forms; None when a form is out of range, their coefficients have too many
    /// common divisors or a check failed, so that the caller takes its general path.
    pub(crate) fn compose(&self, x: &FastForm, y: &FastForm) -> Option<FastForm> {
        match self.instructions {
            Instructions::Portable(portable) => compose::compose(portable, self, x, y),
            #[cfg(target_arch = "x86_64")]
            Instructions::Bmi2(bmi2) => compose::compose(bmi2, self, x, y),
        }
    }

    /// The shift bits t after which both coordinates are near the square root of A, by which they are made `2^0.5`
    /// apart: `0.703 (2 log2 A - 1 - log2 |D| / 2)`; a shift bit takes `1 / 0.703` bits from `x1 x2 / (y1 y2)`.
    ///
    /// The constant is measured; another would cost steps of Gauss's reduction, nothing else.
    #[inline(always)]
    fn shift_for_square(&self, modulus_bits: u32) -> u32 {
        (703 * (4 * modulus_bits).saturating_sub(2 + self.discriminant_bits)) / 2000
    }

    /// The same for the plane of (a2, b2, c2), where x and y are made `(c2 / a2)^0.5` apart.
    #[inline(always)]
    fn shift_for_composition(modulus_bits: u32, a: &[u64], c: &[u64]) -> u32 {
        (703 * (2 * modulus_bits + bit_length(a)).saturating_sub(1 + bit_length(c))) / 2000
    }
}

/// A number to the precision of a double, but for a few units in the last place: its two highest limbs that are not zero.
#[inline(always)]
fn limbs_to_f64(limbs: &[u64]) -> f64 {
    match limbs.iter().rposition(|&limb| limb != 0) {
        None | Some(0) => limbs[0] as f64,
        Some(top) => (limbs[top] as f64 * WORD + limbs[top - 1] as f64) * power_of_two(64 * (top as u32 - 1)),
    }
}

/// The bits of a number, 0 for 0.
#[inline(always)]
fn bit_length(limbs: &[u64]) -> u32 {
    limbs.iter().rposition(|&limb| limb != 0).map_or(0, |top| (top as u32 + 1) * 64 - limbs[top].leading_zeros())
}

const _: () = assert!(FORM_LIMBS == rows::MAX_LIMBS);

#[cfg(test)]
mod tests;
