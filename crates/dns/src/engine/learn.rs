//! What the control plane tells the engine.

use super::asker::Now;
use super::names::Entry;
use super::respond::{Engine, Settled};
use crate::knowledge::Knowledge;
use std::sync::{Arc, PoisonError};

impl Engine {
    /// The name is known from now on: fresh for `fresh_ms`, then stale for the rest of `stale_ms`. A failure leaves
    /// knowledge that may still be used, and keeps quiet about it for `fresh_ms` (RFC 8767, 5).
    pub fn learn(&self, name: &[u8], knowledge: Knowledge, now: Now, fresh_ms: u64, stale_ms: u64) -> Settled {
        self.note_owner(name, &knowledge);
        let entry = Arc::new(Entry::new(name, knowledge, now, fresh_ms, stale_ms));
        let kept = self.names.get(name, now).filter(|known| entry.is_failure() && !known.is_failure());
        let given = if let Some(kept) = kept {
            kept.mark.rest_until(entry.fresh_until_ms);
            kept
        } else {
            self.names.set(name, &entry);
            entry
        };
        Settled { waiters: self.waiting.take(name), given: Some(given) }
    }

    /// A failure says nothing of the owner.
    fn note_owner(&self, name: &[u8], knowledge: &Knowledge) {
        let mut own = self.own.write().unwrap_or_else(PoisonError::into_inner);
        match knowledge {
            Knowledge::Zone { zone, .. } if zone.is_own() => drop(own.insert(name.into())),
            Knowledge::Zone { .. } | Knowledge::Absent => drop(own.remove(name)),
            Knowledge::Failed { .. } => {}
        }
    }

    /// Whether the user of this machine published what was last known of the name. What is flushed stays in mind: an
    /// answer that was made of it may still be in use.
    pub fn is_own(&self, name: &[u8]) -> bool {
        self.own.read().unwrap_or_else(PoisonError::into_inner).contains(name)
    }

    /// Forgets a name, or all; how many were known.
    pub fn flush(&self, name: Option<&[u8]>) -> usize {
        if let Some(name) = name {
            return usize::from(self.names.forget(name));
        }
        self.packed.clear();
        self.names.clear()
    }

    /// Lets go of all that waits: nobody gets a reply.
    pub fn close(&self) {
        self.waiting.clear();
    }
}
