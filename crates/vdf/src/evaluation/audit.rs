//! Whether what a stranger's checkpoint adds to an accepted one was squared.
//!
//! Stored forms are points of a chain: each is the one before it, squared a known number of times, its gap. All links
//! are checked at once by the test of small exponents (Bellare, Garay, Rabin: Fast batch verification, 1998). With
//! weights `r_i` that nobody can foresee,
//! ```text
//! product of P_i^(r_i 2^gap_i) = product of P_(i+1)^(r_i)
//! ```
//! holds for a chain with a wrong link once in `2^32`. As Wesolowski's proofs, it rests on elements of low order being
//! out of reach. It takes as many squarings as the widest gap, and [`PLACES`] compositions for each side of a link.

use super::Evaluation;
use super::record::{self, RECORD_BYTES};
use super::segment::{Proving, Segment};
use super::squaring::STOP_INTERVAL;
use crate::discriminant::Discriminant;
use crate::error::Error;
use crate::form::Form;
use crate::wesolowski::multiply;
use core::sync::atomic::{AtomicU32, Ordering};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Digits of a weight, a byte each.
const PLACES: usize = 4;

/// Absolute values that a digit other than 0 has: from 1 up.
const BUCKETS: usize = 128;

/// A checkpoint of a stranger, and the accepted one that it goes on from.
#[derive(Clone, Copy, Debug)]
pub struct Audit<'a> {
    /// The state of the accepted one: made here, or by [`Audit::accept`].
    pub accepted: &'a [u8],
    /// The stranger's state.
    pub state: &'a [u8],
    /// Squarings that it is said to have.
    pub squarings: u64,
    /// The records that this state counts and the accepted one does not.
    pub added: &'a [u8],
    /// SHA-256 over all records that this state counts: the accepted ones, and those added.
    pub records_digest: [u8; 32],
    /// Random bytes that the stranger could not know when it made the checkpoint.
    pub key: [u8; 32],
}

impl Audit<'_> {
    /// The state to go on from in the stranger's place: with its squarings, and without what it has of a proof, which
    /// nothing shows to be right.
    ///
    /// # Errors
    /// [`Error::CheckpointUnfounded`] for what is to be refused, [`Error::CheckpointState`] for an accepted state that
    /// is none of this discriminant, [`Error::Stopped`] once `stop` is not zero.
    pub fn accept(&self, discriminant: &Discriminant, stop: &AtomicU32) -> Result<Vec<u8>, Error> {
        let read = |state| Evaluation::without_records(state, Some(discriminant));
        let (mut accepted, _) = read(self.accepted).ok_or(Error::CheckpointState)?;
        let (claimed, digest) = read(self.state).ok_or(Error::CheckpointUnfounded)?;
        let is_as_said = claimed.squarings == self.squarings && digest == self.records_digest;
        if !is_as_said || !goes_on(&accepted, &claimed, self.added.len()) {
            return Err(Error::CheckpointUnfounded);
        }
        self.check_links(&accepted, &claimed, stop)?;
        for segment in &claimed.segments {
            if let Some(finished) = newly_finished(segment, &accepted) {
                (accepted.squarings, accepted.current) = (segment.end(), finished.end);
                accepted.finish_segment();
            }
        }
        (accepted.squarings, accepted.current) = (claimed.squarings, claimed.current);
        Ok(accepted.state_over(digest))
    }

    /// Whether every form that the claim adds is what the one before it leads to.
    fn check_links(&self, accepted: &Evaluation, claimed: &Evaluation, stop: &AtomicU32) -> Result<(), Error> {
        let discriminant = &accepted.discriminant;
        let mut links = Links::new(accepted, &self.key);
        let mut records = self.added.as_chunks::<RECORD_BYTES>().0.iter();
        for segment in &claimed.segments {
            for index in segment.record_count(accepted.squarings)..segment.record_count(claimed.squarings) {
                check(stop)?;
                let form = records.next().and_then(|bytes| record::read(bytes, discriminant));
                links.add(segment.start + index * segment.plan.stride(), &form.ok_or(Error::CheckpointUnfounded)?);
            }
            if let Some(finished) = newly_finished(segment, accepted) {
                links.add(segment.end(), &finished.end);
            }
        }
        links.add(claimed.squarings, &claimed.current);
        if links.hold(stop)? { Ok(()) } else { Err(Error::CheckpointUnfounded) }
    }
}

/// Whether a claim is of the same evaluation, further, and adds that many bytes of records.
fn goes_on(accepted: &Evaluation, claimed: &Evaluation, bytes: usize) -> bool {
    let shape = |of: &Evaluation| of.segments.iter().map(|segment| (segment.end(), segment.plan)).collect::<Vec<_>>();
    claimed.x == accepted.x
        && shape(claimed) == shape(accepted)
        && claimed.squarings > accepted.squarings
        && (claimed.record_count() - accepted.record_count()).checked_mul(RECORD_BYTES as u64) == Some(bytes as u64)
}

/// What a claim says of a segment whose last squaring the accepted checkpoint has not done.
fn newly_finished<'a>(segment: &'a Segment, accepted: &Evaluation) -> Option<&'a Proving> {
    segment.proving.as_ref().filter(|_| segment.end() > accepted.squarings)
}

fn check(stop: &AtomicU32) -> Result<(), Error> {
    if stop.load(Ordering::Relaxed) == 0 { Ok(()) } else { Err(Error::Stopped) }
}

// The test of all links at once.

struct Links<'a> {
    discriminant: &'a Discriminant,
    weights: Weights,
    /// The last point: squarings before it, and its form.
    at: u64,
    form: Form,
    /// By gap, the points that such links begin with, each to the power of its weight.
    begins: BTreeMap<u64, Product>,
    /// The points that links end with, likewise.
    ends: Product,
}

impl<'a> Links<'a> {
    fn new(accepted: &'a Evaluation, key: &[u8; 32]) -> Self {
        Self {
            discriminant: &accepted.discriminant,
            weights: Weights { hash: Sha256::new_with_prefix(key), count: 0, ready: Vec::new() },
            at: accepted.squarings,
            form: accepted.current,
            begins: BTreeMap::new(),
            ends: Product::default(),
        }
    }

    /// From the last point to the next one.
    fn add(&mut self, at: u64, form: &Form) {
        let weight = self.weights.take();
        self.begins.entry(at - self.at).or_default().multiply(&self.form, weight, self.discriminant);
        self.ends.multiply(form, weight, self.discriminant);
        (self.at, self.form) = (at, *form);
    }

    fn hold(self, stop: &AtomicU32) -> Result<bool, Error> {
        let (mut power, mut left) = (Form::identity(self.discriminant), 0);
        let mut square_to = |power: &mut Form, gap: u64| -> Result<(), Error> {
            while left > gap {
                check(stop)?;
                let run = (left - gap).min(STOP_INTERVAL);
                *power = power.square_times(run, self.discriminant);
                left -= run;
            }
            left = gap;
            Ok(())
        };
        // from the widest down, each gap joins where as many squarings are left
        for (gap, begins) in self.begins.into_iter().rev() {
            square_to(&mut power, gap)?;
            power = power.compose(&begins.value(self.discriminant), self.discriminant);
        }
        square_to(&mut power, 0)?;
        Ok(power == self.ends.value(self.discriminant))
    }
}

/// Numbers from a key, as digits of a byte each, the lowest first.
struct Weights {
    /// Of the key.
    hash: Sha256,
    count: u64,
    ready: Vec<[i8; PLACES]>,
}

impl Weights {
    fn take(&mut self) -> [i8; PLACES] {
        if self.ready.is_empty() {
            let block: [u8; 32] = self.hash.clone().chain_update(self.count.to_be_bytes()).finalize().into();
            self.ready.extend(block.as_chunks::<PLACES>().0.iter().map(|digits| digits.map(u8::cast_signed)));
            self.count += 1;
        }
        self.ready.pop().expect("a block has some")
    }
}

/// A product of powers in the making: for each place, forms multiplied into the bucket of their digit.
struct Product([Vec<Option<Form>>; PLACES]);

impl Default for Product {
    fn default() -> Self {
        Self(core::array::from_fn(|_| vec![None; BUCKETS]))
    }
}

impl Product {
    /// By `form` to the power of `weight`.
    fn multiply(&mut self, form: &Form, weight: [i8; PLACES], discriminant: &Discriminant) {
        for (buckets, digit) in self.0.iter_mut().zip(weight) {
            if let Some(bucket) = usize::from(digit.unsigned_abs()).checked_sub(1) {
                let factor = if digit < 0 { form.inverse() } else { *form };
                multiply(&mut buckets[bucket], &factor, discriminant);
            }
        }
    }

    fn value(&self, discriminant: &Discriminant) -> Form {
        let mut value = Form::identity(discriminant);
        for buckets in self.0.iter().rev() {
            value = value.square_times(8, discriminant);
            // running has each bucket from its turn on, so that the digit counts how often value takes it in
            let mut running = None;
            for bucket in buckets.iter().rev() {
                if let Some(form) = bucket {
                    multiply(&mut running, form, discriminant);
                }
                if let Some(running) = &running {
                    value = value.compose(running, discriminant);
                }
            }
        }
        value
    }
}

#[cfg(test)]
mod tests;
