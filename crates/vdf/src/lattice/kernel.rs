//! What is compiled once for every set of instructions.

use super::arithmetic::rows::Rows;
use super::forms::odd_form::OddForm;
use super::{FastForm, LatticeContext};

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
