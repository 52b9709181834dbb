//! Which set of instructions a context uses.

use crate::backend::Backend;

/// The instructions every processor of the target has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Portable;

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
