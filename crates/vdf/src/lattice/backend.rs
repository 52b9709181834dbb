//! What is compiled once for every instruction set.

use super::batch::{batch, last_batch};
use super::rows::Rows;

/// A set of instructions: the same code, compiled for it. A value of the type is the proof that the processor has them.
pub(super) trait Backend: Copy {
    /// [`batch`], not inlined: called from both reductions, its loop stays in the cache of decoded instructions.
    fn batch(self, rows: &mut Rows) -> Option<u32>;

    /// [`last_batch`], not inlined.
    fn last_batch(self, rows: &mut Rows, bits: u32) -> Option<()>;
}

/// The instructions every processor of the target has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portable;

impl Backend for Portable {
    #[inline(never)]
    fn batch(self, rows: &mut Rows) -> Option<u32> {
        batch(rows)
    }

    #[inline(never)]
    fn last_batch(self, rows: &mut Rows, bits: u32) -> Option<()> {
        last_batch(rows, bits)
    }
}
