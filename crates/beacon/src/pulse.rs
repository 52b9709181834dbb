//! BLS signatures on pulses, "minimal-signature-size" variant (draft-irtf-cfrg-bls-signature-05, 2.1).

use bls12_381::hash_to_curve::{ExpandMsgXmd, HashToCurve};
use bls12_381::{G1Affine, G1Projective, G2Affine, G2Prepared, Gt, multi_miller_loop};
use core::fmt;
use sha2::{Digest, Sha256};

/// Length of a compressed signature, a point of G1.
pub const SIGNATURE_BYTES: usize = 48;
/// Length of a compressed chain key, a point of G2.
pub const KEY_BYTES: usize = 96;

/// Domain separation tag of drand's scheme `bls-unchained-g1-rfc9380` (drand `crypto/schemes.go`).
const DST: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

/// Why a chain key is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyError {
    /// Not [`KEY_BYTES`] long.
    Length,
    /// Not the one compressed encoding of a point of G2's prime-order subgroup, or infinity.
    Encoding,
}

/// Why a pulse is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PulseError {
    /// The signature is not [`SIGNATURE_BYTES`] long.
    Length,
    /// Not the one compressed encoding of a point of G1's prime-order subgroup, or infinity.
    Encoding,
    /// A proper point, but not this chain's signature on this round.
    Signature,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "a chain key has 96 bytes",
            Self::Encoding => "the chain key is not a point of G2 in canonical compressed form",
        })
    }
}

impl fmt::Display for PulseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "a pulse's signature has 48 bytes",
            Self::Encoding => "the pulse's signature is not a point of G1 in canonical compressed form",
            Self::Signature => "the signature is not this chain's for this round",
        })
    }
}

impl core::error::Error for KeyError {}
impl core::error::Error for PulseError {}

/// A chain's key, decoded and prepared for pairings (about a quarter of a verification's work, hence kept).
#[derive(Debug, Clone)]
pub struct PublicKey {
    prepared: G2Prepared,
    negated_generator: G2Prepared,
}

impl PublicKey {
    /// Decodes 96 compressed bytes.
    ///
    /// # Errors
    /// [`KeyError`] unless the bytes are the canonical encoding of a point other than infinity in the subgroup.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KeyError> {
        let bytes: &[u8; KEY_BYTES] = bytes.try_into().map_err(|_| KeyError::Length)?;
        let point = Option::<G2Affine>::from(G2Affine::from_compressed(bytes)).ok_or(KeyError::Encoding)?;
        if bool::from(point.is_identity()) || point.to_compressed() != *bytes {
            return Err(KeyError::Encoding);
        }
        Ok(Self { prepared: G2Prepared::from(point), negated_generator: G2Prepared::from(-G2Affine::generator()) })
    }

    /// Whether `signature` is this chain's on `round`: e(signature, g2) = e(H(message), key).
    ///
    /// # Errors
    /// [`PulseError`], telling malformed bytes from a signature that does not match.
    pub fn verify(&self, round: u64, signature: &[u8]) -> Result<(), PulseError> {
        let signature = decode_signature(signature)?;
        let hashed =
            G1Affine::from(<G1Projective as HashToCurve<ExpandMsgXmd<Sha256>>>::hash_to_curve(message(round), DST));
        let product = multi_miller_loop(&[(&signature, &self.negated_generator), (&hashed, &self.prepared)])
            .final_exponentiation();
        if product == Gt::identity() { Ok(()) } else { Err(PulseError::Signature) }
    }
}

/// x below the field order, on the curve, in the subgroup (all by `from_compressed`), not infinity, re-encodes equal.
fn decode_signature(bytes: &[u8]) -> Result<G1Affine, PulseError> {
    let bytes: &[u8; SIGNATURE_BYTES] = bytes.try_into().map_err(|_| PulseError::Length)?;
    let point = Option::<G1Affine>::from(G1Affine::from_compressed(bytes)).ok_or(PulseError::Encoding)?;
    if bool::from(point.is_identity()) || point.to_compressed() != *bytes {
        return Err(PulseError::Encoding);
    }
    Ok(point)
}

/// What an unchained beacon signs: SHA-256 of the round as u64, big-endian.
#[must_use]
pub fn message(round: u64) -> [u8; 32] {
    Sha256::digest(&round.to_be_bytes()).into()
}

/// A pulse's randomness: SHA-256 of its signature.
#[must_use]
pub fn randomness(signature: &[u8]) -> [u8; 32] {
    Sha256::digest(signature).into()
}
