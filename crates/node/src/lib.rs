//! The Node-API face of the kernel, the beacon, the DNS server, the service manager and directory locks: convert, call,
//! convert.
//!
//! No arithmetic and no loop belongs here. Errors become JS errors whose `code` is one of [`convert::Code`];
//! a panic below becomes a JS error too, never the end of the process.

#![allow(clippy::needless_pass_by_value, reason = "Node-API hands over owned values")]
#![cfg_attr(test, allow(dead_code, reason = "napi registers exports only in builds that are not tests"))]

mod beacon;
mod convert;
mod directory_lock;
mod dns;
mod evaluation;
mod notify;
mod thread;
mod verification;

use napi_derive::napi;

/// The version this addon was built as; the importer refuses one that is not the package's.
#[napi]
#[must_use]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// What compiled this addon, as `rustc --version` says it.
#[napi]
#[must_use]
pub fn compiler() -> &'static str {
    env!("COMPILER")
}

/// The instructions that the kernel uses: the fastest of this processor, or those that `CHRONYM_VDF_BACKEND` names.
///
/// # Errors
/// `INVALID_ARGUMENT` when the variable names none that this processor has.
#[napi(catch_unwind)]
pub fn backend() -> convert::Result<&'static str> {
    chronym_vdf::backend_name().map_err(convert::refused)
}

/// The kind of steps that squarings are made of, `compiled` or `ordered`: the faster one here, measured once, or that
/// which `CHRONYM_VDF_STEPS` names.
///
/// # Errors
/// `INVALID_ARGUMENT` when a variable names none.
#[napi(catch_unwind)]
pub fn steps() -> convert::Result<&'static str> {
    chronym_vdf::steps_name().map_err(convert::refused)
}
