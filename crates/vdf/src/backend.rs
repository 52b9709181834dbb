//! The instructions that the crate uses beyond the target's baseline: detected once, or forced.
//!
//! The sets form a ladder: each contains those below it. Code for special instructions asks [`Backend::in_use`] for the
//! token of its set. A token proves that its instructions may be used, and only this file makes them.

use crate::error::Error;
use crate::instruction_set::{BACKEND_VARIABLE, InstructionSet as Set};
use std::env;
use std::sync::OnceLock;

/// A set of instructions that this processor has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backend(Set);

impl Backend {
    /// Every backend this processor has, the fastest first; the last is `portable`.
    #[must_use]
    pub fn available() -> Vec<Self> {
        Set::available().map(Self).collect()
    }

    /// The backend of this process: the fastest, or the one that [`BACKEND_VARIABLE`] names.
    ///
    /// # Errors
    /// [`Error::BackendUnknown`] or [`Error::BackendUnavailable`], for as long as the process runs.
    pub fn in_use() -> Result<Self, Error> {
        static CHOICE: OnceLock<Result<Backend, Error>> = OnceLock::new();
        *CHOICE.get_or_init(|| match env::var_os(BACKEND_VARIABLE) {
            None => Ok(Self(Set::detect())),
            Some(name) => Self::named(name.to_str().unwrap_or_default()),
        })
    }

    /// The same, and `portable` where the choice was an error: the caller has no discriminant, whose constructor
    /// reports the error.
    pub(crate) fn in_use_or_portable() -> Self {
        Self::in_use().unwrap_or(Self(Set::Portable))
    }

    /// Whether the environment names the backend of this process.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub(crate) fn is_forced() -> bool {
        env::var_os(BACKEND_VARIABLE).is_some()
    }

    fn named(name: &str) -> Result<Self, Error> {
        let set = Set::ALL.into_iter().find(|set| set.name() == name).ok_or(Error::BackendUnknown)?;
        let backend = Self(set);
        if Self::available().contains(&backend) { Ok(backend) } else { Err(Error::BackendUnavailable(set.name())) }
    }

    /// How users know it: `portable`, `aarch64`, `aarch64-neon`, `x86-64-bmi2`, `x86-64-adx`, `x86-64-avx2` or
    /// `x86-64-ifma`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

/// The processor has BMI1, BMI2 and LZCNT.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Bmi2(());

/// The target is aarch64.
#[cfg(target_arch = "aarch64")]
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Aarch64(());

/// What the kernel is compiled for beyond the portable code.
#[cfg(target_arch = "x86_64")]
pub(crate) type Native = Bmi2;
#[cfg(target_arch = "aarch64")]
pub(crate) type Native = Aarch64;

/// The processor has BMI2 and ADX.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Adx(());

/// The processor has AVX2 and FMA (and BMI2 and ADX), or NEON.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct FourLanes(());

/// The processor has AVX-512 F, DQ, VL and IFMA (and BMI2, ADX and AVX2).
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Ifma(());

#[cfg(target_arch = "x86_64")]
impl Backend {
    pub(crate) fn native(self) -> Option<Native> {
        (self.0 >= Set::Bmi2).then_some(Bmi2(()))
    }

    pub(crate) fn adx(self) -> Option<Adx> {
        (self.0 >= Set::Adx).then_some(Adx(()))
    }

    /// None where there are eight.
    pub(crate) fn four_lanes(self) -> Option<FourLanes> {
        (self.0 == Set::Avx2).then_some(FourLanes(()))
    }

    pub(crate) fn ifma(self) -> Option<Ifma> {
        (self.0 >= Set::Ifma).then_some(Ifma(()))
    }

    /// The same without instructions that test several numbers at once.
    pub(crate) fn one_by_one(self) -> Self {
        Self(self.0.min(Set::Adx))
    }
}

#[cfg(target_arch = "aarch64")]
impl Backend {
    pub(crate) fn native(self) -> Option<Native> {
        (self.0 >= Set::Aarch64).then_some(Aarch64(()))
    }

    pub(crate) fn four_lanes(self) -> Option<FourLanes> {
        (self.0 >= Set::Neon).then_some(FourLanes(()))
    }

    /// The same without instructions that test several numbers at once.
    pub(crate) fn one_by_one(self) -> Self {
        Self(self.0.min(Set::Aarch64))
    }
}

/// The name of the backend of this process.
///
/// # Errors
/// As [`Backend::in_use`].
pub fn backend_name() -> Result<&'static str, Error> {
    Backend::in_use().map(Backend::name)
}

#[cfg(test)]
mod tests {
    use super::{Backend, Set};
    use crate::error::Error;

    #[test]
    fn every_available_backend_can_be_named_and_portable_is_the_last() {
        let available = Backend::available();
        for &backend in &available {
            assert_eq!(Backend::named(backend.name()), Ok(backend));
        }
        assert_eq!(available.last(), Some(&Backend(Set::Portable)));
    }

    #[test]
    fn unknown_and_unavailable_backends_are_errors_that_name_the_available_ones() {
        for unknown in ["", "X86-64-BMI2", "avx512", "portable "] {
            assert_eq!(Backend::named(unknown), Err(Error::BackendUnknown), "{unknown}");
        }
        let foreign = if cfg!(target_arch = "aarch64") { Set::Bmi2 } else { Set::Aarch64 };
        let error = Backend::named(foreign.name()).unwrap_err();
        assert_eq!(error, Error::BackendUnavailable(foreign.name()));
        for backend in Backend::available() {
            assert!(
                error.to_string().contains(backend.name())
                    && Error::BackendUnknown.to_string().contains(backend.name())
            );
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn portable_gives_no_tokens_and_each_set_those_of_the_sets_below_but_for_fewer_lanes() {
        let tokens = |set| {
            let backend = Backend(set);
            [
                backend.native().is_some(),
                backend.adx().is_some(),
                backend.four_lanes().is_some(),
                backend.ifma().is_some(),
            ]
        };
        assert_eq!(tokens(Set::Portable), [false, false, false, false]);
        assert_eq!(tokens(Set::Bmi2), [true, false, false, false]);
        assert_eq!(tokens(Set::Adx), [true, true, false, false]);
        assert_eq!(tokens(Set::Avx2), [true, true, true, false]);
        assert_eq!(tokens(Set::Ifma), [true, true, false, true]);
    }
}
