//! Which set of instructions a context uses.

#[cfg(target_arch = "x86_64")]
use super::arithmetic::steps::{Steps, steps_in_use};
use crate::backend::Backend;
#[cfg(target_arch = "x86_64")]
use crate::backend::Bmi2;
use crate::error::Error;

/// The instructions every processor of the target has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Portable;

/// BMI2, and the kind of steps to make with it.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bmi2Kernel {
    pub(super) token: Bmi2,
    pub(super) steps: Steps,
}

#[cfg(target_arch = "x86_64")]
impl Bmi2Kernel {
    /// With the steps that are faster on this processor.
    pub(super) fn new(token: Bmi2) -> Self {
        Self { token, steps: steps_in_use(token) }
    }

    /// With either kind of steps.
    #[cfg(test)]
    pub(super) fn both(token: Bmi2) -> [Self; 2] {
        [Steps::Compiled, Steps::Ordered(token)].map(|steps| Self { token, steps })
    }
}

/// The set that a context uses.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Instructions {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Bmi2(Bmi2Kernel),
}

impl From<Backend> for Instructions {
    fn from(backend: Backend) -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(bmi2) = backend.bmi2() {
            return Self::Bmi2(Bmi2Kernel::new(bmi2));
        }
        _ = backend;
        Self::Portable(Portable)
    }
}

#[cfg(test)]
impl Instructions {
    /// What a backend may use: with both kinds of steps where there are two.
    pub(super) fn of(backend: Backend) -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        if let Some(bmi2) = backend.bmi2() {
            return Bmi2Kernel::both(bmi2).map(Self::Bmi2).into();
        }
        vec![backend.into()]
    }
}

/// The kind of steps that squarings of this process are made of: `ordered`, or `compiled`.
///
/// # Errors
/// [`Error::StepsUnknown`] when the environment names another.
pub(crate) fn steps_name(backend: Backend) -> Result<&'static str, Error> {
    #[cfg(target_arch = "x86_64")]
    {
        super::arithmetic::steps::forced()?;
        if let Instructions::Bmi2(kernel) = backend.into() {
            return Ok(kernel.steps.name());
        }
    }
    _ = backend;
    Ok("compiled")
}
