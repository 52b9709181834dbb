//! What the kernel knows of a discriminant, and the sets of instructions that it is compiled for.

use super::arithmetic::coordinate::{limbs_to_f64, power_of_two};
use super::arithmetic::rows::Rows;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::arithmetic::steps::Steps;
use super::arithmetic::word::bit_length;
use super::forms::{FastForm, OddForm};
#[cfg(test)]
use crate::backend::Backend;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::backend::Native;
use crate::sizes::D_LIMBS;

/// Bit lengths of |D| the context is made for. A must have more than 448 bits: with 928 bits one form in some ten
/// thousand has less.
const DISCRIMINANT_BITS: core::ops::RangeInclusive<u32> = 928..=1024;

/// What the forms of one discriminant share.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LatticeContext {
    /// |D| modulo `2^64`.
    pub(super) discriminant_low: u64,
    pub(super) discriminant_bits: u32,
    pub(super) sqrt_discriminant: f64,
    pub(super) instructions: Instructions,
}

/// The square root of a number is never NaN.
impl Eq for LatticeContext {}

impl LatticeContext {
    /// The context of the discriminant `-magnitude`; None unless the magnitude is 7 modulo 8 and has 928 to 1024 bits.
    pub(super) fn new(magnitude: &[u64; D_LIMBS], instructions: Instructions) -> Option<Self> {
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
            instructions,
        })
    }

    /// The shift bits t after which both coordinates are near the square root of A, by which they are made `2^0.5`
    /// apart: `0.703 (2 log2 A - 1 - log2 |D| / 2)`. A shift bit takes `1 / 0.703` bits from `x1 x2 / (y1 y2)`.
    ///
    /// The constant is measured; another would only cost steps of Gauss's reduction.
    #[inline(always)]
    pub(super) fn shift_for_square(&self, modulus_bits: u32) -> u32 {
        (703 * (4 * modulus_bits).saturating_sub(2 + self.discriminant_bits)) / 2000
    }

    /// The same for the plane of (a2, b2, c2), where x and y are made `(c2 / a2)^0.5` apart.
    #[inline(always)]
    pub(super) fn shift_for_composition(modulus_bits: u32, a: &[u64], c: &[u64]) -> u32 {
        (703 * (2 * modulus_bits + bit_length(a)).saturating_sub(1 + bit_length(c))) / 2000
    }
}

/// The instructions every processor of the target has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Portable;

/// The instructions that the kernel is compiled for beyond those, and the kind of steps to make with them.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct NativeKernel {
    pub(super) token: Native,
    pub(super) steps: Steps,
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl NativeKernel {
    /// With either kind of steps.
    pub(super) fn both(token: Native) -> [Self; 2] {
        [Steps::Compiled, Steps::Ordered(token)].map(|steps| Self { token, steps })
    }
}

/// The set that a context uses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Instructions {
    Portable(Portable),
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Native(NativeKernel),
}

#[cfg(test)]
impl Instructions {
    /// What a backend may use: with both kinds of steps where there are two.
    pub(super) fn of(backend: Backend) -> Vec<Self> {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(token) = backend.native() {
            return NativeKernel::both(token).map(Self::Native).into();
        }
        _ = backend;
        vec![Self::Portable(Portable)]
    }
}

/// A set of instructions: the same code, compiled for it. A value of the type is the proof that the processor has them.
///
/// None of these functions is inlined: a batch is called from both reductions, and its loop has to stay in the cache of
/// decoded instructions.
pub(super) trait Kernel: Copy {
    /// [`batch`](super::arithmetic::batch::batch)
    fn batch(self, rows: &mut Rows) -> Option<u32>;

    /// [`last_batch`](super::arithmetic::batch::last_batch)
    fn last_batch(self, rows: &mut Rows, bits: u32) -> Option<()>;

    /// [`square`](super::square::square)
    fn square(self, context: &LatticeContext, form: &FastForm) -> Option<FastForm>;

    /// [`compose_odd`](super::compose::compose_odd)
    fn compose_odd(self, context: &LatticeContext, odd: &OddForm, second: &FastForm) -> Option<FastForm>;
}
