//! Messages as they are written: counted, compressed, with the places of TTLs.

use crate::codes::{CLASS_IN, HEADER_BYTES, flag};
use crate::query::Query;
use crate::{name, rrset};
use std::sync::Arc;

/// Larger messages are not made, in bytes: 65,535 less the room for an OPT record.
const MAX_BYTES: usize = 64_000;
/// Names that are remembered for compression besides the question's: a bound on the time for the next one.
const MAX_REMEMBERED: usize = 8;
/// Compression points at the first 16 KiB (RFC 1035, 4.1.4).
const MAX_POINTER: usize = 0x3fff;

/// Sections of records, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Section {
    Answer,
    Authority,
    Additional,
}

/// A TTL in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ttl {
    pub(crate) seconds: u32,
    /// Whether it goes down while the message is kept.
    pub(crate) counts_down: bool,
}

/// A message that is being written.
#[derive(Debug)]
pub(crate) struct Message {
    bytes: Vec<u8>,
    ttls: Vec<u16>,
    counts: [u16; 3],
    question: Vec<u8>,
    question_end: usize,
    remembered: Vec<Remembered>,
    overflows: bool,
}

#[derive(Debug)]
struct Remembered {
    name: Vec<u8>,
    at: usize,
}

impl Message {
    /// The header and the question.
    pub(crate) fn new(query: &Query) -> Self {
        let mut bytes = Vec::with_capacity(512);
        bytes.extend_from_slice(&[0, 0, flag::QR, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        if !query.is_cookie_only() {
            bytes[5] = 1;
            bytes.extend_from_slice(&query.name);
            bytes.extend_from_slice(&query.qtype.to_be_bytes());
            bytes.extend_from_slice(&query.qclass.to_be_bytes());
        }
        let question_end = bytes.len();
        Self {
            bytes,
            ttls: Vec::with_capacity(8),
            counts: [0; 3],
            question: query.name.clone(),
            question_end,
            remembered: Vec::new(),
            overflows: false,
        }
    }

    /// Whether a record was left out since the message would have become too large.
    pub(crate) fn overflows(&self) -> bool {
        self.overflows
    }

    /// Whether there are records in a section.
    pub(crate) fn has(&self, section: Section) -> bool {
        self.counts[section as usize] > 0
    }

    /// Takes all records out.
    pub(crate) fn clear(&mut self) {
        self.bytes.truncate(self.question_end);
        self.ttls.clear();
        self.counts = [0; 3];
        self.remembered.clear();
        self.overflows = false;
    }

    /// Appends a record. Sections must come in their order.
    pub(crate) fn push(&mut self, section: Section, owner: &[u8], rtype: u16, ttl: Ttl, data: &[u8]) {
        debug_assert!(self.counts[section as usize + 1..].iter().all(|&count| count == 0), "sections are in order");
        // An owner that is not compressed, and the record's fixed part.
        if self.overflows || self.bytes.len() + owner.len() + 10 + data.len() > MAX_BYTES {
            self.overflows = true;
            return;
        }
        self.push_name(owner);
        self.bytes.extend_from_slice(&rtype.to_be_bytes());
        self.bytes.extend_from_slice(&CLASS_IN.to_be_bytes());
        if ttl.counts_down {
            self.ttls.push(self.bytes.len().try_into().expect("a message is below 64 KiB"));
        }
        self.bytes.extend_from_slice(&ttl.seconds.to_be_bytes());
        let length_at = self.bytes.len();
        self.bytes.extend_from_slice(&[0, 0]);
        match rrset::compressible_name(rtype) {
            Some(at) => {
                self.bytes.extend_from_slice(&data[..at]);
                self.push_name(&data[at..]);
            }
            None => self.bytes.extend_from_slice(data),
        }
        let length = u16::try_from(self.bytes.len() - length_at - 2).expect("a message is below 64 KiB");
        self.bytes[length_at..length_at + 2].copy_from_slice(&length.to_be_bytes());
        self.counts[section as usize] += 1;
    }

    /// The message and the places of its TTLs.
    pub(crate) fn finish(mut self, authoritative: bool, rcode: u16) -> (Vec<u8>, Vec<u16>) {
        self.bytes[2] |= if authoritative { flag::AA } else { 0 };
        self.bytes[3] |= rcode.to_be_bytes()[1] & 0x0f;
        for (count, at) in self.counts.iter().zip([6, 8, 10]) {
            self.bytes[at..at + 2].copy_from_slice(&count.to_be_bytes());
        }
        (self.bytes, self.ttls)
    }

    fn push_name(&mut self, written: &[u8]) {
        if written == self.question {
            self.bytes.extend_from_slice(&pointer(HEADER_BYTES));
            return;
        }
        let mut lower = [0; name::MAX_BYTES];
        let lower = &mut lower[..written.len()];
        lower.copy_from_slice(written);
        name::lower(lower);
        let found = name::ancestors(lower)
            .take_while(|suffix| suffix.len() > 1)
            .find_map(|suffix| self.place_of(suffix).map(|at| (lower.len() - suffix.len(), at)));
        let at = self.bytes.len();
        let inline = found.map_or(written.len() - 1, |(inline, _)| inline);
        self.bytes.extend_from_slice(&written[..inline]);
        match found {
            Some((_, target)) => self.bytes.extend_from_slice(&pointer(target)),
            None => self.bytes.push(0),
        }
        if inline > 0 && self.remembered.len() < MAX_REMEMBERED {
            self.remembered.push(Remembered { name: lower.to_vec(), at });
        }
    }

    fn place_of(&self, suffix: &[u8]) -> Option<usize> {
        if name::is_within(&self.question, suffix) {
            return Some(HEADER_BYTES + self.question.len() - suffix.len());
        }
        self.remembered.iter().find_map(|known| {
            // A suffix that this name has by a pointer was found before it, in the question or an earlier name.
            let before = known.name.len().checked_sub(suffix.len())?;
            let at = known.at + before;
            (at <= MAX_POINTER && name::is_within(&known.name, suffix)).then_some(at)
        })
    }
}

fn pointer(at: usize) -> [u8; 2] {
    (0xc000 | u16::try_from(at).expect("pointers are below 16 KiB")).to_be_bytes()
}

// Answers that can be kept.

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
    /// The rest that a client needs which wants recursion.
    pub rest: Rest,
}

/// Where there is more to find than an answer has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nowhere: the answer is whole.
    Nothing,
    /// At the name, in lower-case wire form, that its last alias leads to.
    At(Vec<u8>),
    /// At other servers: a delegation, or an alias to a name of which nothing is known now.
    Elsewhere,
}

impl Answer {
    /// The message with TTLs that are lower by `seconds`, and never below 0.
    pub(crate) fn aged(&self, seconds: u32) -> Vec<u8> {
        let mut message = self.message.clone();
        age(&mut message, &self.ttls, seconds);
        message
    }
}

/// Lowers the TTLs at these places.
pub(crate) fn age(message: &mut [u8], ttls: &[u16], seconds: u32) {
    for &at in ttls {
        let ttl = &mut message[usize::from(at)..][..4];
        let whole = u32::from_be_bytes([ttl[0], ttl[1], ttl[2], ttl[3]]);
        ttl.copy_from_slice(&whole.saturating_sub(seconds).to_be_bytes());
    }
}
