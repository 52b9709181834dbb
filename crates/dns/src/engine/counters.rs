//! Counts by transport and outcome.

use super::asker::Transport;
use std::sync::atomic::{AtomicU64, Ordering};

/// Names of the counts of queries, in the order of [`Transport`].
pub const TRANSPORTS: [&str; 4] = ["udp", "tcp", "tls", "https"];

/// Names of the counts of answers, in the order of [`Outcome`].
pub const ANSWERS: [&str; 12] = [
    "noerror",
    "nxdomain",
    "nodata",
    "servfail",
    "refused",
    "formerr",
    "notimp",
    "badvers",
    "dropped",
    "truncated",
    "limited",
    "forwarded",
];

/// Names of the counts of the cache, in the order of [`Use`].
pub const CACHE: [&str; 6] = ["hit", "miss", "stale", "prefetch", "packed", "composed"];

/// What became of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    NoError,
    NxDomain,
    NoData,
    ServFail,
    Refused,
    FormErr,
    NotImp,
    BadVers,
    Dropped,
    Truncated,
    Limited,
    Forwarded,
}

/// How knowledge and answers were used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Hit,
    Miss,
    Stale,
    Prefetch,
    Packed,
    Composed,
}

/// The counts at one moment, each in the order of its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// Registered names known.
    pub names: usize,
    /// Bytes of knowledge and of packed answers.
    pub cache_bytes: usize,
    /// See [`TRANSPORTS`].
    pub queries: [u64; TRANSPORTS.len()],
    /// See [`ANSWERS`].
    pub answers: [u64; ANSWERS.len()],
    /// See [`CACHE`].
    pub cache: [u64; CACHE.len()],
    /// Queries that wait.
    pub waiting: usize,
}

/// The running counts.
#[derive(Default)]
pub struct Counters {
    queries: [AtomicU64; TRANSPORTS.len()],
    answers: [AtomicU64; ANSWERS.len()],
    cache: [AtomicU64; CACHE.len()],
}

impl Counters {
    pub fn query(&self, transport: Transport) {
        add(&self.queries[transport as usize]);
    }

    pub fn answer(&self, outcome: Outcome) {
        add(&self.answers[outcome as usize]);
    }

    pub fn cache(&self, use_: Use) {
        add(&self.cache[use_ as usize]);
    }

    /// Counts a finished message by its header.
    pub fn message(&self, message: &[u8]) {
        self.answer(outcome(message));
    }

    pub fn stats(&self, names: usize, cache_bytes: usize, waiting: usize) -> Stats {
        Stats {
            names,
            cache_bytes,
            queries: read(&self.queries),
            answers: read(&self.answers),
            cache: read(&self.cache),
            waiting,
        }
    }
}

fn add(count: &AtomicU64) {
    count.fetch_add(1, Ordering::Relaxed);
}

fn read<const N: usize>(counts: &[AtomicU64; N]) -> [u64; N] {
    std::array::from_fn(|index| counts[index].load(Ordering::Relaxed))
}

/// NODATA is an authoritative answer without records: a referral is none.
fn outcome(message: &[u8]) -> Outcome {
    let &[_, _, flags, codes, _, _, answers_high, answers_low, ..] = message else {
        return Outcome::Dropped;
    };
    if flags & 0x02 != 0 {
        return Outcome::Truncated;
    }
    match codes & 0x0f {
        0 if answers_high == 0 && answers_low == 0 && flags & 0x04 != 0 => Outcome::NoData,
        0 => Outcome::NoError,
        1 => Outcome::FormErr,
        3 => Outcome::NxDomain,
        4 => Outcome::NotImp,
        5 => Outcome::Refused,
        _ => Outcome::ServFail,
    }
}
