//! Four steps at a time, as compiled or in an order of their own.

use super::state::State;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::backend::Native;

/// How steps are made. The result is the same.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::lattice) enum Steps {
    /// As the compiler orders them.
    Compiled,
    /// In `ordered`'s order.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Ordered(Native),
}

impl Steps {
    /// Four steps.
    #[inline(always)]
    pub(super) fn four(self, state: State) -> State {
        match self {
            Self::Compiled => state.step().step().step().step(),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Self::Ordered(token) => super::ordered::four(state, token),
        }
    }
}
