//! Discriminants: `D = -p` for a prime `p = 7 mod 8`.

use crate::backend::Backend;
use crate::error::Error;
use crate::hash_prime::hash_prime;
use crate::lattice::LatticeContext;
use crate::prime::{for_search, is_prime};
use crate::sizes::D_LIMBS;
use crate::uint::Uint;
use core::ops::RangeInclusive;

/// Largest discriminant, in bits.
const MAX_BITS: usize = 64 * D_LIMBS;

/// Accepted lengths of a seed. The counter of one byte has too few values: chiavdf never ends there. A test shows that
/// two bytes lead to a prime of every size.
const SEED_BYTES: RangeInclusive<usize> = 2..=64;

/// A negative prime discriminant, 1 modulo 8, of 8 to 1024 bits; with it the class group is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Discriminant {
    /// |D|
    pub(crate) magnitude: Uint<D_LIMBS>,
    bits: usize,
    /// What the fast kernel knows of it, for the sizes it takes.
    pub(crate) lattice: Option<LatticeContext>,
}

impl Discriminant {
    /// Derives the discriminant of `bits` bits from a seed of 2 to 64 bytes, as chiavdf does.
    ///
    /// Takes a few milliseconds for 1024 bits: keep the result.
    ///
    /// # Errors
    /// [`Error::SeedLength`], or [`Error::DiscriminantSize`] unless `bits` is a multiple of 8 from 8 to 1024; errors of
    /// [`Backend::in_use`].
    pub fn from_seed(seed: &[u8], bits: usize) -> Result<Self, Error> {
        if !SEED_BYTES.contains(&seed.len()) {
            return Err(Error::SeedLength(seed.len()));
        }
        check_size(bits)?;
        let backend = Backend::in_use()?;
        Ok(Self::new(hash_prime(for_search(backend), seed, bits, &[0, 1, 2, bits - 1]), bits, backend))
    }

    /// Reads |D|, big-endian without leading zeros, and checks it: size, residue and primality.
    ///
    /// # Errors
    /// [`Error::DiscriminantSize`], [`Error::DiscriminantResidue`] or [`Error::DiscriminantNotPrime`]; errors of
    /// [`Backend::in_use`].
    pub fn from_be_bytes(magnitude: &[u8]) -> Result<Self, Error> {
        let bits = magnitude.len().saturating_mul(8);
        check_size(bits)?;
        let magnitude = Uint::from_be_bytes(magnitude);
        if magnitude.bit_length() != bits {
            return Err(Error::DiscriminantSize(magnitude.bit_length()));
        }
        if magnitude.0[0] & 7 != 7 {
            return Err(Error::DiscriminantResidue);
        }
        let backend = Backend::in_use()?;
        if !is_prime(&magnitude, backend) {
            return Err(Error::DiscriminantNotPrime);
        }
        Ok(Self::new(magnitude, bits, backend))
    }

    /// Unchecked.
    pub(crate) fn new(magnitude: Uint<D_LIMBS>, bits: usize, backend: Backend) -> Self {
        Self { lattice: LatticeContext::for_backend(&magnitude.0, backend), magnitude, bits }
    }

    /// The same discriminant, whose forms are squared and composed by `backend` from now on. For comparisons.
    #[must_use]
    pub fn with_backend(self, backend: Backend) -> Self {
        Self::new(self.magnitude, self.bits, backend)
    }

    /// |D|, big-endian, `bits() / 8` bytes.
    #[must_use]
    pub fn to_be_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.bits / 8];
        self.magnitude.write_be(&mut bytes);
        bytes
    }

    /// Bits of |D|, a multiple of 8.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.bits
    }
}

/// Refuses sizes that no discriminant here has.
pub(crate) fn check_size(bits: usize) -> Result<(), Error> {
    if bits == 0 || bits > MAX_BITS || !bits.is_multiple_of(8) {
        return Err(Error::DiscriminantSize(bits));
    }
    Ok(())
}
