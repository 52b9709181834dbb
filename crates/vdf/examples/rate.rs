//! Prints the rates of squaring, proving, verifying and deriving discriminants: `cargo run --release --example rate [iterations] [bits]`.

use chronym_vdf::{Discriminant, Evaluation, EvaluationOptions, FORM_BYTES, Form, Phase, Step, get_b, verify};
use core::sync::atomic::AtomicU32;
use std::time::Instant;

const SEED: [u8; 32] = [1; 32];

/// Squarings of which the quickest run is told beside the average: on a busy machine it says more.
const CHUNK: u64 = 500;

/// Runs of which the fastest counts.
const RUNS: usize = 50;

/// Seeds over which the time of deriving a discriminant is averaged.
const SEEDS: u8 = 20;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>().expect("a number"));
    let iterations = arguments.next().unwrap_or(100_000);
    let bits = usize::try_from(arguments.next().unwrap_or(1024)).expect("a size");

    let total: f64 = (0..SEEDS).map(|seed| best(|| drop(Discriminant::from_seed(&[seed; 32], bits)))).sum();
    println!("discriminant  {:10.3} ms", 1e3 * total / f64::from(SEEDS));

    let discriminant = Discriminant::from_seed(&SEED, bits).expect("a size that is supported");
    let x = Form::generator(&discriminant);
    let stop = AtomicU32::new(0);
    let mut evaluation =
        Evaluation::new(discriminant.clone(), x, iterations, EvaluationOptions::default()).expect("no split");
    let begun = Instant::now();
    let mut quickest = f64::INFINITY;
    while evaluation.phase() == Phase::Squaring {
        let (from, chunk) = (evaluation.squarings(), Instant::now());
        evaluation.advance(CHUNK.min(iterations - from), &stop);
        if evaluation.squarings() - from == CHUNK && evaluation.phase() == Phase::Squaring {
            quickest = quickest.min(chunk.elapsed().as_secs_f64());
        }
    }
    let squaring = begun.elapsed().as_secs_f64();
    let count = f64::from(u32::try_from(iterations).expect("a number below 2^32"));
    println!("squaring      {:10.1} /s", count / squaring);
    println!("  at best     {:10.1} /s", f64::from(u32::try_from(CHUNK).expect("small")) / quickest);
    while evaluation.advance(u64::MAX, &stop) != Step::Done {}
    let total = begun.elapsed().as_secs_f64();
    println!("proving       {:10.1} % of squaring", 100.0 * (total - squaring) / squaring);

    let proof = evaluation.proof().expect("done");
    let x = x.encode(&discriminant);
    let y: [u8; FORM_BYTES] = *proof.first_chunk().expect("y");
    println!("decoding      {:10.3} us", 1e6 * best(|| _ = Form::decode(&discriminant, &y)));
    println!("B             {:10.3} us", 1e6 * best(|| _ = get_b(&x, &y)));
    let time = best(|| verify(&discriminant, &x, iterations, &proof, 0).expect("our own proof"));
    println!("verification  {:10.3} ms", 1e3 * time);
}

/// The shortest of several runs, in seconds: other work on the machine only ever adds.
fn best(mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let begun = Instant::now();
        run();
        begun.elapsed().as_secs_f64()
    };
    (0..RUNS).map(time).fold(f64::INFINITY, f64::min)
}
