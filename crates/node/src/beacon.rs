//! Pulse verification.

use crate::convert::{Result, StopWord, count, invalid, number};
use chronym_beacon::stamp::Outcome;
use chronym_beacon::{PublicKey, stamp};
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

// Stamp search.

/// How a slice of the search ended: with a nonce, or (`nonce` undefined) to go on from `next`.
#[napi(object)]
pub struct StampSlice {
    /// Hashed as 8 bytes, big-endian.
    pub nonce: Option<f64>,
    /// First nonce not tried yet.
    pub next: f64,
}

/// Tries `attempts` nonces from `start` on; ends early, with `next` = `start`, when the stop word is set.
#[napi(catch_unwind)]
pub fn search_stamp(prefix: &[u8], bits: u32, start: f64, attempts: f64, stop: StopWord) -> Result<StampSlice> {
    if bits > 256 {
        return Err(invalid("a hash has 256 bits"));
    }
    let first = count(start, "start")?;
    let attempts = count(attempts, "attempts")?;
    let (nonce, next) = match stamp::search(prefix, bits, first, attempts, stop.get()) {
        Outcome::Found(nonce) => (Some(number(nonce)), number(nonce)),
        Outcome::Continue(next) => (None, number(next)),
        Outcome::Stopped => (None, start),
    };
    Ok(StampSlice { nonce, next })
}
