//! What JS values become on their way in, and errors on their way out.

use core::ptr;
use core::sync::atomic::AtomicU32;
use napi::bindgen_prelude::{FromNapiValue, TypeName, Uint8ArraySlice, ValidateNapiValue};
use napi::{Env, Status, ValueType, sys};

/// The closed set of codes an error from here can carry (src/native/types.ts has the same).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// An argument has the wrong size or is out of range.
    InvalidArgument,
    /// A checkpoint is damaged, or of another evaluation.
    InvalidCheckpoint,
    /// The kernel refused its own result: faulty hardware, or a bug.
    KernelFault,
    /// Node refused a call, usually because memory ran out.
    WorkerFailed,
    /// An address of the DNS server cannot be listened on, or the system refused it threads.
    ListenFailed,
    /// The DNS server was closed.
    ServerClosed,
    /// The service manager's socket did not take a message.
    NotifyFailed,
}

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        match self {
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::InvalidCheckpoint => "INVALID_CHECKPOINT",
            Self::KernelFault => "KERNEL_FAULT",
            Self::WorkerFailed => "WORKER_FAILED",
            Self::ListenFailed => "LISTEN_FAILED",
            Self::ServerClosed => "SERVER_CLOSED",
            Self::NotifyFailed => "NOTIFY_FAILED",
        }
    }
}

/// What every fallible function here returns.
pub type Result<T> = core::result::Result<T, napi::Error<Code>>;

/// An error for an argument that `reason` describes.
pub fn invalid(reason: impl ToString) -> napi::Error<Code> {
    napi::Error::new(Code::InvalidArgument, reason.to_string())
}

/// The code of a kernel's error. Verdicts on proofs are not errors here, and don't come this way.
pub fn refused(error: chronym_vdf::Error) -> napi::Error<Code> {
    use chronym_vdf::Error;
    let code = match error {
        Error::CheckpointState | Error::CheckpointIntermediates => Code::InvalidCheckpoint,
        _ => Code::InvalidArgument,
    };
    napi::Error::new(code, error.to_string())
}

/// Bytes in the JS engine's own memory. napi usually lends Rust's memory, released by a callback on an event loop,
/// which does not turn during an evaluation.
pub fn bytes<'env>(env: &'env Env, data: &[u8]) -> Result<Uint8ArraySlice<'env>> {
    Uint8ArraySlice::copy_from(env, data).map_err(|error| napi::Error::new(Code::WorkerFailed, error.reason.clone()))
}

/// Largest safe integer of a JS number: 2^53 - 1.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// A JS number as a count: whole, from 0 to 2^53 - 1.
pub fn count(value: f64, what: &str) -> Result<u64> {
    if value.fract() != 0.0 || !(0.0..=MAX_SAFE_INTEGER).contains(&value) {
        return Err(invalid(format_args!("{what} must be a whole number from 0 to 2^53 - 1, not {value}")));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and in range by the check above"
    )]
    Ok(value as u64)
}

/// A count as a JS number. Counts here began as one, so they are exact.
#[expect(clippy::cast_precision_loss, reason = "counts are at most 2^53 - 1, see above")]
pub fn number(count: u64) -> f64 {
    count as f64
}

/// The first element of a `Uint32Array`, possibly on shared memory: other threads may write it during the call.
pub struct StopWord(*const AtomicU32);

impl StopWord {
    /// The word, for the length of the call it was passed to.
    pub fn get(&self) -> &AtomicU32 {
        // SAFETY: `from_napi_value` took the pointer from a typed array of at least one u32, which is aligned. The
        // caller's argument keeps it alive during this call. It is only ever accessed atomically, here and by `Atomics`
        // in JS.
        unsafe { &*self.0 }
    }
}

impl TypeName for StopWord {
    fn type_name() -> &'static str {
        "Uint32Array"
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl ValidateNapiValue for StopWord {}

impl FromNapiValue for StopWord {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        let mut kind = 0;
        let mut length = 0;
        let mut data = ptr::null_mut();
        // SAFETY: `env` and `value` are those of the running call; the out-pointers are ours, null where not wanted.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                env,
                value,
                &raw mut kind,
                &raw mut length,
                &raw mut data,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        if status != sys::Status::napi_ok || kind != sys::TypedarrayType::uint32_array || length == 0 {
            return Err(napi::Error::new(
                Status::InvalidArg,
                "the stop word must be a Uint32Array with an element".to_owned(),
            ));
        }
        Ok(Self(data.cast_const().cast()))
    }
}
