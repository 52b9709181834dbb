//! Measures what proving costs beside squaring:
//! `cargo run --release --example prove -- --squarings 1000000 --threads 2 --json`.
//!
//! | option | |
//! |---|---|
//! | `--squarings N` | 1,000,000 by default |
//! | `--threads N` | threads to prove with, 1 by default; squaring takes one |
//! | `--split N` | two segments, the first of N squarings |
//! | `--memory-mib N` | bound on the evaluation's memory, 256 by default |
//! | `--runs N` | how often proving is repeated, 3 by default |
//! | `--alternate` | with a split: alternates squaring with and without a prover beside it; the ratio of the rates |
//! | `--json` | one object instead of lines |
//!
//! `proving_share` is the whole proof's time by that of all squarings, measured by turns, a slice of proving and a
//! slice of squaring: other work on the machine makes both longer.

use chronym_vdf::{Discriminant, Evaluation, EvaluationOptions, Form, Phase, Step, backend_name};
use core::sync::atomic::AtomicU32;
use std::time::Instant;

const SEED: [u8; 32] = [1; 32];
const BITS: usize = 1024;

/// Steps of a slice for each thread: some 3 ms, as the slices of measurements should be many.
const SLICE: u64 = 1000;

/// Squarings of a slice beside which is proved: some 100 ms as in use, for each slice begins a thread and waits for its
/// end.
const LONG_SLICE: u64 = 30_000;

struct Options {
    squarings: u64,
    threads: usize,
    split: Option<u64>,
    memory_bytes: usize,
    runs: usize,
    alternate: bool,
    json: bool,
}

fn options() -> Options {
    let (mut squarings, mut threads, mut split, mut memory_mib, mut runs) = (1_000_000, 1, None, 256, 3);
    let (mut alternate, mut json) = (false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || -> u64 { arguments.next().and_then(|text| text.parse().ok()).expect("a number") };
        match argument.as_str() {
            "--squarings" => squarings = number(),
            "--threads" => threads = number(),
            "--split" => split = Some(number()),
            "--memory-mib" => memory_mib = number(),
            "--runs" => runs = number(),
            "--alternate" => alternate = true,
            "--json" => json = true,
            _ => panic!("unknown option {argument}"),
        }
    }
    let size = |number: u64| usize::try_from(number).expect("a size");
    Options {
        squarings,
        threads: size(threads),
        split,
        memory_bytes: size(memory_mib) << 20,
        runs: size(runs).max(1),
        alternate,
        json,
    }
}

/// Seconds that a call takes.
fn time(call: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    call();
    begun.elapsed().as_secs_f64()
}

fn mean(times: &[f64]) -> f64 {
    times.iter().sum::<f64>() / float(times.len() as u64)
}

/// Proves by turns with squaring in `beside`: the times of the slices of both, proving first.
fn prove(evaluation: &mut Evaluation, beside: &mut Evaluation, slice_steps: u64, stop: &AtomicU32) -> [Vec<f64>; 2] {
    let mut times = [Vec::new(), Vec::new()];
    while evaluation.phase() == Phase::Proving {
        times[0].push(time(|| assert_ne!(evaluation.advance(slice_steps, stop), Step::Failed)));
        times[1].push(time(|| assert_eq!(beside.advance(SLICE, stop), Step::Paused)));
    }
    times
}

/// Squares the second segment by turns on one thread and with a prover beside: the times of both kinds of slices.
fn alternate(evaluation: &mut Evaluation, threads: usize, stop: &AtomicU32) -> [Vec<f64>; 2] {
    let mut times = [Vec::new(), Vec::new()];
    while evaluation.iterations() - evaluation.squarings() > LONG_SLICE {
        let beside = times[0].len() > times[1].len();
        evaluation.set_threads(if beside { threads } else { 1 });
        times[usize::from(beside)].push(time(|| _ = evaluation.advance(LONG_SLICE, stop)));
    }
    times
}

fn main() {
    let options = options();
    let discriminant = Discriminant::from_seed(&SEED, BITS).expect("a size that is supported");
    let stop = AtomicU32::new(0);
    let evaluation_options = EvaluationOptions { split: options.split, memory_bytes: options.memory_bytes };
    let x = Form::generator(&discriminant);
    let mut evaluation =
        Evaluation::new(discriminant.clone(), x, options.squarings, evaluation_options).expect("a split within");
    let mut fields: Vec<(&str, String)> = vec![
        ("backend", format!("\"{}\"", backend_name().expect("a backend that the processor has"))),
        ("squarings", options.squarings.to_string()),
        ("threads", options.threads.to_string()),
        ("split", options.split.map_or("null".to_owned(), |split| split.to_string())),
        ("memory_bytes", options.memory_bytes.to_string()),
    ];
    if let (true, Some(split)) = (options.alternate, options.split) {
        evaluation.advance(split, &stop);
        let [alone, beside] = alternate(&mut evaluation, options.threads, &stop).map(|times| mean(&times));
        fields.push(("squarings_per_second_alone", (float(LONG_SLICE) / alone).to_string()));
        fields.push(("squarings_per_second_beside_a_prover", (float(LONG_SLICE) / beside).to_string()));
        fields.push(("ratio", (alone / beside).to_string()));
    } else {
        evaluation.set_threads(options.threads);
        let squaring =
            time(|| while evaluation.phase() == Phase::Squaring && evaluation.advance(SLICE, &stop) != Step::Done {});
        let (state, mut records) = (evaluation.state(), evaluation.intermediates(0));
        fields.push(("stored_forms", evaluation.intermediate_count().to_string()));
        fields.push(("state_bytes", state.len().to_string()));
        drop(evaluation);
        let mut beside = Evaluation::new(
            discriminant.clone(),
            x,
            u64::MAX,
            EvaluationOptions { split: None, memory_bytes: 1 << 20 },
        )
        .expect("no split");
        // the first squarings are of tiny forms
        beside.advance(SLICE, &stop);
        let (mut slices, mut squaring_slices, mut quickest) = (Vec::new(), Vec::new(), f64::INFINITY);
        for run in 1..=options.runs {
            let mut again = Evaluation::resume(&state, &records, Some(&discriminant)).expect("its own checkpoint");
            if run == options.runs {
                // as after a single resume
                records = Vec::new();
            }
            again.set_threads(options.threads);
            let [proving, squaring] = prove(&mut again, &mut beside, SLICE * options.threads as u64, &stop);
            quickest = quickest.min(proving.iter().sum());
            slices.extend(proving);
            squaring_slices.extend(squaring);
        }
        let per_proof = float(slices.len() as u64) / float(options.runs as u64);
        let share = mean(&slices) * per_proof / (mean(&squaring_slices) * float(options.squarings) / float(SLICE));
        fields.push(("squaring_seconds", squaring.to_string()));
        fields.push(("proving_seconds", quickest.to_string()));
        fields.push(("proving_share", share.to_string()));
    }
    fields.push(("peak_rss_bytes", peak_rss_bytes().map_or("null".to_owned(), |bytes| bytes.to_string())));
    if options.json {
        let fields: Vec<_> = fields.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
        println!("{{{}}}", fields.join(", "));
    } else {
        for (name, value) in fields {
            println!("{name:38} {value}");
        }
    }
}

/// The most memory that this process ever had; only Linux tells.
fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(kibibytes.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

fn float(count: u64) -> f64 {
    f64::from(u32::try_from(count).expect("a count below 2^32"))
}
