//! What an answer keeps of the knowledge it was made of: whether it still holds, and how often it was used.

use super::asker::Now;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

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
    /// Of knowledge fetched at `since_ms`. `refreshes` is false for failures, which nobody asks for ahead of time.
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
