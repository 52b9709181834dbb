//! Segments: squarings that are proved by themselves.

use super::record::RECORD_BYTES;
use super::record::Records;
use crate::discriminant::Discriminant;
use crate::form::Form;
use crate::hash_prime::challenge;
use crate::wesolowski::{Means, Plan, ProvedSegment, Prover};

/// The second of two segments has at most this part of the memory: it is short, but its proof is what everybody waits
/// for.
const SECOND_SEGMENT_PART: u64 = 4;

pub(super) struct Segment {
    /// Squarings before it.
    pub(super) start: u64,
    /// Its squarings.
    pub(super) length: u64,
    pub(super) plan: Plan,
    pub(super) records: Records,
    /// From its last squaring on.
    pub(super) proving: Option<Proving>,
}

pub(super) struct Proving {
    /// The segment's last form.
    pub(super) end: Form,
    pub(super) prover: Prover,
}

impl Segment {
    pub(super) fn new(start: u64, length: u64, plan: Plan) -> Self {
        Self { start, length, plan, records: Records::default(), proving: None }
    }

    /// The segments of an evaluation, with plans that together stay within `memory_bytes` where that is possible.
    pub(super) fn plan(iterations: u64, split: Option<u64>, memory_bytes: u64) -> Vec<Self> {
        const FORM_BYTES: u64 = RECORD_BYTES as u64;
        let Some(split) = split else {
            return vec![Self::new(0, iterations, Plan::choose(iterations, FORM_BYTES, memory_bytes))];
        };
        let rest = iterations - split;
        let second = Plan::choose(rest, FORM_BYTES, memory_bytes / SECOND_SEGMENT_PART);
        let memory_left = memory_bytes.saturating_sub(second.memory(rest, FORM_BYTES));
        let first = Plan::choose(split, FORM_BYTES, memory_left);
        vec![Self::new(0, split, first), Self::new(split, rest, second)]
    }

    /// Squarings up to its end.
    pub(super) fn end(&self) -> u64 {
        self.start + self.length
    }

    /// Records that belong to it after that many squarings of the evaluation.
    pub(super) fn record_count(&self, squarings: u64) -> u64 {
        self.plan.forms(squarings.saturating_sub(self.start).min(self.length))
    }

    /// The prover of the segment from `x` to `end`.
    pub(super) fn prover(&self, x: &Form, end: &Form, discriminant: &Discriminant) -> Prover {
        let prime = challenge(&x.encode(discriminant), &end.encode(discriminant));
        Prover::new(prime, self.length, self.plan, discriminant)
    }

    /// The segment with its witness, once that is there.
    pub(super) fn proved(&self) -> Option<ProvedSegment> {
        let Proving { end, prover } = self.proving.as_ref()?;
        let witness = *prover.witness()?;
        Some(ProvedSegment { squarings: self.length, prime: *prover.prime(), end: *end, witness })
    }

    /// Whether its squarings are done and its proof is not.
    pub(super) fn to_be_proved(&self) -> bool {
        self.proving.as_ref().is_some_and(|proving| proving.prover.witness().is_none())
    }

    /// Group operations that its proof still takes.
    pub(super) fn operations_left(&self) -> f64 {
        match &self.proving {
            Some(Proving { prover, .. }) => (1.0 - prover.progress()) * prover.operations(),
            None => self.plan.operations(self.length) as f64,
        }
    }

    /// About `budget` group operations of its proof; fewer when `halted`. Returns how many.
    pub(super) fn prove(
        &mut self,
        budget: u64,
        threads: usize,
        discriminant: &Discriminant,
        halted: &(dyn Fn() -> bool + Sync),
    ) -> u64 {
        let records = &self.records;
        let form_at = |index| records.form(index, discriminant);
        let means = Means { discriminant, form_at: &form_at, halted, threads };
        self.proving.as_mut().map_or(0, |proving| proving.prover.advance(budget, &means))
    }
}
