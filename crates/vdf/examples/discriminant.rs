//! Prints the times of deriving discriminants and challenges from many seeds as one JSON object:
//! `cargo run --release --example discriminant [seeds] [bits]`. `CHRONYM_VDF_BACKEND` forces a backend.

use chronym_vdf::{Discriminant, FORM_BYTES, backend_name, get_b};
use std::hint::black_box;
use std::time::Instant;

/// Times of which the shortest counts: other work on the machine only ever adds.
const RUNS: usize = 3;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u32>().expect("a number"));
    let seeds = arguments.next().unwrap_or(500);
    let bits = usize::try_from(arguments.next().unwrap_or(1024)).expect("a size");
    let backend = backend_name().expect("a backend of this processor");

    let derive = |seed: u32| {
        let mut bytes = [0; 32];
        bytes[..4].copy_from_slice(&seed.to_be_bytes());
        _ = black_box(Discriminant::from_seed(&bytes, bits).expect("a size that is supported"));
    };
    let challenge = |seed: u32| {
        let mut form = [0; FORM_BYTES];
        form[..4].copy_from_slice(&seed.to_be_bytes());
        _ = black_box(get_b(&form, &form));
    };
    println!(
        r#"{{"backend":"{backend}","bits":{bits},"seeds":{seeds},"discriminant_ms":{},"challenge_ms":{}}}"#,
        statistics(seeds, derive),
        statistics(seeds, challenge)
    );
}

fn statistics(seeds: u32, run: impl Fn(u32)) -> String {
    // tables are built
    run(0);
    let mut times: Vec<f64> = (0..seeds).map(|seed| best(|| run(seed))).collect();
    times.sort_by(f64::total_cmp);
    let [median, p95, max] = [50, 95, 100].map(|percent| times[(times.len() - 1) * percent / 100]);
    let mean = times.iter().sum::<f64>() / f64::from(seeds);
    format!(r#"{{"median":{median:.4},"mean":{mean:.4},"p95":{p95:.4},"max":{max:.4}}}"#)
}

/// The shortest of several runs, in milliseconds.
fn best(run: impl Fn()) -> f64 {
    let time = |_| {
        let begun = Instant::now();
        run();
        1e3 * begun.elapsed().as_secs_f64()
    };
    (0..RUNS).map(time).fold(f64::INFINITY, f64::min)
}
