//! The kernel for aarch64, whose every processor has the instructions: its steps are of two kinds.

use super::arithmetic::batch::{batch, last_batch};
use super::arithmetic::rows::Rows;
use super::arithmetic::steps::Steps;
use super::compose::compose_odd;
use super::context::{Kernel, NativeKernel};
use super::forms::OddForm;
use super::square::square;
use super::{FastForm, LatticeContext};
use crate::backend::Native;

impl Kernel for NativeKernel {
    #[inline(always)]
    fn batch(self, rows: &mut Rows) -> Option<u32> {
        match self.steps {
            Steps::Compiled => batch_with_compiled_steps(rows),
            Steps::Ordered(_) => batch_with_ordered_steps(rows, self.token),
        }
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

#[inline(never)]
fn batch_with_compiled_steps(rows: &mut Rows) -> Option<u32> {
    batch(rows, Steps::Compiled)
}

#[inline(never)]
fn batch_with_ordered_steps(rows: &mut Rows, token: Native) -> Option<u32> {
    batch(rows, Steps::Ordered(token))
}
