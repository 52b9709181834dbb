//! Evaluations: the squarings and their proof, in slices, and checkpoints of both.

mod checkpoint;
mod record;
mod segment;
mod squaring;

use crate::discriminant::Discriminant;
use crate::error::Error;
use crate::form::Form;
use crate::wesolowski::{assemble, verify};
use core::sync::atomic::{AtomicU32, Ordering};
use segment::{Proving, Segment};
use sha2::Sha256;

const DEFAULT_MEMORY_BYTES: usize = 256 << 20;

/// What an operation of proving costs in squarings: a composition, and what goes with it (`examples/prove.rs`).
const OPERATION_COST: f64 = 1.2;

/// How an evaluation is to be proved, and within what memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EvaluationOptions {
    /// `None`: one segment (depth 0, 200 bytes). `Some(n)`: two, the first of n squarings (depth 1, 341 bytes), so that
    /// the first can be proved while the second is computed.
    pub split: Option<u64>,
    /// Bound on all that the evaluation holds, in bytes: stored forms, the prover's buckets, and the forms once more
    /// while it resumes from a checkpoint. Less memory makes proving slower, not wrong. Below a few kilobytes it is not
    /// kept.
    pub memory_bytes: usize,
}

impl Default for EvaluationOptions {
    fn default() -> Self {
        Self { split: None, memory_bytes: DEFAULT_MEMORY_BYTES }
    }
}

/// What an evaluation is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Squaring; on more than one thread also proving the first of two segments while squaring the second.
    Squaring,
    /// All squarings are done, and what is left of the proof is made.
    Proving,
    /// The proof is there.
    Done,
}

/// How a call of [`Evaluation::advance`] ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The steps were done, and there are more to do.
    Paused,
    /// The stop word was set.
    Stopped,
    /// The proof is there.
    Done,
    /// The finished proof does not verify: the machine has miscalculated. Resume from an earlier checkpoint.
    Failed,
}

enum Outcome {
    Proof(Vec<u8>),
    Failed,
}

/// A repeated squaring with its proof: a state machine that advances in slices and can be stored at any point between
/// them.
pub struct Evaluation {
    discriminant: Discriminant,
    x: Form,
    iterations: u64,
    /// `x^(2^squarings)`
    current: Form,
    squarings: u64,
    /// One or two.
    segments: Vec<Segment>,
    /// Over the records of all segments.
    records_hash: Sha256,
    threads: usize,
    /// Operations that the proof still took when the last squaring was done.
    operations_at_end: f64,
    outcome: Option<Outcome>,
}

impl Evaluation {
    /// Begins to compute `x^(2^iterations)` and its proof, on one thread. `x` must be of this discriminant.
    ///
    /// # Errors
    /// [`Error::Split`] if a split leaves either segment without a squaring.
    pub fn new(
        discriminant: Discriminant,
        x: Form,
        iterations: u64,
        options: EvaluationOptions,
    ) -> Result<Self, Error> {
        let EvaluationOptions { split, memory_bytes } = options;
        if split.is_some_and(|split| split == 0 || split >= iterations) {
            return Err(Error::Split);
        }
        let segments = Segment::plan(iterations, split, memory_bytes as u64);
        let mut evaluation = Self::at_start(discriminant, &x, iterations, segments);
        evaluation.finish_segment();
        Ok(evaluation)
    }

    fn at_start(discriminant: Discriminant, x: &Form, iterations: u64, segments: Vec<Segment>) -> Self {
        Self {
            discriminant,
            x: *x,
            iterations,
            current: *x,
            squarings: 0,
            segments,
            records_hash: Sha256::default(),
            threads: 1,
            operations_at_end: 0.0,
            outcome: None,
        }
    }

    /// How many threads [`Self::advance`] may use from now on, the caller's among them; at least 1, where none is
    /// begun.
    ///
    /// Squaring takes one thread. The others make the first of two segments' proof meanwhile; after the last squaring
    /// all of them prove. The proof's bytes are the same whatever their number, which may change at any time.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// Does about `max_steps` squarings, or steps of proving. Ends early when `stop` is not zero; every thread reads it
    /// at least once in a few milliseconds.
    ///
    /// Nothing is lost by stopping. The last call also verifies the proof, which takes a few milliseconds.
    pub fn advance(&mut self, max_steps: u64, stop: &AtomicU32) -> Step {
        let mut left = max_steps;
        loop {
            match self.outcome {
                Some(Outcome::Proof(_)) => return Step::Done,
                Some(Outcome::Failed) => return Step::Failed,
                None if left == 0 => return Step::Paused,
                None if stop.load(Ordering::Relaxed) != 0 => return Step::Stopped,
                None if self.squarings < self.iterations => left -= self.square(left, stop),
                None => left = left.saturating_sub(self.prove(left, stop)),
            }
        }
    }

    /// About `budget` steps of proving; at the end, assembles the proof. Returns how many.
    fn prove(&mut self, budget: u64, stop: &AtomicU32) -> u64 {
        if let Some(segment) = self.segments.iter_mut().find(|segment| segment.to_be_proved()) {
            let halted = || stop.load(Ordering::Relaxed) != 0;
            return segment.prove(budget, self.threads, &self.discriminant, &halted);
        }
        self.outcome = Some(self.conclude());
        0
    }

    /// The proof from all segments' witnesses, verified.
    fn conclude(&self) -> Outcome {
        let proved: Vec<_> = self.segments.iter().filter_map(Segment::proved).collect();
        let (last, earlier) = proved.split_last().expect("there is a segment, and all are proved");
        let proof = assemble(earlier, last, &self.discriminant);
        let x = self.x.encode(&self.discriminant);
        match verify(&self.discriminant, &x, self.iterations, &proof, earlier.len() as u32) {
            Ok(()) => Outcome::Proof(proof),
            Err(_) => Outcome::Failed,
        }
    }

    /// The form that a segment begins with; the one before must have been squared through.
    fn segment_x(&self, index: usize) -> Form {
        let before = index.checked_sub(1).and_then(|before| self.segments[before].proving.as_ref());
        before.map_or(self.x, |before| before.end)
    }

    /// Where the last squaring of a segment is done, makes it one to be proved.
    fn finish_segment(&mut self) {
        let Some(index) = self.segments.iter().position(|segment| segment.proving.is_none()) else {
            return;
        };
        if self.squarings == self.segments[index].end() {
            let prover = self.segments[index].prover(&self.segment_x(index), &self.current, &self.discriminant);
            self.segments[index].proving = Some(Proving { end: self.current, prover });
            self.operations_at_end = self.operations_left();
        }
    }

    /// Group operations that the proof still takes.
    fn operations_left(&self) -> f64 {
        self.segments.iter().map(Segment::operations_left).sum()
    }

    /// Squarings done, of `iterations()`.
    #[must_use]
    pub fn squarings(&self) -> u64 {
        self.squarings
    }

    /// Squarings to do in all.
    #[must_use]
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// Squarings of the first of two segments; `None` for one segment.
    #[must_use]
    pub fn split(&self) -> Option<u64> {
        self.segments.get(1).map(|second| second.start)
    }

    /// What is being done.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match self.outcome {
            Some(Outcome::Proof(_)) => Phase::Done,
            None if self.squarings < self.iterations => Phase::Squaring,
            None | Some(Outcome::Failed) => Phase::Proving,
        }
    }

    /// Finished share of the present phase, 0 to 1: of all squarings, or of the proving left when the last squaring was
    /// done.
    #[must_use]
    pub fn phase_progress(&self) -> f64 {
        match self.phase() {
            Phase::Squaring => self.squarings as f64 / self.iterations as f64,
            Phase::Proving => (1.0 - self.operations_left() / self.operations_at_end.max(1.0)).clamp(0.0, 1.0),
            Phase::Done => 1.0,
        }
    }

    /// An estimate of the time to the proof on the threads there are, in squarings: those left, and the proving that
    /// they don't hide.
    #[must_use]
    pub fn remaining(&self) -> f64 {
        let squarings_left = (self.iterations - self.squarings) as f64;
        let helpers = (self.threads - 1) as f64;
        let last = self.segments.len() - 1;
        let operations = |segments: &[Segment]| segments.iter().map(Segment::operations_left).sum::<f64>();
        // helpers have the squarings of the last segment, as far as they are still to come, for the segments before it
        let hidden = helpers * squarings_left.min(self.segments[last].length as f64);
        let in_view = (OPERATION_COST * operations(&self.segments[..last]) - hidden).max(0.0);
        let after = in_view + OPERATION_COST * operations(&self.segments[last..]);
        squarings_left + after / self.threads as f64
    }

    /// Intermediate forms stored so far.
    #[must_use]
    pub fn intermediate_count(&self) -> u64 {
        self.segments.iter().map(|segment| segment.records.count()).sum()
    }

    /// The records of intermediate forms from an index on, 128 bytes each. Records never change: append these to those
    /// before them.
    #[must_use]
    pub fn intermediates(&self, from: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut before = 0;
        for segment in &self.segments {
            segment.records.copy_from(from.saturating_sub(before), &mut bytes);
            before += segment.records.count();
        }
        bytes
    }

    /// The proof, once [`Phase::Done`] is reached: `y || pi`, or `y || pi || squarings || B || pi` with two segments.
    #[must_use]
    pub fn proof(&self) -> Option<Vec<u8>> {
        match &self.outcome {
            Some(Outcome::Proof(proof)) => Some(proof.clone()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
