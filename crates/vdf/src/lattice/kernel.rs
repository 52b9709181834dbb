//! What is compiled once for every set of instructions.

use super::batch::{batch, last_batch};
use super::compose::compose_odd;
use super::odd_form::OddForm;
use super::rows::Rows;
use super::square::square;
use super::{FastForm, LatticeContext};
use crate::backend::Backend;

/// A set of instructions: the same code, compiled for it. A value of the type is the proof that the processor has them.
///
/// None of these functions is inlined: a batch is called from both reductions, and its loop has to stay in the cache of
/// decoded instructions.
pub(super) trait Kernel: Copy {
    /// [`batch`]
    fn batch(self, rows: &mut Rows) -> Option<u32>;

    /// [`last_batch`]
    fn last_batch(self, rows: &mut Rows, bits: u32) -> Option<()>;

    /// [`square`]
    fn square(self, context: &LatticeContext, form: &FastForm) -> Option<FastForm>;

    /// [`compose_odd`]
    fn compose_odd(self, context: &LatticeContext, odd: &OddForm, second: &FastForm) -> Option<FastForm>;
}

/// The instructions every processor of the target has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Portable;

impl Kernel for Portable {
    #[inline(never)]
    fn batch(self, rows: &mut Rows) -> Option<u32> {
        batch(rows)
    }

    #[inline(never)]
    fn last_batch(self, rows: &mut Rows, bits: u32) -> Option<()> {
        last_batch(rows, bits)
    }

    #[inline(never)]
    fn square(self, context: &LatticeContext, form: &FastForm) -> Option<FastForm> {
        square(self, context, form)
    }

    #[inline(never)]
    fn compose_odd(self, context: &LatticeContext, odd: &OddForm, second: &FastForm) -> Option<FastForm> {
        compose_odd(self, context, odd, second)
    }
}

/// The set that a context uses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Instructions {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Bmi2(crate::backend::Bmi2),
}

impl From<Backend> for Instructions {
    fn from(backend: Backend) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(bmi2) = backend.bmi2() {
            return Self::Bmi2(bmi2);
        }
        _ = backend;
        Self::Portable(Portable)
    }
}
