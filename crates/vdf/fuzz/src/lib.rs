//! What the fuzz targets check, one module each: `run` takes a fuzzer's bytes and panics where the kernel is wrong.
//! `tests/inputs.rs` runs the same on the inputs that fuzzing starts from, and on those that once failed.

#![allow(clippy::many_single_char_names, reason = "the papers' symbols")]

pub mod checkpoint;
pub mod decode;
pub mod discriminant;
mod edits;
mod input;
pub mod operations;
mod oracle;
mod prime;
pub mod pulse;
pub mod seeds;
pub mod verify;

/// A target by its name.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 6] = [
    ("checkpoint", checkpoint::run),
    ("decode", decode::run),
    ("discriminant", discriminant::run),
    ("operations", operations::run),
    ("pulse", pulse::run),
    ("verify", verify::run),
];
