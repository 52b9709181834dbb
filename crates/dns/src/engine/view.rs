//! The cache as one answer sees it, with a note of all that it used.

use super::asker::Now;
use super::names::Mark;
use super::names::{Entry, Names};
use crate::knowledge::{Knowledge, Known, Look};
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Looks into the cache at one moment.
pub struct View<'a> {
    names: &'a Names,
    now: Now,
    /// Knowledge that just came, which the cache may have been too full to keep.
    given: Option<&'a Arc<Entry>>,
    used: RefCell<Vec<Arc<Mark>>>,
    until_ms: Cell<u64>,
    stale: Cell<bool>,
    missing: RefCell<Option<Box<[u8]>>>,
}

/// What an answer used.
pub struct Used {
    /// Marks of the knowledge, without repetition, in order of use.
    pub marks: Vec<Arc<Mark>>,
    /// From then on some of it is stale, or no longer usable.
    pub until_ms: u64,
    /// Whether some was stale.
    pub stale: bool,
    /// A name of which nothing was known.
    pub missing: Option<Box<[u8]>>,
}

impl<'a> View<'a> {
    /// The cache now, and knowledge that comes before it.
    pub fn new(names: &'a Names, now: Now, given: Option<&'a Arc<Entry>>) -> Self {
        Self {
            names,
            now,
            given,
            used: RefCell::default(),
            until_ms: Cell::new(u64::MAX),
            stale: Cell::new(false),
            missing: RefCell::default(),
        }
    }

    /// What the answer used.
    pub fn used(self) -> Used {
        Used {
            marks: self.used.into_inner(),
            until_ms: self.until_ms.get(),
            stale: self.stale.get(),
            missing: self.missing.into_inner(),
        }
    }

    fn entry(&self, name: &[u8]) -> Option<Arc<Entry>> {
        let given = self.given.filter(|entry| entry.mark.name() == name);
        given.cloned().or_else(|| self.names.get(name, self.now))
    }
}

/// A label that no registered name can have: the registry need not be asked. Names are lower-case letters, digits and
/// hyphens (spec: protocol/name).
fn is_impossible(name: &[u8]) -> bool {
    name.split_first().is_none_or(|(&length, rest)| {
        rest.get(..usize::from(length)).is_none_or(|label| {
            label.is_empty() || !label.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        })
    })
}

impl Look for View<'_> {
    fn look(&self, name: &[u8]) -> Option<Known> {
        if is_impossible(name) {
            return Some(Known { knowledge: Knowledge::Absent, age: 0, stale: false });
        }
        let Some(entry) = self.entry(name) else {
            self.missing.borrow_mut().get_or_insert_with(|| name.into());
            return None;
        };
        let stale = entry.is_stale(self.now);
        let until_ms = if stale { entry.stale_until_ms } else { entry.fresh_until_ms };
        self.until_ms.set(self.until_ms.get().min(until_ms));
        self.stale.set(self.stale.get() | stale);
        let mut used = self.used.borrow_mut();
        if !used.iter().any(|mark| Arc::ptr_eq(mark, &entry.mark)) {
            used.push(Arc::clone(&entry.mark));
        }
        Some(Known { knowledge: entry.knowledge.clone(), age: entry.age(self.now), stale })
    }
}
