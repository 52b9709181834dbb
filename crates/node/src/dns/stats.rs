//! What a DNS server tells of itself.

use crate::convert::number;
use chronym_dns::engine::{ANSWERS, CACHE, Stats, TRANSPORTS};
use chronym_dns::{Apex, KeyError};
use napi_derive::napi;
use std::collections::BTreeMap;

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
