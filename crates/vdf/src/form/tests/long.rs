//! Squarings in a row, from the generator on, each compared: the fast one with NUDUPL, some with the textbook and by
//! every backend.

use crate::form::nucomp;
use crate::{Backend, Discriminant, Form, reference};

/// Squarings per comparison with the textbook, which takes a hundred times longer.
const TEXTBOOK_EVERY: u64 = 1000;

/// Squarings per call, as in an evaluation.
const RUN: u64 = 1000;

/// Squarings per comparison with the other backends.
const BACKENDS_EVERY: u64 = 100;

/// Squarings that the fast kernel may decline: the first from the generator, whose c is too long, and hardly one later.
/// Where its approximations are made poor it may decline one in ten.
const fn declined_at_most(squarings: u64) -> u64 {
    20 + squarings / if cfg!(feature = "stress") { 10 } else { 10_000 }
}

#[test]
fn a_long_run_of_squarings_stays_right() {
    assert_squarings(100_000, b"a long run");
}

#[test]
#[ignore = "long: two minutes on a free core"]
fn ten_million_squarings_or_a_million_under_stress_stay_right() {
    assert_squarings(if cfg!(feature = "stress") { 1_000_000 } else { 10_000_000 }, b"ten million squarings");
}

fn assert_squarings(squarings: u64, seed: &[u8]) {
    let discriminant = Discriminant::from_seed(seed, 1024).unwrap();
    let every = Backend::available().into_iter().map(|backend| (backend, discriminant.clone().with_backend(backend)));
    let every: Vec<_> = every.collect();
    let mut form = Form::generator(&discriminant);
    let mut run = form;
    let mut declined = 0;
    for step in 0..squarings {
        let square = nucomp::square(&form, 1024);
        match form.square_fast(1, &discriminant) {
            (fast, 0) => assert_eq!(fast, square, "squaring {step} of {form:?}"),
            _ => declined += 1,
        }
        if step % RUN == 0 {
            assert_eq!(form, run, "after {step} squarings");
            run = run.square_times(RUN, &discriminant);
        }
        if step % TEXTBOOK_EVERY == 0 {
            assert_eq!(square, reference::square(&form), "squaring {step} of {form:?}");
        }
        if step % BACKENDS_EVERY == 0 {
            for (backend, discriminant) in &every {
                assert_eq!(square, form.square(discriminant), "squaring {step} of {form:?} by {}", backend.name());
            }
        }
        form = square;
    }
    assert!(declined <= declined_at_most(squarings), "{declined} of {squarings}");
}
