//! What the fuzz targets check, one module each: `run` takes a fuzzer's bytes and panics where the kernel is wrong.
//! `tests/corpus.rs` runs the same on every input that is kept.

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
pub mod verify;

/// A target by its name, that of its corpus too.
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
