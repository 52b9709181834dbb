//! Answers that can be kept.

use std::sync::Arc;

/// An extended error (RFC 8914).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtendedError {
    /// Its code.
    pub code: u16,
    /// Its text; the first 200 bytes are sent.
    pub text: Arc<str>,
}

/// An answer that [`crate::finish`] makes replies from, to each query with the same name, type, class and DO bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// A message without OPT record: ID 0; AD, RD, CD and RA clear; the question in lower case.
    pub message: Vec<u8>,
    /// Where TTLs are that count down.
    pub ttls: Vec<u16>,
    /// All of it is vouched for by the zone: AD may be set.
    pub secure: bool,
    /// What is to be known besides the records; at most two.
    pub ede: Vec<ExtendedError>,
    /// Seconds for which it may be finished again: signatures end. 0: only for this query.
    pub lifetime: u32,
    /// Registered names whose knowledge it rests on, in wire form. It must be dropped when one changes, comes, goes or
    /// turns stale.
    pub depends_on: Vec<Vec<u8>>,
}
