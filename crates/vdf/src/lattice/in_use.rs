//! What this process uses: the instructions of its backend, with the kind of steps that is chosen.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::choice::{forced, steps_in_use};
use super::context::LatticeContext;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::instructions::NativeKernel;
use super::instructions::{Instructions, Portable};
use crate::backend::Backend;
use crate::error::Error;
use crate::sizes::D_LIMBS;

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
