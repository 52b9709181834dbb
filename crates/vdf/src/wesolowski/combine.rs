//! The second part of a pass: the product of every bucket to the power of its digit.

use super::means::for_each;
use super::means::{Means, multiply};
use crate::discriminant::Discriminant;
use crate::form::Form;
use core::sync::atomic::{AtomicU64, Ordering};

/// Ranges of buckets for each thread, so that one that is held up leaves some of its work to the others.
const LANES_PER_THREAD: usize = 4;

/// Fewest buckets of a lane: its base costs some 25 operations.
const MIN_WIDTH: usize = 256;

/// Running products over ranges of buckets, each from the highest digit of its range down.
pub(super) struct Combining {
    buckets: Vec<Option<Form>>,
    /// Buckets of a lane; the last one may have fewer.
    width: usize,
    lanes: Vec<Lane>,
}

/// The state of a range.
struct Lane {
    /// Buckets left, from the range's first on.
    left: usize,
    /// The product of the buckets combined so far.
    running: Option<Form>,
    /// The product of all values that `running` had: every bucket to the power of its place in the range, from 1. At
    /// the end, to the power of its digit.
    sum: Option<Form>,
    finished: bool,
}

impl Combining {
    /// The bucket of digit 1 is the first.
    pub(super) fn new(buckets: Vec<Option<Form>>, threads: usize) -> Self {
        let lanes = if threads > 1 { LANES_PER_THREAD * threads } else { 1 };
        let width = buckets.len().div_ceil(lanes).max(MIN_WIDTH);
        let lane = |range: &[_]| Lane { left: range.len(), running: None, sum: None, finished: false };
        Self { lanes: buckets.chunks(width).map(lane).collect(), width, buckets }
    }

    /// About how many operations are left.
    pub(super) fn left(&self) -> f64 {
        self.lanes.iter().map(|lane| 2.0 * lane.left as f64).sum()
    }

    pub(super) fn is_finished(&self) -> bool {
        self.lanes.iter().all(|lane| lane.finished)
    }

    /// The product over all buckets, when it is finished; `None` for the neutral element.
    pub(super) fn product(&self, discriminant: &Discriminant) -> Option<Form> {
        debug_assert!(self.is_finished());
        let mut product = None;
        for sum in self.lanes.iter().filter_map(|lane| lane.sum.as_ref()) {
            multiply(&mut product, sum, discriminant);
        }
        product
    }

    /// Does about `budget` operations; returns about how many.
    pub(super) fn advance(&mut self, budget: u64, means: &Means) -> u64 {
        let done = AtomicU64::new(0);
        let (width, share) = (self.width, budget.div_ceil(self.lanes.len() as u64));
        let lanes = self.buckets.chunks_mut(width).zip(&mut self.lanes).enumerate();
        for_each(means.threads, lanes, |(index, (buckets, lane))| {
            let mut work = 0;
            while work < share && !lane.finished && !(means.halted)() {
                lane.step(buckets, index * width, means.discriminant);
                work += 2;
            }
            done.fetch_add(work, Ordering::Relaxed);
        });
        done.into_inner()
    }
}

impl Lane {
    /// Takes in the range's next bucket. After the last one, adds the digit before the range, `base`, to the power of
    /// each.
    fn step(&mut self, buckets: &mut [Option<Form>], base: usize, discriminant: &Discriminant) {
        if self.left > 0 {
            self.left -= 1;
            if let Some(bucket) = buckets[self.left].take() {
                multiply(&mut self.running, &bucket, discriminant);
            }
            if let Some(running) = &self.running {
                multiply(&mut self.sum, running, discriminant);
            }
        } else {
            if let Some(running) = self.running.as_ref().filter(|_| base > 0) {
                multiply(&mut self.sum, &running.pow(&base.to_be_bytes(), discriminant), discriminant);
            }
            self.finished = true;
        }
    }
}
