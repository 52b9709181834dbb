//! Proving: `x^floor(2^n / B)` from stored intermediate forms, in steps, on any number of threads.

use super::collect::Collecting;
use super::combine::Combining;
use super::digits::Digits;
use super::means::Means;
use super::plan::Plan;
use crate::discriminant::Discriminant;
use crate::form::Form;
use crate::hash_prime::B_LIMBS;
use crate::uint::Uint;

/// Computes a segment's witness.
///
/// With k-bit digits `d_i` of the exponent and the stored forms `C_j = x^(2^(k passes j))`, the witness is a product
/// over the passes r. Its factors are `(product over j of C_j^d_(passes j + r))^(2^(k r))`. A pass puts every `C_j`
/// into the bucket of its digit, then combines the buckets. Horner's rule joins the passes, from the highest r down.
///
/// Threads share the buckets, each with its own range. So any number of threads uses one set of buckets and the same
/// operations.
pub(crate) struct Prover {
    prime: Uint<B_LIMBS>,
    squarings: u64,
    plan: Plan,
    /// Passes still to be begun or under way; the present one is `r = passes_left - 1`.
    passes_left: u64,
    /// The product of the finished passes.
    power: Form,
    pass: Pass,
}

/// What a pass is doing.
enum Pass {
    /// To begin with the next call: buckets take memory.
    Begin,
    Collect(Box<Collecting>),
    Combine(Combining),
    Done,
}

impl Prover {
    pub(crate) fn new(prime: Uint<B_LIMBS>, squarings: u64, plan: Plan, discriminant: &Discriminant) -> Self {
        let power = Form::identity(discriminant);
        Self { prime, squarings, plan, passes_left: plan.passes, power, pass: Pass::Begin }
    }

    /// The same prover at the beginning of a pass, from what [`Self::resume_point`] said.
    pub(crate) fn resumed(self, passes_left: u64, power: &Form) -> Self {
        let pass = if passes_left == 0 { Pass::Done } else { Pass::Begin };
        Self { passes_left, power: *power, pass, ..self }
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

    /// Group operations in all.
    pub(crate) fn operations(&self) -> f64 {
        self.plan.operations(self.squarings) as f64
    }

    /// Share of the work that is done, 0 to 1.
    pub(crate) fn progress(&self) -> f64 {
        let passes = self.plan.passes as f64;
        let digits = (self.squarings / u64::from(self.plan.digit_bits)) as f64 / passes;
        let combining = 2.0 * f64::from(self.plan.buckets());
        let left = match &self.pass {
            Pass::Begin => digits + combining,
            Pass::Collect(collecting) => collecting.left().min(digits) + combining,
            Pass::Combine(combining) => combining.left(),
            Pass::Done => return 1.0,
        };
        let passes_done = passes - self.passes_left as f64 + 1.0 - left / (digits + combining);
        (passes_done / passes).clamp(0.0, 1.0)
    }

    /// Does at least one and about `budget` group operations, unless it is done or halted; returns about how many.
    pub(crate) fn advance(&mut self, budget: u64, means: &Means) -> u64 {
        let budget = budget.max(1);
        let mut work = 0;
        while work < budget && !(means.halted)() {
            match &mut self.pass {
                Pass::Begin => {
                    let Plan { digit_bits, passes } = self.plan;
                    let digits = Digits::new(&self.prime, self.squarings, digit_bits, passes, self.passes_left - 1);
                    self.pass = Pass::Collect(Box::new(Collecting::new(digits, self.plan.buckets())));
                }
                Pass::Collect(collecting) => match collecting.take_finished() {
                    None => work += collecting.advance(budget - work, means),
                    Some(buckets) => self.pass = Pass::Combine(Combining::new(buckets, means.threads)),
                },
                Pass::Combine(combining) if !combining.is_finished() => {
                    work += combining.advance(budget - work, means);
                }
                Pass::Combine(combining) => {
                    let product = combining.product(means.discriminant);
                    self.finish_pass(product.as_ref(), means.discriminant);
                }
                Pass::Done => break,
            }
        }
        work
    }

    /// `product`: of the pass, or `None` for the neutral element.
    fn finish_pass(&mut self, product: Option<&Form>, discriminant: &Discriminant) {
        // before the first pass there is nothing to raise
        if self.passes_left != self.plan.passes {
            for _ in 0..self.plan.digit_bits {
                self.power = self.power.square(discriminant);
            }
        }
        if let Some(product) = product {
            self.power = self.power.compose(product, discriminant);
        }
        self.passes_left -= 1;
        self.pass = if self.passes_left == 0 { Pass::Done } else { Pass::Begin };
    }
}

#[cfg(test)]
mod tests {
    use super::{Means, Plan, Prover};
    use crate::uint::Uint;
    use crate::{Discriminant, Form};
    use core::sync::atomic::{AtomicU64, Ordering};

    const SQUARINGS: u64 = 1200;

    fn prime() -> Uint<5> {
        // nothing in proving needs it to be prime
        Uint([0x1234_5678_9abc_def1, 5, u64::MAX, 0x0123_4567_89ab_cdef, 0xc3])
    }

    /// The forms `C_j`, and the witness by its definition.
    fn expected(x: &Form, plan: Plan, discriminant: &Discriminant) -> (Vec<Form>, Form) {
        let (mut forms, mut form) = (Vec::new(), *x);
        for squarings in 0..SQUARINGS {
            if squarings.is_multiple_of(plan.stride()) {
                forms.push(form);
            }
            form = form.square(discriminant);
        }
        let (quotient, _) = Uint::<20>::ONE.shl(SQUARINGS as usize).div_rem(&prime());
        let mut exponent = [0; 160];
        quotient.write_be(&mut exponent);
        (forms, x.pow(&exponent, discriminant))
    }

    #[test]
    fn every_plan_on_any_number_of_threads_gives_the_power() {
        let d = Discriminant::from_seed(b"prover tests", 256).unwrap();
        let x = Form::generator(&d);
        for (digit_bits, passes) in [(1, 1), (1, 40), (4, 1), (5, 7), (8, 2), (10, 1), (3, 1300)] {
            let plan = Plan { digit_bits, passes };
            let (forms, witness) = expected(&x, plan, &d);
            for threads in [1, 2, 5] {
                for budget in [1, 50, u64::MAX] {
                    let form_at = |index: u64| forms[index as usize];
                    let means = Means { discriminant: &d, form_at: &form_at, halted: &|| false, threads };
                    let mut prover = Prover::new(prime(), SQUARINGS, plan, &d);
                    while prover.witness().is_none() {
                        prover.advance(budget, &means);
                    }
                    assert_eq!(prover.witness(), Some(&witness), "{plan:?} {threads} {budget}");
                }
            }
        }
    }

    #[test]
    fn no_thread_does_more_than_the_operation_under_way_once_it_is_to_halt() {
        let d = Discriminant::from_seed(b"prover tests", 256).unwrap();
        let x = Form::generator(&d);
        let plan = Plan { digit_bits: 7, passes: 3 };
        let (forms, witness) = expected(&x, plan, &d);
        let mut prover = Prover::new(prime(), SQUARINGS, plan, &d);
        while prover.witness().is_none() {
            // asked before each of the operations, which for combining are pairs
            let (questions, operations) = (AtomicU64::new(0), AtomicU64::new(0));
            let halted = || questions.fetch_add(1, Ordering::Relaxed) >= 10;
            let form_at = |index: u64| {
                operations.fetch_add(1, Ordering::Relaxed);
                forms[index as usize]
            };
            let means = Means { discriminant: &d, form_at: &form_at, halted: &halted, threads: 3 };
            assert!(prover.advance(u64::MAX, &means) <= 20);
            assert!(operations.into_inner() <= 10);
        }
        assert_eq!(prover.witness(), Some(&witness));
    }
}
