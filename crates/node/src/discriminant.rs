//! Discriminants.

use crate::convert::{Result, bytes, refused};
use napi::Env;
use napi::bindgen_prelude::Uint8ArraySlice;
use napi_derive::napi;

/// The class group that a proof lives in.
#[napi]
pub struct Discriminant(chronym_vdf::Discriminant);

#[napi]
impl Discriminant {
    /// Derives the discriminant of `bits` bits from a seed; throws `INVALID_ARGUMENT` for sizes that have none.
    #[napi(factory, catch_unwind)]
    pub fn from_seed(seed: &[u8], bits: u32) -> Result<Self> {
        chronym_vdf::Discriminant::from_seed(seed, bits as usize).map(Self).map_err(refused)
    }

    /// Reads |D|, big-endian; throws `INVALID_ARGUMENT` unless it is a prime of the right kind.
    #[napi(factory, catch_unwind)]
    pub fn from_bytes(magnitude: &[u8]) -> Result<Self> {
        chronym_vdf::Discriminant::from_be_bytes(magnitude).map(Self).map_err(refused)
    }

    /// |D|, big-endian, bits / 8 bytes.
    #[napi(catch_unwind)]
    pub fn bytes<'env>(&self, env: &'env Env) -> Result<Uint8ArraySlice<'env>> {
        bytes(env, &self.0.to_be_bytes())
    }
}

impl Discriminant {
    pub(crate) fn get(&self) -> &chronym_vdf::Discriminant {
        &self.0
    }
}
