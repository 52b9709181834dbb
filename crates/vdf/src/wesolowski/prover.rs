//! Proving: `x^floor(2^n / B)` from stored intermediate forms, in steps.

use super::digits::Digits;
use super::plan::Plan;
use crate::discriminant::Discriminant;
use crate::form::Form;
use crate::hash_prime::B_LIMBS;
use crate::uint::Uint;

/// Computes a segment's witness.
///
/// With k-bit digits d_i of the exponent and the stored forms `C_j = x^(2^(k passes j))`, the witness is the product over the passes r of
/// `(product over j of C_j^d_(passes j + r))^(2^(k r))`. A pass puts every C_j into the bucket of its digit, then combines the buckets;
/// Horner's rule joins the passes, from the highest r down.
pub(crate) struct Prover {
    prime: Uint<B_LIMBS>,
    squarings: u64,
    plan: Plan,
    /// Passes still to be begun or under way; the present one is r = passes_left - 1.
    passes_left: u64,
    /// The product of the finished passes.
    power: Form,
    pass: Pass,
}

/// What a pass is doing.
enum Pass {
    /// Raising the earlier passes' product to the power 2^k.
    Raise { power: Form, squarings_left: u32 },
    /// Sorting forms into buckets.
    Collect { power: Form, digits: Box<Digits>, buckets: Vec<Option<Form>> },
    /// The product over the digits d of bucket_d^d, from the highest d down: `running` is the product of the buckets so far, `sum` that of
    /// all values of `running`.
    Combine { power: Form, buckets: Vec<Option<Form>>, running: Option<Form>, sum: Option<Form> },
    Done,
}

impl Prover {
    pub(crate) fn new(prime: Uint<B_LIMBS>, squarings: u64, plan: Plan, discriminant: &Discriminant) -> Self {
        Self::resume(prime, squarings, plan, plan.passes, Form::identity(discriminant))
    }

    /// Goes on at the beginning of a pass, from what [`Self::resume_point`] said.
    pub(crate) fn resume(prime: Uint<B_LIMBS>, squarings: u64, plan: Plan, passes_left: u64, power: Form) -> Self {
        let mut prover = Self { prime, squarings, plan, passes_left, power, pass: Pass::Done };
        prover.begin_pass();
        prover
    }

    /// Passes not finished, and the product of those that are.
    pub(crate) fn resume_point(&self) -> (u64, &Form) {
        (self.passes_left, &self.power)
    }

    pub(crate) fn prime(&self) -> &Uint<B_LIMBS> {
        &self.prime
    }

    /// The witness, once it is there.
    pub(crate) fn witness(&self) -> Option<&Form> {
        matches!(self.pass, Pass::Done).then_some(&self.power)
    }

    /// Share of the work that is done, 0 to 1.
    pub(crate) fn progress(&self) -> f64 {
        let total = self.plan.passes as f64;
        let buckets = f64::from(self.plan.buckets());
        let digits = (self.squarings / u64::from(self.plan.digit_bits)) as f64 / total;
        let within = match &self.pass {
            Pass::Raise { .. } => 0.0,
            Pass::Collect { digits: left, .. } => digits - left.left() as f64,
            Pass::Combine { buckets: left, .. } => digits + 2.0 * (buckets - left.len() as f64),
            Pass::Done => return 1.0,
        };
        let finished = total - self.passes_left as f64;
        ((finished + within / (digits + 2.0 * buckets)) / total).clamp(0.0, 1.0)
    }

    /// Does at least one and about `budget` group operations, unless it is done; returns how many. `form_at` gives C_j.
    pub(crate) fn advance(&mut self, budget: u64, form_at: &dyn Fn(u64) -> Form, discriminant: &Discriminant) -> u64 {
        let mut work = 0;
        while work < budget.max(1) {
            match &mut self.pass {
                Pass::Raise { power, squarings_left } => {
                    if *squarings_left > 0 {
                        *power = power.square(discriminant);
                        *squarings_left -= 1;
                        work += 1;
                    } else {
                        self.collect();
                    }
                }
                Pass::Collect { digits, buckets, .. } => match digits.next() {
                    Some((_, 0)) => {}
                    Some((index, digit)) => {
                        let form = form_at(index);
                        let form = if digit < 0 { form.inverse() } else { form };
                        multiply(&mut buckets[digit.unsigned_abs() as usize - 1], &form, discriminant);
                        work += 1;
                    }
                    None => self.combine(),
                },
                Pass::Combine { buckets, running, sum, .. } => match buckets.pop() {
                    Some(bucket) => {
                        if let Some(bucket) = bucket {
                            multiply(running, &bucket, discriminant);
                        }
                        if let Some(running) = running {
                            multiply(sum, running, discriminant);
                        }
                        work += 2;
                    }
                    None => self.finish_pass(discriminant),
                },
                Pass::Done => break,
            }
        }
        work
    }

    fn begin_pass(&mut self) {
        self.pass = if self.passes_left == 0 {
            Pass::Done
        } else {
            // before the first pass there is nothing to raise
            let squarings_left = if self.passes_left == self.plan.passes { 0 } else { self.plan.digit_bits };
            Pass::Raise { power: self.power, squarings_left }
        };
    }

    fn collect(&mut self) {
        let Pass::Raise { power, .. } = self.pass else { return };
        let Plan { digit_bits, passes } = self.plan;
        self.pass = Pass::Collect {
            power,
            digits: Box::new(Digits::new(&self.prime, self.squarings, digit_bits, passes, self.passes_left - 1)),
            buckets: vec![None; self.plan.buckets() as usize],
        };
    }

    fn combine(&mut self) {
        let Pass::Collect { power, buckets, .. } = &mut self.pass else { return };
        self.pass = Pass::Combine { power: *power, buckets: core::mem::take(buckets), running: None, sum: None };
    }

    fn finish_pass(&mut self, discriminant: &Discriminant) {
        let Pass::Combine { power, sum, .. } = &self.pass else { return };
        self.power = match sum {
            Some(sum) => power.compose(sum, discriminant),
            None => *power,
        };
        self.passes_left -= 1;
        self.begin_pass();
    }
}

fn multiply(product: &mut Option<Form>, factor: &Form, discriminant: &Discriminant) {
    *product = Some(match product {
        Some(product) => product.compose(factor, discriminant),
        None => *factor,
    });
}
