//! The knowledge of registered names, bounded in bytes; what was unused for longest goes first, approximately.

use super::asker::Now;
use crate::knowledge::Knowledge;
use quick_cache::sync::Cache;
use quick_cache::{DefaultHashBuilder, Lifecycle, Weighter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Bytes of an entry besides its name and zone: map slots, marks, reference counts.
const OVERHEAD: usize = 320;

/// What is known of a name.
pub struct Entry {
    /// The knowledge.
    pub knowledge: Knowledge,
    /// When it was fetched.
    pub since_ms: u64,
    /// From then on it is stale.
    pub fresh_until_ms: u64,
    /// From then on it is unknown.
    pub stale_until_ms: u64,
    /// What answers keep of it.
    pub mark: Arc<Mark>,
    size: usize,
}

impl Entry {
    /// Fetched now, fresh and usable for that long. Failures are never asked for ahead of time.
    pub fn new(name: &[u8], knowledge: Knowledge, now: Now, fresh_ms: u64, stale_ms: u64) -> Self {
        let fresh_until_ms = now.ms.saturating_add(fresh_ms);
        let (size, refreshes) = match &knowledge {
            Knowledge::Zone { zone, .. } => (zone.size(), true),
            Knowledge::Absent => (0, true),
            Knowledge::Failed { text, .. } => (text.len(), false),
        };
        Self {
            knowledge,
            since_ms: now.ms,
            fresh_until_ms,
            stale_until_ms: now.ms.saturating_add(stale_ms.max(fresh_ms)),
            mark: Arc::new(Mark::new(name, now.ms, fresh_until_ms, refreshes)),
            size: OVERHEAD + 2 * name.len() + size,
        }
    }

    /// Seconds since it was fetched.
    pub fn age(&self, now: Now) -> u32 {
        u32::try_from(now.ms.saturating_sub(self.since_ms) / 1_000).unwrap_or(u32::MAX)
    }

    /// Whether its fresh time is over.
    pub fn is_stale(&self, now: Now) -> bool {
        now.ms >= self.fresh_until_ms
    }

    /// Whether it may still be used.
    pub fn is_usable(&self, now: Now) -> bool {
        now.ms < self.stale_until_ms
    }

    /// Whether it is a failure.
    pub fn is_failure(&self) -> bool {
        matches!(self.knowledge, Knowledge::Failed { .. })
    }
}

/// The names known.
pub struct Names(Cache<Box<[u8]>, Arc<Entry>, Weight, DefaultHashBuilder, Ends>);

#[derive(Clone)]
struct Weight;

impl Weighter<Box<[u8]>, Arc<Entry>> for Weight {
    fn weight(&self, _: &Box<[u8]>, entry: &Arc<Entry>) -> u64 {
        entry.size as u64
    }
}

/// Answers made of evicted knowledge end with it: later knowledge could not end them.
#[derive(Clone)]
struct Ends;

impl Lifecycle<Box<[u8]>, Arc<Entry>> for Ends {
    type RequestState = ();

    fn on_evict(&self, (): &mut (), _: Box<[u8]>, entry: Arc<Entry>) {
        entry.mark.end();
    }
}

impl Names {
    /// A cache of at most that many bytes.
    pub fn new(bytes: usize) -> Self {
        let items = (bytes / 1_024).clamp(64, 1 << 16);
        Self(Cache::with(items, bytes as u64, Weight, DefaultHashBuilder::default(), Ends))
    }

    /// What is known of the name and still usable.
    pub fn get(&self, name: &[u8], now: Now) -> Option<Arc<Entry>> {
        self.0.get(name).filter(|entry| entry.is_usable(now))
    }

    /// Replaces what was known.
    pub fn set(&self, name: &[u8], entry: &Arc<Entry>) {
        if let Some((_, former)) = self.0.remove(name) {
            former.mark.end();
        }
        self.0.insert(name.into(), Arc::clone(entry));
    }

    /// Forgets a name; whether it was known.
    pub fn forget(&self, name: &[u8]) -> bool {
        self.0.remove(name).map(|(_, entry)| entry.mark.end()).is_some()
    }

    /// Forgets all names; how many there were.
    pub fn clear(&self) -> usize {
        let names: Vec<_> = self.0.iter().map(|(name, _)| name).collect();
        names.iter().filter(|name| self.forget(name)).count()
    }

    /// How many names are known.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        usize::try_from(self.0.weight()).unwrap_or(usize::MAX)
    }
}

// What an answer keeps of the knowledge it was made of: whether it still holds, and how often it was used.

/// A question that was not answered may be asked again after this time.
pub const ASK_AGAIN_MS: u64 = 5_000;

/// Knowledge used as often in its fresh time is asked for before it ages.
const OFTEN: u32 = 3;

/// Shared by a name's knowledge and the answers made of it. Small, so that old answers don't keep old zones alive.
pub struct Mark {
    name: Box<[u8]>,
    live: AtomicBool,
    uses: AtomicU32,
    fresh_until_ms: u64,
    ask_from_ms: AtomicU64,
}

/// What a use of knowledge calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// Nothing.
    Nothing,
    /// Ask early, as it is used often.
    Prefetch,
    /// Ask, as it is stale.
    Refresh,
}

impl Mark {
    /// The mark of knowledge fetched at `since_ms`. `refreshes` is false for failures, which nobody asks for ahead of time.
    pub fn new(name: &[u8], since_ms: u64, fresh_until_ms: u64, refreshes: bool) -> Self {
        let tenth = fresh_until_ms.saturating_sub(since_ms) / 10;
        let ask_from_ms = if refreshes { fresh_until_ms - tenth } else { u64::MAX };
        Self {
            name: name.into(),
            live: AtomicBool::new(true),
            uses: AtomicU32::new(0),
            fresh_until_ms,
            ask_from_ms: AtomicU64::new(ask_from_ms),
        }
    }

    /// The registered name.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Whether its knowledge is still that of the cache.
    pub fn is_live(&self) -> bool {
        self.live.load(Ordering::Acquire)
    }

    /// Its knowledge was replaced, evicted or flushed.
    pub fn end(&self) {
        self.live.store(false, Ordering::Release);
    }

    /// No question before that time.
    pub fn rest_until(&self, ms: u64) {
        self.ask_from_ms.store(ms, Ordering::Relaxed);
    }

    /// Counts a use. Of all threads that use it at a time, one learns that a question is due.
    pub fn use_at(&self, now: Now) -> Due {
        let uses = self.uses.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        let ask_from = self.ask_from_ms.load(Ordering::Relaxed);
        if now.ms < ask_from {
            return Due::Nothing;
        }
        let stale = now.ms >= self.fresh_until_ms;
        if !stale && uses < OFTEN {
            return Due::Nothing;
        }
        let next = now.ms.saturating_add(ASK_AGAIN_MS);
        match self.ask_from_ms.compare_exchange(ask_from, next, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) if stale => Due::Refresh,
            Ok(_) => Due::Prefetch,
            Err(_) => Due::Nothing,
        }
    }
}
