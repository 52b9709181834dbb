//! Evaluations with proof, in slices.

use crate::derive;
use chronym_vdf::{Discriminant, Evaluation, EvaluationOptions, Form, Phase, Step};
use core::sync::atomic::AtomicU32;
use line::serde_json::{Value, json};
use line::{Request, hex, timed};

/// An evaluation, and the checkpoint at the end of its squarings, from which the proof can be made again.
pub struct Evaluating {
    discriminant: Discriminant,
    evaluation: Evaluation,
    squared: Option<(Vec<u8>, Vec<u8>)>,
}

impl Evaluating {
    /// Begins one from the generator. The time is that of deriving its discriminant.
    pub fn begin(request: &Request) -> (Self, Value) {
        let (seed, iterations) = (request.bytes("seed"), request.count("iterations"));
        let ((discriminant, evaluation), times) = timed(|| {
            let discriminant = derive(&seed);
            let x = Form::generator(&discriminant);
            let evaluation = Evaluation::new(discriminant.clone(), x, iterations, EvaluationOptions::default());
            (discriminant, evaluation.expect("no split"))
        });
        (Self { discriminant, evaluation, squared: None }, times)
    }

    /// At most `steps` steps, all of one phase: squaring, or proving.
    pub fn advance(&mut self, request: &Request) -> Value {
        let evaluation = &mut self.evaluation;
        let squaring = evaluation.phase() == Phase::Squaring;
        let left = if squaring { evaluation.iterations() - evaluation.squarings() } else { u64::MAX };
        let steps = request.count("steps").min(left);
        let (step, times) = timed(|| evaluation.advance(steps, &AtomicU32::new(0)));
        assert!(step != Step::Failed, "the finished proof verifies");
        if squaring && evaluation.phase() != Phase::Squaring {
            self.squared = Some((evaluation.state(), evaluation.intermediates(0)));
        }
        json!({ "squaring": squaring, "done": step == Step::Done, "times": times })
    }

    pub fn proof(&self) -> Value {
        json!({ "proof": hex(&self.evaluation.proof().expect("done")) })
    }

    /// Makes the proof again on `threads` threads. The CPU time is that of the calling thread.
    pub fn prove_again(&self, request: &Request) -> Value {
        let (state, intermediates) = self.squared.as_ref().expect("squared");
        let mut evaluation =
            Evaluation::resume(state, intermediates, Some(&self.discriminant)).expect("a checkpoint of our own");
        evaluation.set_threads(usize::try_from(request.count("threads")).expect("a few"));
        let (step, times) = timed(|| evaluation.advance(u64::MAX, &AtomicU32::new(0)));
        assert!(step == Step::Done && evaluation.proof() == self.evaluation.proof(), "the same proof");
        times
    }
}
