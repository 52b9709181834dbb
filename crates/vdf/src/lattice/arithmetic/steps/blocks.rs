//! Four steps at a time, as compiled or in an order of their own.

use super::state::State;
#[cfg(target_arch = "x86_64")]
use crate::backend::Bmi2;

/// How steps are made. The result is the same.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::lattice) enum Steps {
    /// As the compiler orders them.
    Compiled,
    /// In `ordered`'s order.
    #[cfg(target_arch = "x86_64")]
    Ordered(Bmi2),
}

impl Steps {
    /// Four steps.
    #[inline(always)]
    pub(super) fn four(self, state: State) -> State {
        match self {
            Self::Compiled => state.step().step().step().step(),
            // SAFETY: the token proves that the processor has the instructions.
            #[cfg(target_arch = "x86_64")]
            Self::Ordered(_) => unsafe { super::ordered::four(state) },
        }
    }
}
