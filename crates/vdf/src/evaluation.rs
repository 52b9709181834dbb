//! Evaluations: the squarings, then the proof, in slices, and checkpoints of both.

mod checkpoint;
mod log;
mod record;

use crate::discriminant::Discriminant;
use crate::error::Error;
use crate::form::Form;
use crate::hash_prime::challenge;
use crate::wesolowski::{Plan, Prover, Segment, assemble, verify};
use core::sync::atomic::{AtomicU32, Ordering};
use log::Log;
use record::RECORD_BYTES;

/// The stop word is read at least once in so many squarings or compositions: a few milliseconds.
const STOP_INTERVAL: u64 = 1024;

const DEFAULT_MEMORY_BYTES: usize = 256 << 20;

/// How an evaluation is to be proved, and within what memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EvaluationOptions {
    /// `None`: one segment (depth 0, 200 bytes). `Some(n)`: two, the first of n squarings, proved before the second begins (depth 1, 341 bytes).
    pub split: Option<u64>,
    /// Bound on the stored intermediate forms, in bytes. Fewer forms make proving slower, not wrong.
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
    /// Squaring. With two segments there are two such phases, each followed by one of proving.
    Squaring,
    /// Proving the segment just squared.
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

enum Stage {
    Squaring,
    Proving(Box<Prover>),
    Done(Vec<u8>),
    Failed,
}

/// A repeated squaring with its proof: a state machine that advances in slices and can be stored at any point between them.
pub struct Evaluation {
    discriminant: Discriminant,
    x: Form,
    iterations: u64,
    split: Option<u64>,
    plan: Plan,
    /// `x^(2^squarings)`
    current: Form,
    squarings: u64,
    log: Log,
    /// The first of two segments, once it is proved.
    first: Option<Segment>,
    stage: Stage,
}

impl Evaluation {
    /// Begins to compute `x^(2^iterations)` and its proof. `x` must be of this discriminant.
    ///
    /// # Errors
    /// [`Error::Split`] if a split leaves either segment without a squaring.
    pub fn new(
        discriminant: Discriminant,
        x: Form,
        iterations: u64,
        options: EvaluationOptions,
    ) -> Result<Self, Error> {
        if options.split.is_some_and(|split| split == 0 || split >= iterations) {
            return Err(Error::Split);
        }
        // each of two segments can have one form more than its share
        let max_forms = (options.memory_bytes / RECORD_BYTES).saturating_sub(2) as u64;
        Ok(Self {
            discriminant,
            x,
            iterations,
            split: options.split,
            plan: Plan::choose(iterations, max_forms),
            current: x,
            squarings: 0,
            log: Log::new(),
            first: None,
            stage: Stage::Squaring,
        })
    }

    /// Does about `max_steps` squarings, or as many steps of proving; less when `stop` is found to be other than zero.
    ///
    /// Nothing is lost by stopping. The last call also verifies the proof, which takes a few milliseconds.
    pub fn advance(&mut self, max_steps: u64, stop: &AtomicU32) -> Step {
        let mut left = max_steps;
        loop {
            match &self.stage {
                Stage::Done(_) => return Step::Done,
                Stage::Failed => return Step::Failed,
                Stage::Squaring | Stage::Proving(_) if left == 0 => return Step::Paused,
                Stage::Squaring | Stage::Proving(_) if stop.load(Ordering::Relaxed) != 0 => {
                    return Step::Stopped;
                }
                Stage::Squaring => left -= self.square(left.min(STOP_INTERVAL)),
                Stage::Proving(_) => {
                    left = left.saturating_sub(self.prove(left.min(STOP_INTERVAL)));
                }
            }
        }
    }

    /// At most `budget` squarings of the present segment; at its end, turns to proving. Returns how many.
    fn square(&mut self, budget: u64) -> u64 {
        let segment = self.segment();
        let end = segment.start + segment.length;
        let until = self.squarings.saturating_add(budget).min(end);
        let begun = self.squarings;
        while self.squarings < until {
            // one run to the next form that is stored
            let since_stored = (self.squarings - segment.start) % self.plan.stride();
            if since_stored == 0 {
                self.log.push(&self.current);
            }
            let run = (until - self.squarings).min(self.plan.stride() - since_stored);
            for _ in 0..run {
                self.current = self.current.square(&self.discriminant);
            }
            self.squarings += run;
        }
        if self.squarings == end {
            let prime = challenge(&segment.x.encode(&self.discriminant), &self.current.encode(&self.discriminant));
            self.stage = Stage::Proving(Box::new(Prover::new(prime, segment.length, self.plan, &self.discriminant)));
        }
        self.squarings - begun
    }

    /// About `budget` steps of proving; at the end, turns to the next segment or assembles the proof. Returns how many.
    fn prove(&mut self, budget: u64) -> u64 {
        let segment = self.segment();
        let Stage::Proving(prover) = &mut self.stage else {
            return 0;
        };
        let (log, discriminant) = (&self.log, &self.discriminant);
        let work = prover.advance(budget, &|index| log.form(segment.first_record + index, discriminant), discriminant);
        if let Some(witness) = prover.witness() {
            let proved =
                Segment { squarings: segment.length, prime: *prover.prime(), end: self.current, witness: *witness };
            if self.split.is_some() && self.first.is_none() {
                self.first = Some(proved);
                self.stage = Stage::Squaring;
            } else {
                let proof = assemble(self.first.as_ref(), &proved, &self.discriminant);
                let depth = u32::from(self.first.is_some());
                let x = self.x.encode(&self.discriminant);
                let holds = verify(&self.discriminant, &x, self.iterations, &proof, depth).is_ok();
                self.stage = if holds { Stage::Done(proof) } else { Stage::Failed };
            }
        }
        work
    }

    /// The segment at work.
    fn segment(&self) -> Span {
        match (self.split, &self.first) {
            (None, _) => Span { start: 0, length: self.iterations, first_record: 0, x: self.x },
            (Some(split), None) => Span { start: 0, length: split, first_record: 0, x: self.x },
            (Some(split), Some(first)) => Span {
                start: split,
                length: self.iterations - split,
                first_record: split.div_ceil(self.plan.stride()),
                x: first.end,
            },
        }
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
        self.split
    }

    /// What is being done.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match self.stage {
            Stage::Squaring => Phase::Squaring,
            Stage::Proving(_) | Stage::Failed => Phase::Proving,
            Stage::Done(_) => Phase::Done,
        }
    }

    /// Share of the present phase that is done, 0 to 1: of all squarings while squaring, of the segment's proof while proving.
    #[must_use]
    pub fn phase_progress(&self) -> f64 {
        match &self.stage {
            Stage::Squaring => self.squarings as f64 / (self.iterations as f64).max(1.0),
            Stage::Proving(prover) => prover.progress(),
            Stage::Done(_) | Stage::Failed => 1.0,
        }
    }

    /// Intermediate forms stored so far.
    #[must_use]
    pub fn intermediate_count(&self) -> u64 {
        self.log.count()
    }

    /// The records of intermediate forms from an index on, 128 bytes each. Records never change: append these to those before them.
    #[must_use]
    pub fn intermediates(&self, from: u64) -> Vec<u8> {
        self.log.bytes_from(from).to_vec()
    }

    /// The proof, once [`Phase::Done`] is reached: `y || pi`, or `y || pi || squarings || B || pi` with two segments.
    #[must_use]
    pub fn proof(&self) -> Option<Vec<u8>> {
        match &self.stage {
            Stage::Done(proof) => Some(proof.clone()),
            _ => None,
        }
    }
}

/// A segment's place in the evaluation.
struct Span {
    start: u64,
    length: u64,
    /// Index of the segment's first intermediate form.
    first_record: u64,
    x: Form,
}

#[cfg(test)]
mod tests;
