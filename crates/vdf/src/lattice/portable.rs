//! The kernel compiled for the instructions that every processor of the target has.

use super::arithmetic::batch::{batch, last_batch};
use super::arithmetic::rows::Rows;
use super::arithmetic::steps::Steps;
use super::compose::compose_odd;
use super::forms::odd_form::OddForm;
use super::instructions::Portable;
use super::kernel::Kernel;
use super::square::square;
use super::{FastForm, LatticeContext};

impl Kernel for Portable {
    #[inline(never)]
    fn batch(self, rows: &mut Rows) -> Option<u32> {
        batch(rows, Steps::Compiled)
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
