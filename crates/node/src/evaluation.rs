//! Evaluations.

use crate::convert::{Code, Result, StopWord, bytes, count, invalid, number, refused};
use crate::verification::Discriminant;
use chronym_vdf::{EvaluationOptions, Form, Phase, Step};
use napi::Env;
use napi::bindgen_prelude::Uint8ArraySlice;
use napi_derive::napi;

/// A repeated squaring with its proof, advanced a slice at a time.
#[napi]
pub struct Evaluation(chronym_vdf::Evaluation);

#[napi]
impl Evaluation {
    /// Begins with `x` (100 bytes, null: the generator). `split`: squarings of the first of two segments, null for one.
    /// `memory_bytes` bounds all that it holds.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        discriminant: &Discriminant,
        x: Option<&[u8]>,
        iterations: f64,
        split: Option<f64>,
        memory_bytes: f64,
    ) -> Result<Self> {
        let discriminant = discriminant.get();
        let x =
            x.map_or_else(|| Ok(Form::generator(discriminant)), |x| Form::decode(discriminant, x).map_err(refused))?;
        let options = EvaluationOptions {
            split: split.map(|split| count(split, "split")).transpose()?,
            memory_bytes: usize::try_from(count(memory_bytes, "memoryBytes")?).map_err(invalid)?,
        };
        let iterations = count(iterations, "iterations")?;
        chronym_vdf::Evaluation::new(discriminant.clone(), x, iterations, options).map(Self).map_err(refused)
    }

    /// Goes on from a saved state with all its intermediates. Throws `INVALID_CHECKPOINT` when they are damaged or of
    /// another discriminant; whether they are of the evaluation that is wanted, `iterations` and `split` tell.
    #[napi(factory, catch_unwind)]
    pub fn resume(discriminant: &Discriminant, state: &[u8], intermediates: &[u8]) -> Result<Self> {
        chronym_vdf::Evaluation::resume(state, intermediates, Some(discriminant.get())).map(Self).map_err(refused)
    }

    /// Does about `max_steps` squarings or steps of proving; returns early when the stop word is set. Throws
    /// `KERNEL_FAULT` when the finished proof does not verify.
    #[napi(catch_unwind)]
    pub fn advance(&mut self, max_steps: f64, stop: StopWord) -> Result<()> {
        match self.0.advance(count(max_steps, "maxSteps")?, stop.get()) {
            Step::Paused | Step::Stopped | Step::Done => Ok(()),
            Step::Failed => Err(napi::Error::new(
                Code::KernelFault,
                "the finished proof does not verify: this machine has miscalculated; resume from an earlier checkpoint"
                    .to_owned(),
            )),
        }
    }

    /// How many threads `advance` may use from now on, its caller's among them; one at first.
    #[napi(catch_unwind)]
    pub fn set_threads(&mut self, threads: u32) {
        self.0.set_threads(threads as usize);
    }

    /// `squaring`, `proving` or `done`.
    #[napi(catch_unwind)]
    pub fn phase(&self) -> &'static str {
        match self.0.phase() {
            Phase::Squaring => "squaring",
            Phase::Proving => "proving",
            Phase::Done => "done",
        }
    }

    /// Squarings done.
    #[napi(catch_unwind)]
    pub fn squarings(&self) -> f64 {
        number(self.0.squarings())
    }

    /// Squarings to do in all.
    #[napi(catch_unwind)]
    pub fn iterations(&self) -> f64 {
        number(self.0.iterations())
    }

    /// Squarings of the first of two segments; null for one.
    #[napi(catch_unwind)]
    pub fn split(&self) -> Option<f64> {
        self.0.split().map(number)
    }

    /// Share of the present phase that is done, 0..1.
    #[napi(catch_unwind)]
    pub fn phase_progress(&self) -> f64 {
        self.0.phase_progress()
    }

    /// An estimate of the time to the proof on these threads, in squarings.
    #[napi(catch_unwind)]
    pub fn remaining(&self) -> f64 {
        self.0.remaining()
    }

    /// What `resume` needs besides the intermediates.
    #[napi(catch_unwind)]
    pub fn state<'env>(&self, env: &'env Env) -> Result<Uint8ArraySlice<'env>> {
        bytes(env, &self.0.state())
    }

    /// Records of intermediate forms stored so far.
    #[napi(catch_unwind)]
    pub fn intermediate_count(&self) -> f64 {
        number(self.0.intermediate_count())
    }

    /// The records from an index on.
    #[napi(catch_unwind)]
    pub fn intermediates<'env>(&self, env: &'env Env, from: f64) -> Result<Uint8ArraySlice<'env>> {
        bytes(env, &self.0.intermediates(count(from, "from")?))
    }

    /// y and all that follows it; null until done.
    #[napi(catch_unwind)]
    pub fn proof<'env>(&self, env: &'env Env) -> Result<Option<Uint8ArraySlice<'env>>> {
        self.0.proof().map(|proof| bytes(env, &proof)).transpose()
    }
}
