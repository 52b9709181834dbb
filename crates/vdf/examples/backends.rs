//! Squarings per second of every backend this processor has, in alternated chunks of one process, as one JSON line:
//! `cargo run --release --example backends -- [--seconds 10] [--bits 1024]`.
//!
//! `best` is the quickest chunk, which on a busy machine says more; `median` is the middle one.

use chronym_vdf::{Backend, Discriminant, Evaluation, EvaluationOptions, Form};
use core::sync::atomic::AtomicU32;
use core::time::Duration;
use std::time::Instant;

const SEED: [u8; 32] = [1; 32];

/// Squarings of a chunk: some milliseconds, so that other work on the machine spares some of them.
const CHUNK: u32 = 500;

/// Squarings before the first chunk: the first forms are small and cheap.
const WARM_UP: u64 = 2_000;

struct Contender {
    backend: Backend,
    evaluation: Evaluation,
    /// Squarings per second.
    rates: Vec<f64>,
}

fn main() {
    let (mut seconds, mut bits) = (10.0, 1024);
    let mut arguments = std::env::args().skip(1);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().unwrap_or_else(|| panic!("{flag} needs a value"));
        match flag.as_str() {
            "--seconds" => seconds = value.parse().expect("seconds"),
            "--bits" => bits = value.parse().expect("a multiple of 8 up to 1024"),
            _ => panic!("--seconds and --bits are all there is, not {flag}"),
        }
    }
    let stop = AtomicU32::new(0);
    let discriminant = Discriminant::from_seed(&SEED, bits).expect("a size that is supported");
    let mut contenders: Vec<Contender> = Backend::available()
        .into_iter()
        .map(|backend| {
            let discriminant = discriminant.clone().with_backend(backend);
            let x = Form::generator(&discriminant);
            let mut evaluation =
                Evaluation::new(discriminant, x, 1 << 40, EvaluationOptions::default()).expect("no split");
            evaluation.advance(WARM_UP, &stop);
            Contender { backend, evaluation, rates: Vec::new() }
        })
        .collect();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    while Instant::now() < end || contenders[0].rates.is_empty() {
        for Contender { evaluation, rates, .. } in &mut contenders {
            let begun = Instant::now();
            evaluation.advance(u64::from(CHUNK), &stop);
            rates.push(f64::from(CHUNK) / begun.elapsed().as_secs_f64());
        }
    }
    let lines: Vec<String> = contenders
        .iter_mut()
        .map(|Contender { backend, rates, .. }| {
            rates.sort_by(f64::total_cmp);
            let (best, median) = (rates[rates.len() - 1], rates[rates.len() / 2]);
            format!(r#""{}":{{"best":{best:.0},"median":{median:.0}}}"#, backend.name())
        })
        .collect();
    let chunks = contenders[0].rates.len();
    println!(r#"{{"bits":{bits},"chunk":{CHUNK},"chunks":{chunks},"squarings_per_second":{{{}}}}}"#, lines.join(","));
}
