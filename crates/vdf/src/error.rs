//! What can go wrong.

use crate::instruction_set::{BACKEND_VARIABLE, InstructionSet, STEPS_VARIABLE};
use core::fmt;

/// Why an input was refused. Nothing that this crate reads from outside makes it panic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// [`BACKEND_VARIABLE`] names no backend.
    BackendUnknown,
    /// [`BACKEND_VARIABLE`] names a backend that this processor doesn't have.
    BackendUnavailable(&'static str),
    /// [`STEPS_VARIABLE`] is neither `compiled` nor `ordered`.
    StepsUnknown,
    /// A seed isn't 2 to 64 bytes long.
    SeedLength(usize),
    /// A discriminant's size isn't a multiple of 8 bits from 8 to 1024.
    DiscriminantSize(usize),
    /// A discriminant's magnitude isn't 7 modulo 8.
    DiscriminantResidue,
    /// A discriminant's magnitude isn't prime.
    DiscriminantNotPrime,
    /// A form isn't 100 bytes long.
    FormLength(usize),
    /// Bytes that no reduced form of this discriminant is encoded as.
    FormEncoding,
    /// A split isn't between the first and the last squaring.
    Split,
    /// A proof's length doesn't belong to its depth.
    ProofLength(usize),
    /// The segments of a proof have more squarings than the whole.
    SegmentLengths,
    /// A segment's prime isn't the one derived from its ends.
    SegmentPrime,
    /// The proof's equation doesn't hold.
    ProofInvalid,
    /// A checkpoint's state is cut short, altered or of another version.
    CheckpointState,
    /// A checkpoint's intermediate forms are too few, or not the ones that belong to its state.
    CheckpointIntermediates,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BackendUnknown => {
                write!(f, "{BACKEND_VARIABLE} names no backend; this processor has {}", available_backends())
            }
            Self::BackendUnavailable(name) => {
                let available = available_backends();
                write!(f, "{BACKEND_VARIABLE} forces the backend {name}, but this processor has {available}")
            }
            Self::StepsUnknown => write!(f, "{STEPS_VARIABLE} is neither `compiled` nor `ordered`"),
            Self::SeedLength(length) => write!(f, "a seed has 2 to 64 bytes, not {length}"),
            Self::DiscriminantSize(bits) => {
                write!(
                    f,
                    "a discriminant has 8 to 1024 bits, a multiple of 8, and no leading zero byte; this one has {bits}"
                )
            }
            Self::DiscriminantResidue => f.write_str("the discriminant's magnitude is not 7 modulo 8"),
            Self::DiscriminantNotPrime => f.write_str("the discriminant's magnitude is not prime"),
            Self::FormLength(length) => write!(f, "a form has 100 bytes, not {length}"),
            Self::FormEncoding => f.write_str("these bytes do not encode a reduced form of this discriminant"),
            Self::Split => f.write_str("the split must leave at least one squaring on either side"),
            Self::ProofLength(length) => {
                write!(f, "a proof of this depth does not have {length} bytes")
            }
            Self::SegmentLengths => f.write_str("the proof's segments have more squarings than the whole"),
            Self::SegmentPrime => f.write_str("a segment's prime is not the one derived from its ends"),
            Self::ProofInvalid => f.write_str("the proof does not hold"),
            Self::CheckpointState => f.write_str("the checkpoint's state is cut short, altered or of another version"),
            Self::CheckpointIntermediates => {
                f.write_str("the checkpoint's intermediate forms are too few, or do not belong to its state")
            }
        }
    }
}

fn available_backends() -> String {
    InstructionSet::available().map(InstructionSet::name).collect::<Vec<_>>().join(", ")
}

impl core::error::Error for Error {}
