//! Stamp search.

use crate::convert::{Result, StopWord, count, invalid, number};
use chronym_beacon::stamp::{self, Outcome};
use napi_derive::napi;

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
