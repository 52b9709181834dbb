//! What a node checks of the randomness beacon, and the work it adds to a commitment.
//!
//! - [`PublicKey`]: verification of pulses of drand's scheme `bls-unchained-g1-rfc9380` (signatures on G1, keys on G2),
//!   with encodings taken strictly: one pulse has one byte string.
//! - [`stamp`]: the search for a nonce whose hash begins with zero bits.

mod pulse;
pub mod stamp;

pub use pulse::{KEY_BYTES, KeyError, PublicKey, PulseError, SIGNATURE_BYTES, message, randomness};
