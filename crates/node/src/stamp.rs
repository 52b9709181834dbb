//! Stamp search.

use crate::convert::{Result, StopWord, count, invalid, number};
use chronym_beacon::stamp::{self, Outcome};
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

/// How a slice of the search ended: with a nonce, or (`nonce` undefined) to go on from `next`.
#[napi(object)]
pub struct StampSlice {
    /// 8 bytes, big-endian.
    pub nonce: Option<Uint8Array>,
    /// First nonce not tried yet.
    pub next: f64,
}

/// Tries `attempts` nonces from `start` on; ends early, with `next` = `start`, when the stop word is set.
#[napi(catch_unwind)]
pub fn search_stamp(
    prefix: &[u8],
    bits: u32,
    start: f64,
    attempts: f64,
    stop: StopWord,
) -> Result<StampSlice> {
    if bits > 256 {
        return Err(invalid("a hash has 256 bits"));
    }
    let first = count(start, "start")?;
    let attempts = count(attempts, "attempts")?;
    Ok(
        match stamp::search(prefix, bits, first, attempts, stop.get()) {
            Outcome::Found(nonce) => StampSlice {
                nonce: Some(nonce.to_be_bytes().to_vec().into()),
                next: start,
            },
            Outcome::Continue(next) => StampSlice {
                nonce: None,
                next: number(next),
            },
            Outcome::Stopped => StampSlice {
                nonce: None,
                next: start,
            },
        },
    )
}
