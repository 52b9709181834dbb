//! Promises of replies that come later.

use crate::convert::{Code, number};
use chronym_dns::engine::{ANSWERS, CACHE, Later, Stats, TRANSPORTS};
use chronym_dns::{Apex, KeyError};
use napi::bindgen_prelude::{Object, Uint8Array};
use napi::{Env, JsDeferred, JsError};
use napi_derive::napi;
use std::collections::BTreeMap;

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
        napi::Error::new(Code::InvalidArgument, "this is not a DNS query".to_owned())
    }
}

/// Only a server that ends drops a query that waits.
fn rejection(env: Env) -> napi::Error {
    let error = JsError::from(unanswered(true)).into_unknown(env);
    napi::Error::from(error)
}

// What a DNS server tells of itself.

/// ECDSA P-256 with SHA-256 (RFC 6605).
const ALGORITHM: u32 = 13;

/// What validators need.
#[napi(object, object_from_js = false)]
pub struct DnsAnchor {
    /// The DS record.
    pub ds: String,
    /// The DNSKEY record.
    pub dnskey: String,
    /// The key's tag.
    pub key_tag: u32,
    /// The number of its algorithm.
    pub algorithm: u32,
}

/// Counts since the start.
#[napi(object, object_from_js = false)]
pub struct DnsStats {
    /// Registered names known.
    pub names: f64,
    /// Bytes of knowledge and of packed answers.
    pub cache_bytes: f64,
    /// Queries by transport.
    pub queries: BTreeMap<String, f64>,
    /// Answers by outcome.
    pub answers: BTreeMap<String, f64>,
    /// Uses of the cache.
    pub cache: BTreeMap<String, f64>,
    /// Queries that wait.
    pub waiting: f64,
    /// Open connections.
    pub connections: f64,
}

/// The anchor of a zone.
pub fn anchor(apex: &Apex, tld: &str) -> Result<DnsAnchor, KeyError> {
    let key = apex.key();
    Ok(DnsAnchor {
        ds: key.ds(tld)?,
        dnskey: key.dnskey(tld)?,
        key_tag: u32::from(key.key_tag()),
        algorithm: ALGORITHM,
    })
}

/// The counts as JS numbers.
pub fn stats(stats: &Stats, connections: usize) -> DnsStats {
    DnsStats {
        names: number(stats.names as u64),
        cache_bytes: number(stats.cache_bytes as u64),
        queries: named(TRANSPORTS, stats.queries),
        answers: named(ANSWERS, stats.answers),
        cache: named(CACHE, stats.cache),
        waiting: number(stats.waiting as u64),
        connections: number(connections as u64),
    }
}

fn named<const N: usize>(names: [&str; N], counts: [u64; N]) -> BTreeMap<String, f64> {
    names.iter().zip(counts).map(|(name, count)| ((*name).to_owned(), number(count))).collect()
}
