//! The way in: each operation by the code that is compiled for the context's instructions.

use super::arithmetic::batch::{batch, last_batch};
use super::arithmetic::rows::Rows;
use super::arithmetic::steps::Steps;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::choice::{forced, steps_in_use};
use super::compose::{compose, compose_odd};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::context::NativeKernel;
use super::context::{Instructions, Kernel, LatticeContext, Portable};
use super::forms::FastForm;
use super::forms::OddForm;
use super::square::square;
use crate::backend::Backend;
use crate::error::Error;
use crate::sizes::D_LIMBS;

impl LatticeContext {
    /// The reduced square of a reduced form; None when the form is out of range or a check failed, so that the caller
    /// takes its general path.
    pub(crate) fn square(&self, form: &FastForm) -> Option<FastForm> {
        match self.instructions {
            Instructions::Portable(portable) => portable.square(self, form),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Instructions::Native(native) => native.square(self, form),
        }
    }

    /// The reduced product of two reduced forms. None when a form is out of range, their coefficients have too many
    /// common divisors or a check failed. The caller then takes its general path.
    pub(crate) fn compose(&self, x: &FastForm, y: &FastForm) -> Option<FastForm> {
        match self.instructions {
            Instructions::Portable(portable) => compose(portable, self, x, y),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Instructions::Native(native) => compose(native, self, x, y),
        }
    }
}

impl LatticeContext {
    /// The context of the discriminant `-magnitude`, as [`Self::new`], with the instructions of a backend.
    pub(crate) fn for_backend(magnitude: &[u64; D_LIMBS], backend: Backend) -> Option<Self> {
        Self::new(magnitude, instructions_of(backend))
    }
}

fn instructions_of(backend: Backend) -> Instructions {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if let Some(token) = backend.native() {
        return Instructions::Native(NativeKernel { token, steps: steps_in_use(token) });
    }
    _ = backend;
    Instructions::Portable(Portable)
}

/// The kind of steps that squarings of this process are made of: `ordered`, or `compiled`.
///
/// # Errors
/// [`Error::StepsUnknown`] when the environment names another.
pub(crate) fn steps_name(backend: Backend) -> Result<&'static str, Error> {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        forced()?;
        if let Instructions::Native(kernel) = instructions_of(backend) {
            return Ok(kernel.steps.name());
        }
    }
    _ = backend;
    Ok("compiled")
}

// The kernel compiled for the instructions that every processor of the target has.

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
