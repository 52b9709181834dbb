//! One direction of a place's line: a rate, a queue of bounded length before it, and stalls.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

pub struct Line {
    /// Bits a second; 0: any number.
    rate: u64,
    /// Bytes that wait at most; the rest is dropped, as by a router.
    queue: u64,
    free_at: Instant,
    /// When each packet has left, and its bytes.
    waiting: VecDeque<(Instant, u64)>,
    waiting_bytes: u64,
    pub longest_wait: Duration,
    pub dropped: u64,
}

impl Line {
    pub fn new(rate: u64, queue: u64) -> Self {
        Self {
            rate,
            queue,
            free_at: Instant::now(),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            longest_wait: Duration::ZERO,
            dropped: 0,
        }
    }

    /// When the packet has left; None where the queue is full.
    pub fn pass(&mut self, bytes: u64, now: Instant) -> Option<Instant> {
        while let Some(&(_, gone)) = self.waiting.front().filter(|(left, _)| *left <= now) {
            self.waiting.pop_front();
            self.waiting_bytes -= gone;
        }
        let begins = self.free_at.max(now);
        if begins > now && self.waiting_bytes + bytes > self.queue {
            self.dropped += 1;
            return None;
        }
        self.longest_wait = self.longest_wait.max(begins - now);
        let leaves = begins + Duration::from_micros((bytes * 8_000_000).checked_div(self.rate).unwrap_or(0));
        self.free_at = leaves;
        self.waiting.push_back((leaves, bytes));
        self.waiting_bytes += bytes;
        Some(leaves)
    }

    /// Nothing that comes from now on leaves before.
    pub fn stall(&mut self, until: Instant) {
        self.free_at = self.free_at.max(until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[test]
    fn packets_wait_for_each_other_until_the_queue_is_full() {
        let mut line = Line::new(8_000_000, 2_500);
        let now = Instant::now() + MILLISECOND;
        assert_eq!(line.pass(1_000, now), Some(now + MILLISECOND));
        assert_eq!(line.pass(1_000, now), Some(now + 2 * MILLISECOND));
        assert_eq!(line.pass(1_000, now), None);
        assert_eq!(line.pass(1_000, now + MILLISECOND), Some(now + 3 * MILLISECOND));
        assert_eq!((line.dropped, line.longest_wait), (1, MILLISECOND));
    }

    #[test]
    fn a_stall_holds_what_fits_into_the_queue() {
        let mut line = Line::new(0, 2_500);
        let now = Instant::now() + MILLISECOND;
        assert_eq!(line.pass(9_000, now), Some(now));
        line.stall(now + 50 * MILLISECOND);
        for _ in 0..2 {
            assert_eq!(line.pass(1_000, now + MILLISECOND), Some(now + 50 * MILLISECOND));
        }
        assert_eq!(line.pass(1_000, now + MILLISECOND), None);
        assert_eq!(line.pass(9_000, now + 50 * MILLISECOND), Some(now + 50 * MILLISECOND));
    }
}
