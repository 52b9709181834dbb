//! What the fuzz targets check, one module each: `run` takes a fuzzer's bytes and panics where the proxy is wrong.
//! `tests/inputs.rs` runs the same on the inputs that fuzzing starts from, and on those that once failed.

pub mod certificate;
pub mod head;
pub mod seeds;

/// A target by its name.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 2] = [("certificate", certificate::run), ("head", head::run)];
