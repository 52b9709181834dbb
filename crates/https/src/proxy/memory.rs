//! Hosts that had a key. Who withholds or spoils answers does not lead a browser back to plain HTTP.

use std::collections::{BTreeMap, HashMap};

/// Hosts that are remembered.
const HOSTS: usize = 10_000;
const DAY: u32 = 86_400;
/// A host is forgotten once its zone has named no key for this long, in seconds.
const FORGOTTEN_AFTER: u32 = 7 * DAY;

/// What is remembered of a host, lower-case: since which Unix time its zone names no key, or `None`: it names one.
pub type NoneSince = Option<u32>;

/// Keeps on disk what is remembered of a host from now on; `None`: nothing. False: not now.
pub type Keep = Box<dyn Fn(&str, Option<NoneSince>) -> bool + Send>;

/// All hosts. What cannot be kept is not changed either: the next connection tries again.
pub struct Memory {
    hosts: BTreeMap<String, NoneSince>,
    keep: Keep,
    most: usize,
}

impl Memory {
    pub fn new(hosts: BTreeMap<String, NoneSince>, keep: Keep) -> Self {
        Self { hosts, keep, most: HOSTS }
    }

    /// Takes an answer that the daemon vouches for.
    pub fn note(&mut self, host: &str, has_key: bool, unix: u32) {
        let next = match (self.hosts.get(host).copied(), has_key) {
            (None, false) | (Some(None), true) => return,
            (None, true) if self.hosts.len() >= self.most && !self.make_room() => return,
            (_, true) => Some(None),
            (Some(Some(since)), false) if (since..since.saturating_add(FORGOTTEN_AFTER)).contains(&unix) => return,
            (Some(Some(since)), false) if since <= unix => None,
            // The first such answer, or one before a clock was set back.
            (Some(_), false) => Some(Some(unix)),
        };
        self.change(host, next);
    }

    /// Days until a host with such answers alone is forgotten; `None`: it is not remembered.
    pub fn days_left(&self, host: &str, unix: u32) -> Option<u32> {
        let since = self.hosts.get(host)?.unwrap_or(unix);
        Some(FORGOTTEN_AFTER.saturating_sub(unix.saturating_sub(since)).div_ceil(DAY))
    }

    /// Forgets a host at once, as its user wants it.
    pub fn forget(&mut self, host: &str) {
        if self.hosts.contains_key(host) {
            self.change(host, None);
        }
    }

    fn change(&mut self, host: &str, next: Option<NoneSince>) -> bool {
        let is_kept = (self.keep)(host, next);
        match next {
            Some(none_since) if is_kept => _ = self.hosts.insert(host.to_owned(), none_since),
            None if is_kept => _ = self.hosts.remove(host),
            _ => {}
        }
        is_kept
    }

    /// Of the owner with the most hosts one gives way: a wildcard record can't drive out the hosts of others.
    fn make_room(&mut self) -> bool {
        let mut counts = HashMap::<&str, usize>::new();
        for host in self.hosts.keys() {
            *counts.entry(owner_of(host)).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|&(owner, count)| (count, owner));
        let host = most.and_then(|(owner, _)| self.hosts.keys().find(|host| owner_of(host) == owner)).cloned();
        host.is_some_and(|host| self.change(&host, None))
    }
}

/// `alice` for `www.alice.chronym`, and for `alice--7kq2mx.chronym`: a name has many codes.
fn owner_of(host: &str) -> &str {
    let label = host.rsplit('.').nth(1).unwrap_or(host);
    label.split_once("--").map_or(label, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, channel};

    const ALICE: &str = "alice.chronym";
    const NOW: u32 = 1_800_000_000;

    type Kept = Receiver<(String, Option<NoneSince>)>;

    fn memory(most: usize, is_kept: bool) -> (Memory, Kept) {
        let (sender, kept) = channel();
        let keep = move |host: &str, next| {
            sender.send((host.to_owned(), next)).unwrap();
            is_kept
        };
        (Memory { most, ..Memory::new(BTreeMap::new(), Box::new(keep)) }, kept)
    }

    #[test]
    fn a_host_is_forgotten_after_a_week_without_a_key() {
        let (mut memory, kept) = memory(HOSTS, true);
        memory.note(ALICE, false, NOW);
        assert_eq!(memory.days_left(ALICE, NOW), None);
        // The last of these seconds is that of the end.
        for (has_key, after, left) in [
            (true, 0, Some(7)),
            (true, DAY, Some(7)),
            (false, 9 * DAY, Some(7)),
            (false, 10 * DAY, Some(6)),
            (true, 15 * DAY, Some(7)),
            (false, 16 * DAY, Some(7)),
            (false, 23 * DAY - 1, Some(1)),
            (false, 23 * DAY, None),
        ] {
            memory.note(ALICE, has_key, NOW + after);
            assert_eq!(memory.days_left(ALICE, NOW + after), left, "{after}");
        }
        let states: Vec<_> = kept.try_iter().map(|(_, next)| next).collect();
        let [first, second] = [9, 16].map(|days| Some(Some(NOW + days * DAY)));
        assert_eq!(states, [Some(None), first, Some(None), second, None]);
    }

    #[test]
    fn a_clock_that_was_ahead_makes_no_host_wait_longer() {
        let (mut memory, _kept) = memory(HOSTS, true);
        memory.note(ALICE, true, NOW);
        memory.note(ALICE, false, NOW + 9_999 * DAY);
        memory.note(ALICE, false, NOW);
        memory.note(ALICE, false, NOW + 7 * DAY);
        assert_eq!(memory.days_left(ALICE, NOW), None);
    }

    #[test]
    fn what_cannot_be_kept_is_tried_again() {
        let (mut memory, kept) = memory(HOSTS, false);
        memory.note(ALICE, true, NOW);
        memory.note(ALICE, true, NOW);
        assert_eq!(memory.days_left(ALICE, NOW), None);
        assert_eq!(kept.try_iter().count(), 2);
    }

    #[test]
    fn the_owner_with_the_most_hosts_makes_room() {
        let (mut memory, kept) = memory(4, true);
        let mallory = ["mallory.chronym", "a.mallory--7kq2mx.chronym", "b.mallory--7kq2mxo.chronym"];
        for host in [&[ALICE], &mallory[..], &["bob.chronym", "c.mallory.chronym"]].concat() {
            memory.note(host, true, NOW);
        }
        assert!([ALICE, "bob.chronym"].iter().all(|host| memory.days_left(host, NOW).is_some()));
        assert_eq!(memory.hosts.len(), 4);
        assert_eq!(kept.try_iter().filter(|(host, next)| next.is_none() && host.contains("mallory")).count(), 2);
    }
}
