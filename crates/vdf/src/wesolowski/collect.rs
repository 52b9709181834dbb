//! The first part of a pass: every stored form into the bucket of its digit.

use super::digits::Digits;
use super::means::for_each;
use super::means::prefetch;
use super::means::{Means, multiply};
use crate::form::Form;
use core::sync::atomic::{AtomicU64, Ordering};

/// Digits that are made at once, for each thread: some 25 ms of work, against some 15 us to begin threads.
const ROUND: usize = 8192;

/// Digits that a thread makes at a time, to share the making evenly; the first of each takes as long as 100 more.
const PIECE: usize = 2048;

/// Ranges of buckets for each thread, so that one that is held up leaves some of its work to the others.
const LANES_PER_THREAD: usize = 4;

/// Digits between the prefetch of a bucket and its use. Buckets far exceed the second cache, and of this many digits a
/// lane among eight has two.
const AHEAD: usize = 16;

/// Digits from the highest down are made in rounds; in a round each lane goes through all digits and takes those of its
/// buckets.
pub(super) struct Collecting {
    digits: Digits,
    buckets: Vec<Option<Form>>,
    /// Digits not made yet are those with indices below `end`.
    end: u64,
    /// The digits with indices `end + round.len() - 1` down to `end`.
    round: Vec<i32>,
    /// Buckets of a lane; the last one may have fewer.
    width: usize,
    /// How far into the round each lane has come.
    cursors: Vec<usize>,
}

impl Collecting {
    pub(super) fn new(digits: Digits, buckets: u32) -> Self {
        let end = digits.count();
        let buckets = vec![None; buckets as usize];
        Self { digits, width: buckets.len(), buckets, end, round: Vec::new(), cursors: Vec::new() }
    }

    /// Digits not dealt with.
    pub(super) fn left(&self) -> f64 {
        let lanes = self.cursors.len().max(1) as f64;
        let in_round: f64 = self.cursors.iter().map(|cursor| (self.round.len() - cursor) as f64).sum();
        self.end as f64 + in_round / lanes
    }

    fn round_done(&self) -> bool {
        self.cursors.iter().all(|&cursor| cursor == self.round.len())
    }

    /// The buckets, once all digits are dealt with.
    pub(super) fn take_finished(&mut self) -> Option<Vec<Option<Form>>> {
        (self.end == 0 && self.round_done()).then(|| core::mem::take(&mut self.buckets))
    }

    /// Goes through about `budget` digits, of those that are left; returns how many of them were not zero.
    pub(super) fn advance(&mut self, budget: u64, means: &Means) -> u64 {
        if self.round_done() {
            self.begin_round(budget, means.threads);
        }
        let done = AtomicU64::new(0);
        let (first_index, width) = (self.end + self.round.len() as u64 - 1, self.width);
        let lanes = self.buckets.chunks_mut(width).zip(&mut self.cursors).enumerate();
        for_each(means.threads, lanes, |(lane, (buckets, cursor))| {
            // digit 1 goes to bucket 0, and digit 0, which wraps, to none
            let bucket_of = |digit: i32| (digit.unsigned_abs() as usize).wrapping_sub(1 + lane * width);
            for position in *cursor..self.round.len() {
                let ahead = position + AHEAD;
                if let Some(bucket) = self.round.get(ahead).and_then(|&digit| buckets.get(bucket_of(digit))) {
                    prefetch(bucket);
                }
                let digit = self.round[position];
                if let Some(bucket) = buckets.get_mut(bucket_of(digit)) {
                    if (means.halted)() {
                        break;
                    }
                    let form = (means.form_at)(first_index - position as u64);
                    let form = if digit < 0 { form.inverse() } else { form };
                    multiply(bucket, &form, means.discriminant);
                    done.fetch_add(1, Ordering::Relaxed);
                }
                *cursor = position + 1;
            }
        });
        done.into_inner()
    }

    fn begin_round(&mut self, budget: u64, threads: usize) {
        let length = self.end.min(budget).min((ROUND * threads.max(1)) as u64);
        self.round.resize(length as usize, 0);
        let (digits, end) = (&self.digits, self.end);
        for_each(threads, self.round.chunks_mut(PIECE).enumerate(), |(piece, out)| {
            digits.fill(end - (piece * PIECE) as u64, out);
        });
        self.end -= length;
        let lanes = if threads > 1 { LANES_PER_THREAD * threads } else { 1 };
        self.width = self.buckets.len().div_ceil(lanes);
        self.cursors.clear();
        self.cursors.resize(self.buckets.len().div_ceil(self.width), 0);
    }
}
