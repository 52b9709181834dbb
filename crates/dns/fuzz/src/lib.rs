//! What the fuzz targets check, one module each: `run` takes a fuzzer's bytes and panics where the server is wrong.
//! `tests/inputs.rs` runs the same on the inputs that fuzzing starts from, and on those that once failed.

pub mod query;
pub mod seeds;
mod shared;
pub mod zone;

/// A target by its name.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 2] = [("query", query::run), ("zone", zone::run)];
