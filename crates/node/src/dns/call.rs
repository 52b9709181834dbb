//! Calls of JS from threads of the server.

use crate::convert::{Code, Result};
use napi::Status;
use napi::bindgen_prelude::{Function, JsValuesTupleIntoVec};
use napi::threadsafe_function::{ThreadsafeFunction, UnknownReturnValue};

/// Calls that wait for the event loop at most; the server refuses queries beyond.
const QUEUE: usize = 512;

pub type Call<Args> = ThreadsafeFunction<Args, UnknownReturnValue, Args, Status, false, true, QUEUE>;

/// Calls JS from any thread. Its queue is bounded, it does not keep the event loop alive, and after the end of the
/// environment it refuses calls.
pub fn call<Args: JsValuesTupleIntoVec + 'static>(
    function: &Function<'_, Args, UnknownReturnValue>,
) -> Result<Call<Args>> {
    function
        .build_threadsafe_function()
        .weak::<true>()
        .max_queue_size::<QUEUE>()
        .build()
        .map_err(|error| napi::Error::new(Code::WorkerFailed, error.reason.clone()))
}
