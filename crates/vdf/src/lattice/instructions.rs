//! Which set of instructions a context uses.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::arithmetic::steps::Steps;
#[cfg(test)]
use crate::backend::Backend;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::backend::Native;

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
