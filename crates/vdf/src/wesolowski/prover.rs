//! Proving: `x^floor(2^n / B)` from stored intermediate forms, in steps.

use super::digits::Digits;
use super::plan::Plan;
use crate::discriminant::Discriminant;
use crate::form::Form;
use crate::hash_prime::B_LIMBS;
use crate::uint::Uint;

/// Computes a segment's witness.
///
/// With k-bit digits `d_i` of the exponent and the stored forms `C_j = x^(2^(k passes j))`, the witness is the product over the passes r of
/// `(product over j of C_j^d_(passes j + r))^(2^(k r))`. A pass puts every `C_j` into the bucket of its digit, then combines the buckets;
/// Horner's rule joins the passes, from the highest r down.
pub(crate) struct Prover {
    prime: Uint<B_LIMBS>,
    squarings: u64,
    plan: Plan,
    /// Passes still to be begun or under way; the present one is `r = passes_left - 1`.
    passes_left: u64,
    /// The product of the finished passes.
    power: Form,
    /// That product, on the way to its power 2^k.
    raised: Form,
    pass: Pass,
    buckets: Vec<Option<Form>>,
    /// The product of the buckets combined so far in this pass.
    running: Option<Form>,
    /// The product of all values that `running` had: every bucket to the power of its digit.
    sum: Option<Form>,
}

/// What a pass is doing.
enum Pass {
    /// Raising the earlier passes' product to the power 2^k.
    Raise {
        squarings_left: u32,
    },
    /// Sorting forms into buckets.
    Collect(Box<Digits>),
    /// Multiplying the buckets together, from the highest digit down.
    Combine,
    Done,
}

impl Prover {
    pub(crate) fn new(prime: Uint<B_LIMBS>, squarings: u64, plan: Plan, discriminant: &Discriminant) -> Self {
        Self::resume(prime, squarings, plan, plan.passes, &Form::identity(discriminant))
    }

    /// Goes on at the beginning of a pass, from what [`Self::resume_point`] said.
    pub(crate) fn resume(prime: Uint<B_LIMBS>, squarings: u64, plan: Plan, passes_left: u64, power: &Form) -> Self {
        let mut prover = Self {
            prime,
            squarings,
            plan,
            passes_left,
            power: *power,
            raised: *power,
            pass: Pass::Done,
            buckets: Vec::new(),
            running: None,
            sum: None,
        };
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
            Pass::Collect(left) => digits - left.left() as f64,
            Pass::Combine => digits + 2.0 * (buckets - self.buckets.len() as f64),
            Pass::Done => return 1.0,
        };
        let finished = total - self.passes_left as f64;
        ((finished + within.max(0.0) / (digits + 2.0 * buckets)) / total).clamp(0.0, 1.0)
    }

    /// Does at least one and about `budget` group operations, unless it is done; returns how many. `form_at` gives `C_j`.
    pub(crate) fn advance(&mut self, budget: u64, form_at: &dyn Fn(u64) -> Form, discriminant: &Discriminant) -> u64 {
        let mut work = 0;
        while work < budget.max(1) {
            match &mut self.pass {
                Pass::Raise { squarings_left: 0 } => self.begin_collecting(),
                Pass::Raise { squarings_left } => {
                    self.raised = self.raised.square(discriminant);
                    *squarings_left -= 1;
                    work += 1;
                }
                Pass::Collect(digits) => match digits.next() {
                    Some((_, 0)) => {}
                    Some((index, digit)) => {
                        let form = form_at(index);
                        let form = if digit < 0 { form.inverse() } else { form };
                        multiply(&mut self.buckets[digit.unsigned_abs() as usize - 1], &form, discriminant);
                        work += 1;
                    }
                    None => self.pass = Pass::Combine,
                },
                Pass::Combine => match self.buckets.pop() {
                    Some(bucket) => {
                        self.combine(bucket.as_ref(), discriminant);
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
            Pass::Raise { squarings_left }
        };
    }

    fn begin_collecting(&mut self) {
        let Plan { digit_bits, passes } = self.plan;
        let digits = Digits::new(&self.prime, self.squarings, digit_bits, passes, self.passes_left - 1);
        self.buckets.resize(self.plan.buckets() as usize, None);
        self.pass = Pass::Collect(Box::new(digits));
    }

    fn combine(&mut self, bucket: Option<&Form>, discriminant: &Discriminant) {
        if let Some(bucket) = bucket {
            multiply(&mut self.running, bucket, discriminant);
        }
        if let Some(running) = &self.running {
            multiply(&mut self.sum, running, discriminant);
        }
    }

    fn finish_pass(&mut self, discriminant: &Discriminant) {
        if let Some(sum) = &self.sum {
            self.raised = self.raised.compose(sum, discriminant);
        }
        self.power = self.raised;
        (self.running, self.sum) = (None, None);
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
