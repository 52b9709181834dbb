//! Slices of squarings, beside which the segment before is proved.

use super::Evaluation;
use super::record;
use super::segment::Segment;
use crate::discriminant::Discriminant;
use crate::form::Form;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use sha2::{Digest, Sha256};
use std::thread;

/// Squarings between two reads of the stop word: a few milliseconds.
const STOP_INTERVAL: u64 = 1024;

impl Evaluation {
    /// At most `budget` squarings of the present segment, fewer when stopped; with threads to spare, proves the one
    /// before meanwhile. Returns how many.
    pub(super) fn square(&mut self, budget: u64, stop: &AtomicU32) -> u64 {
        let begun = self.squarings;
        let discriminant = &self.discriminant;
        let present = self.segments.iter().position(|segment| segment.proving.is_none());
        let (before, from_present) = self.segments.split_at_mut(present.expect("squarings are left"));
        let mut squaring = Squaring {
            segment: &mut from_present[0],
            current: &mut self.current,
            squarings: &mut self.squarings,
            records_hash: &mut self.records_hash,
            discriminant,
        };
        let helpers = self.threads - 1;
        let over = AtomicBool::new(false);
        let halted = || over.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed) != 0;
        match before.iter_mut().find(|segment| helpers > 0 && segment.to_be_proved()) {
            None => squaring.run(budget, stop),
            Some(finished) => thread::scope(|scope| {
                // set whatever happens: the scope waits for the helper
                let _over = SetAtEnd(&over);
                let prove = || finished.prove(u64::MAX, helpers, discriminant, &halted);
                // where a thread can't be had, the proof waits for the next slice, or for the last squaring
                let _helper = thread::Builder::new().spawn_scoped(scope, prove);
                squaring.run(budget, stop);
            }),
        }
        self.finish_segment();
        self.squarings - begun
    }
}

/// Sets a flag when it goes out of scope.
struct SetAtEnd<'a>(&'a AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The parts of an evaluation that squaring changes.
struct Squaring<'a> {
    segment: &'a mut Segment,
    current: &'a mut Form,
    squarings: &'a mut u64,
    records_hash: &'a mut Sha256,
    discriminant: &'a Discriminant,
}

impl Squaring<'_> {
    /// At most `budget` squarings, to the segment's end; fewer when stopped.
    fn run(&mut self, budget: u64, stop: &AtomicU32) {
        let until = self.squarings.saturating_add(budget).min(self.segment.end());
        while *self.squarings < until && stop.load(Ordering::Relaxed) == 0 {
            // one run to the next form that is stored
            let stride = self.segment.plan.stride();
            let since_stored = (*self.squarings - self.segment.start) % stride;
            if since_stored == 0 {
                let record = record::write(self.current);
                self.records_hash.update(record);
                self.segment.records.push(&record);
            }
            let run = (until - *self.squarings).min(stride - since_stored).min(STOP_INTERVAL);
            *self.current = self.current.square_times(run, self.discriminant);
            *self.squarings += run;
        }
    }
}
