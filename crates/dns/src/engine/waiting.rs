//! Queries that wait for what the control plane learns, bounded in names, queries and time.

use super::asker::{Asker, Later, Now};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Names that are asked for at once.
pub const NAMES: usize = 256;
/// Queries that wait at once. Each holds its packet, so this bounds bytes as well: 4 MiB.
pub const QUERIES: usize = 1_024;
/// How long a query waits at most.
pub const PATIENCE_MS: u64 = 5_000;

/// A query that waits.
pub struct Waiter {
    /// The query.
    pub packet: Box<[u8]>,
    /// Who asked.
    pub asker: Asker,
    /// When it came in.
    pub since_ms: u64,
    /// How many names its chain was followed over before: 0 for a client's own.
    pub hops: u8,
    /// Takes the reply.
    pub later: Later,
}

/// What became of a query that should wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entered {
    /// It waits as the first for that name, which must be asked for.
    First,
    /// It waits with others.
    Joined,
    /// There is no room.
    Full,
}

#[derive(Default)]
struct State {
    names: HashMap<Box<[u8]>, Vec<Waiter>>,
    queries: usize,
}

/// The queries that wait, by registered name.
#[derive(Default)]
pub struct Waiting(Mutex<State>);

impl Waiting {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a query wait for a name, unless `known` finds it now: between the query's look and this call, the name may
    /// have been learned. `None`: it was.
    pub fn enter<K>(
        &self,
        name: &[u8],
        known: impl FnOnce() -> Option<K>,
        waiter: impl FnOnce() -> Waiter,
    ) -> Result<Entered, K> {
        let mut state = self.state();
        if let Some(known) = known() {
            return Err(known);
        }
        if state.queries >= QUERIES {
            return Ok(Entered::Full);
        }
        let entered = if let Some(waiters) = state.names.get_mut(name) {
            waiters.push(waiter());
            Entered::Joined
        } else if state.names.len() < NAMES {
            state.names.insert(name.into(), vec![waiter()]);
            Entered::First
        } else {
            return Ok(Entered::Full);
        };
        state.queries += 1;
        Ok(entered)
    }

    /// Takes all that wait for a name.
    pub fn take(&self, name: &[u8]) -> Vec<Waiter> {
        let mut state = self.state();
        let waiters = state.names.remove(name).unwrap_or_default();
        state.queries -= waiters.len();
        waiters
    }

    /// Takes those whose time is over. A name that nobody waits for any more is asked for again by the next query.
    pub fn expired(&self, now: Now) -> Vec<Waiter> {
        let mut state = self.state();
        let mut expired = Vec::new();
        state.names.retain(|_, waiters| {
            expired.extend(waiters.extract_if(.., |waiter| now.ms >= waiter.since_ms + PATIENCE_MS));
            !waiters.is_empty()
        });
        state.queries -= expired.len();
        expired
    }

    /// Takes all, so that their [`Later`]s are dropped.
    pub fn clear(&self) {
        let state = std::mem::take(&mut *self.state());
        drop(state);
    }

    /// How many queries wait.
    pub fn len(&self) -> usize {
        self.state().queries
    }
}
