//! The way in: each operation by the code that is compiled for the context's instructions.

use super::compose::compose;
use super::instructions::Instructions;
use super::kernel::Kernel;
use super::{FastForm, LatticeContext};

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
