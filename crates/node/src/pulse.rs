//! Pulse verification.

use crate::convert::{Result, count, invalid};
use chronym_beacon::PublicKey;
use napi_derive::napi;

/// A chain's key, decoded once for many pulses.
#[napi]
pub struct ChainKey(PublicKey);

#[napi]
impl ChainKey {
    /// Takes 96 bytes, compressed. Throws `INVALID_ARGUMENT` unless they encode a proper key.
    #[napi(constructor, catch_unwind)]
    pub fn new(bytes: &[u8]) -> Result<Self> {
        PublicKey::from_bytes(bytes).map(Self).map_err(invalid)
    }

    /// Whether `signature` (48 bytes, anything else is false) is this chain's on `round`.
    #[napi(catch_unwind)]
    pub fn verify(&self, round: f64, signature: &[u8]) -> Result<bool> {
        Ok(self.0.verify(count(round, "round")?, signature).is_ok())
    }
}
