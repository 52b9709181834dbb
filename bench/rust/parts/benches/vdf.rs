//! The parts that squaring, proving and verifying are made of, at 1024 bits: `cargo bench --bench vdf [-- FILTER]`.
//!
//! For figures to be compared between programs or machines, see `npm run bench:vdf`.

use chronym_vdf::{Backend, Discriminant, Evaluation, EvaluationOptions, FORM_BYTES, Form, Step, get_b, verify};
use core::hint::black_box;
use core::sync::atomic::AtomicU32;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use std::time::Instant;

const BITS: usize = 1024;
const SEED: [u8; 32] = [7; 32];

/// Squarings of the proof that is verified: the time is the same for any number.
const PROVED: u64 = 1_000;

/// Forms that the measured operations take by turns, so that no branch is learnt.
const FORMS: usize = 256;

/// Seeds over which the time of a discriminant, which varies widely, is averaged.
const SEEDS: u8 = 64;

fn discriminant() -> Discriminant {
    Discriminant::from_seed(&SEED, BITS).expect("a size that is supported")
}

/// The 40th square of the generator and those after it: full-sized forms.
fn forms(discriminant: &Discriminant) -> Vec<Form> {
    let next = |form: &Form| Some(form.square(discriminant));
    core::iter::successors(Some(Form::generator(discriminant)), next).skip(40).take(FORMS).collect()
}

/// The row of squarings goes on from run to run, as in an evaluation.
fn square(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("square");
    for backend in Backend::available() {
        let discriminant = discriminant().with_backend(backend);
        let mut form = forms(&discriminant)[0];
        group.bench_function(backend.name(), |bencher| {
            bencher.iter_custom(|count| {
                let begun = Instant::now();
                form = form.square_times(count, &discriminant);
                begun.elapsed()
            });
        });
    }
}

fn compose(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compose");
    for backend in Backend::available() {
        let discriminant = discriminant().with_backend(backend);
        let forms = forms(&discriminant);
        let mut turn = 0;
        group.bench_function(backend.name(), |bencher| {
            bencher.iter(|| {
                turn += 1;
                black_box(&forms[turn % FORMS]).compose(&forms[(5 * turn + 1) % FORMS], &discriminant)
            });
        });
    }
}

fn encodings(criterion: &mut Criterion) {
    let discriminant = discriminant();
    let forms = forms(&discriminant);
    let encoded: Vec<[u8; FORM_BYTES]> = forms.iter().map(|form| form.encode(&discriminant)).collect();
    let mut turn = 0;
    criterion.bench_function("encode", |bencher| {
        bencher.iter(|| {
            turn += 1;
            black_box(&forms[turn % FORMS]).encode(&discriminant)
        });
    });
    criterion.bench_function("decode", |bencher| {
        bencher.iter(|| {
            turn += 1;
            Form::decode(&discriminant, black_box(&encoded[turn % FORMS])).expect("just encoded")
        });
    });
    criterion.bench_function("B", |bencher| {
        bencher.iter(|| {
            turn += 1;
            get_b(black_box(&encoded[turn % FORMS]), &encoded[(5 * turn + 1) % FORMS])
        });
    });
}

fn discriminants(criterion: &mut Criterion) {
    let mut seed = 0;
    let mut next_seed = || {
        seed = (seed + 1) % SEEDS;
        [seed; 32]
    };
    criterion.bench_function("discriminant", |bencher| {
        bencher.iter_batched(&mut next_seed, |seed| Discriminant::from_seed(&seed, BITS), BatchSize::PerIteration);
    });
    let magnitude = discriminant().to_be_bytes();
    criterion.bench_function("discriminant checked", |bencher| {
        bencher.iter(|| Discriminant::from_be_bytes(black_box(&magnitude)).expect("a prime"));
    });
}

fn verification(criterion: &mut Criterion) {
    let discriminant = discriminant();
    let x = Form::generator(&discriminant);
    let mut evaluation =
        Evaluation::new(discriminant.clone(), x, PROVED, EvaluationOptions::default()).expect("no split");
    assert_eq!(evaluation.advance(u64::MAX, &AtomicU32::new(0)), Step::Done);
    let (x, proof) = (x.encode(&discriminant), evaluation.proof().expect("done"));
    criterion.bench_function("verify", |bencher| {
        bencher.iter(|| verify(&discriminant, &x, PROVED, black_box(&proof), 0).expect("our own proof"));
    });
}

criterion_group!(parts, square, compose, encodings, discriminants, verification);
criterion_main!(parts);
