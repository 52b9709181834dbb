//! A measurement to cite: squarings a second, proving and verifying, with the processor and the kernel that did them.
//! `cargo run --release --example bench -- --seconds 10`; `--json` prints one object.
//!
//! One thread, a discriminant of 1024 bits from a fixed seed. Each rate is the median of slices of a tenth of a second,
//! so that other work on the machine has little say; `fastest` is the best slice.

#![allow(clippy::cast_precision_loss, reason = "a rate needs no more digits")]

use chronym_vdf::{Discriminant, Evaluation, EvaluationOptions, Form, Phase, Step, backend_name, steps_name, verify};
use core::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

const SEED: [u8; 32] = [1; 32];
const BITS: usize = 1024;
const DEFAULT_SECONDS: u64 = 5;

/// Steps between two looks at the clock: some milliseconds.
const STEPS: u64 = 1_000;
const SLICE: Duration = Duration::from_millis(100);

/// Squarings of the proof that is verified.
const ITERATIONS: u64 = 100_000;
const VERIFICATIONS: usize = 50;

fn options() -> Result<(u64, bool), String> {
    let (mut seconds, mut json) = (DEFAULT_SECONDS, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seconds" => {
                seconds = arguments
                    .next()
                    .and_then(|text| text.parse().ok())
                    .filter(|seconds| (1..=3_600).contains(seconds))
                    .ok_or("--seconds takes a whole number from 1 to 3600")?;
            }
            "--json" => json = true,
            _ => return Err(format!("unknown option {argument}; there are --seconds N and --json")),
        }
    }
    Ok((seconds, json))
}

/// Squarings a second of each slice.
fn squaring_rates(discriminant: &Discriminant, seconds: u64) -> Vec<f64> {
    let x = Form::generator(discriminant);
    // Long enough that no slice reaches its end.
    let mut evaluation = Evaluation::new(discriminant.clone(), x, 1 << 40, EvaluationOptions::default())
        .expect("a whole proof has no split");
    let stop = AtomicU32::new(0);
    let mut rates = Vec::new();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(seconds) {
        let (slice, before) = (Instant::now(), evaluation.squarings());
        while slice.elapsed() < SLICE {
            evaluation.advance(STEPS, &stop);
        }
        rates.push((evaluation.squarings() - before) as f64 / slice.elapsed().as_secs_f64());
    }
    rates
}

/// A proof of [`ITERATIONS`] squarings, and the seconds that proving took after the last squaring.
fn prove(discriminant: &Discriminant) -> (Vec<u8>, f64) {
    let x = Form::generator(discriminant);
    let mut evaluation = Evaluation::new(discriminant.clone(), x, ITERATIONS, EvaluationOptions::default())
        .expect("a whole proof has no split");
    let stop = AtomicU32::new(0);
    while evaluation.phase() == Phase::Squaring {
        evaluation.advance(STEPS, &stop);
    }
    let begin = Instant::now();
    while evaluation.advance(ITERATIONS, &stop) == Step::Paused {}
    (evaluation.proof().expect("the proof is done"), begin.elapsed().as_secs_f64())
}

/// Seconds of each verification, with the discriminant known.
fn verifications(discriminant: &Discriminant, proof: &[u8]) -> Vec<f64> {
    let x = Form::generator(discriminant).encode(discriminant);
    (0..VERIFICATIONS)
        .map(|_| {
            let begin = Instant::now();
            verify(discriminant, &x, ITERATIONS, proof, 0).expect("our own proof verifies");
            begin.elapsed().as_secs_f64()
        })
        .collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// As the system names it; by its architecture where it does not say.
fn processor() -> String {
    std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            text.lines()
                .find(|line| line.starts_with("model name"))
                .and_then(|line| line.split_once(':'))
                .map(|(_, name)| name.trim().to_owned())
        })
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn main() {
    let (seconds, json) = options().unwrap_or_else(|fault| {
        eprintln!("bench: {fault}");
        std::process::exit(2);
    });
    let discriminant = Discriminant::from_seed(&SEED, BITS).unwrap_or_else(|error| {
        eprintln!("bench: {error}");
        std::process::exit(1);
    });
    let (backend, steps) = (backend_name().expect("a backend"), steps_name().expect("steps"));
    let rates = squaring_rates(&discriminant, seconds);
    let fastest = rates.iter().copied().fold(0.0, f64::max);
    let (proof, proving) = prove(&discriminant);
    let verifying = median(verifications(&discriminant, &proof));
    let (rate, version, processor) = (median(rates), env!("CARGO_PKG_VERSION"), processor());
    if json {
        println!(
            "{{\"crate\":\"chronym-vdf\",\"version\":\"{version}\",\"processor\":\"{processor}\",\
             \"backend\":\"{backend}\",\"steps\":\"{steps}\",\"bits\":{BITS},\"threads\":1,\
             \"squarings_per_second\":{rate:.0},\"fastest_slice\":{fastest:.0},\
             \"iterations\":{ITERATIONS},\"proving_seconds\":{proving:.3},\"verifying_ms\":{:.3}}}",
            verifying * 1e3
        );
        return;
    }
    println!("chronym-vdf {version} on {processor}");
    println!("kernel     {backend}, {steps} steps; {BITS} bits, one thread");
    println!("squaring   {rate:.0} a second (median; fastest slice {fastest:.0})");
    println!("proving    {proving:.2} s after {ITERATIONS} squarings, 200 bytes");
    println!("verifying  {:.2} ms (median of {VERIFICATIONS}; the discriminant is known)", verifying * 1e3);
}
