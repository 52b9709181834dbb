//! Answers that are made already, bounded in bytes. An answer holds as long as all knowledge that it was made of.

use super::asker::Now;
use super::names::Mark;
use crate::message::Answer;
use crate::query::Query;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, Weighter};
use std::sync::Arc;

/// Bytes of an answer besides its message and key: map slots, marks, reference counts.
const OVERHEAD: usize = 320;

/// The longest name in wire form, type, DO bit.
const KEY_BYTES: usize = 255 + 2 + 1;

/// What answers are found by: on the stack, so that a look allocates nothing.
pub struct Key {
    bytes: [u8; KEY_BYTES],
    length: usize,
}

impl Key {
    /// Name, type and DO bit of a query of class IN.
    pub fn new(query: &Query) -> Self {
        let mut bytes = [0; KEY_BYTES];
        let [high, low] = query.qtype.to_be_bytes();
        let length = query.name.len().min(255);
        bytes[..3].copy_from_slice(&[high, low, u8::from(query.dnssec_ok())]);
        bytes[3..3 + length].copy_from_slice(&query.name[..length]);
        Self { bytes, length: 3 + length }
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// An answer with what it was made of.
pub struct Packed {
    /// The answer.
    pub answer: Answer,
    /// Marks of the knowledge used, that of the name asked for first; none for the zone's own records.
    pub marks: Vec<Arc<Mark>>,
    /// When it was made.
    pub made_ms: u64,
    /// From then on it must be made again.
    pub until_ms: u64,
    /// Whether it was made of stale knowledge.
    pub stale: bool,
}

impl Packed {
    /// Whether it may be used now.
    pub fn holds(&self, now: Now) -> bool {
        now.ms < self.until_ms && self.marks.iter().all(|mark| mark.is_live())
    }

    /// Seconds since it was made.
    pub fn aged(&self, now: Now) -> u32 {
        u32::try_from(now.ms.saturating_sub(self.made_ms) / 1_000).unwrap_or(u32::MAX)
    }

    fn size(&self) -> usize {
        let text: usize = self.answer.ede.iter().map(|error| 32 + error.text.len()).sum();
        OVERHEAD + self.answer.message.len() + 2 * self.answer.ttls.len() + 8 * self.marks.len() + text
    }
}

#[derive(Clone)]
struct Weight;

impl Weighter<Box<[u8]>, Arc<Packed>> for Weight {
    fn weight(&self, key: &Box<[u8]>, packed: &Arc<Packed>) -> u64 {
        (key.len() + packed.size()) as u64
    }
}

/// The packed answers.
pub struct PackedCache(Cache<Box<[u8]>, Arc<Packed>, Weight>);

impl PackedCache {
    /// A cache of at most that many bytes.
    pub fn new(bytes: usize) -> Self {
        let items = (bytes / 768).clamp(64, 1 << 16);
        Self(Cache::with(items, bytes as u64, Weight, DefaultHashBuilder::default(), DefaultLifecycle::default()))
    }

    /// The answer, if it still holds.
    pub fn get(&self, key: &Key, now: Now) -> Option<Arc<Packed>> {
        self.0.get(key.as_bytes()).filter(|packed| packed.holds(now))
    }

    /// Keeps an answer.
    pub fn set(&self, key: &Key, packed: Arc<Packed>) {
        self.0.insert(key.as_bytes().into(), packed);
    }

    /// Drops all.
    pub fn clear(&self) {
        self.0.clear();
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        usize::try_from(self.0.weight()).unwrap_or(usize::MAX)
    }
}
