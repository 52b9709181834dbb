//! Promises of replies that come later.

use crate::convert::Code;
use chronym_dns::engine::Later;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi::{Env, JsDeferred, JsError};

type Resolver = Box<dyn FnOnce(Env) -> napi::Result<Uint8Array> + Send>;

/// Settles a promise once: dropped without a reply, it rejects.
struct Pending(Option<JsDeferred<Uint8Array, Resolver>>);

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(deferred) = self.0.take() {
            deferred.resolve(Box::new(|env| Err(rejection(env))));
        }
    }
}

/// A promise, and what settles it from any thread.
pub fn promised(env: &Env) -> napi::Result<(Later, Object<'_>)> {
    let (deferred, promise) = env.create_deferred::<Uint8Array, Resolver>()?;
    let mut pending = Pending(Some(deferred));
    let later = Box::new(move |reply: &[u8]| {
        let reply = reply.to_vec();
        if let Some(deferred) = pending.0.take() {
            deferred.resolve(Box::new(|_| Ok(Uint8Array::from(reply))));
        }
    });
    Ok((later, promise))
}

/// The error of a message that gets no reply.
pub fn unanswered(closed: bool) -> napi::Error<Code> {
    if closed {
        napi::Error::new(Code::ServerClosed, "the DNS server is closed".to_owned())
    } else {
        napi::Error::new(Code::InvalidArgument, "this is no DNS query".to_owned())
    }
}

/// Only a server that ends drops a query that waits.
fn rejection(env: Env) -> napi::Error {
    let error = JsError::from(unanswered(true)).into_unknown(env);
    napi::Error::from(error)
}
