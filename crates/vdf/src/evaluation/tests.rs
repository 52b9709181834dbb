use super::{Evaluation, EvaluationOptions, Phase, Step, record::RECORD_BYTES};
use crate::{Discriminant, Error, Form, verify};
use core::sync::atomic::AtomicU32;

fn discriminant() -> Discriminant {
    Discriminant::from_seed(b"evaluation tests", 256).unwrap()
}

fn start(iterations: u64, options: EvaluationOptions) -> Evaluation {
    let d = discriminant();
    let x = Form::generator(&d);
    Evaluation::new(d, x, iterations, options).unwrap()
}

fn finish(evaluation: &mut Evaluation) -> Vec<u8> {
    let stop = AtomicU32::new(0);
    while evaluation.advance(10_000, &stop) == Step::Paused {}
    evaluation.proof().unwrap()
}

fn two_segments(split: u64, memory_bytes: usize) -> EvaluationOptions {
    EvaluationOptions { split: Some(split), memory_bytes }
}

#[test]
fn proofs_verify_whatever_the_length() {
    let d = discriminant();
    let x = Form::generator(&d).encode(&d);
    for iterations in [0, 1, 2, 15, 16, 263, 264, 265, 300, 1000] {
        let proof = finish(&mut start(iterations, EvaluationOptions::default()));
        assert_eq!(proof.len(), 200);
        assert_eq!(verify(&d, &x, iterations, &proof, 0), Ok(()), "{iterations}");
        assert_eq!(verify(&d, &x, iterations + 1, &proof, 0), Err(Error::ProofInvalid), "{iterations}");
    }
}

#[test]
fn a_proof_does_not_depend_on_the_memory() {
    let expected = finish(&mut start(3000, EvaluationOptions::default()));
    for memory_bytes in [0, 1000, 4000, 20_000] {
        let mut evaluation = start(3000, EvaluationOptions { memory_bytes, split: None });
        assert_eq!(finish(&mut evaluation), expected, "{memory_bytes}");
        assert!(evaluation.intermediates(0).len() <= memory_bytes.max(3 * RECORD_BYTES), "{memory_bytes}");
    }
}

#[test]
fn two_segments_verify_at_depth_one() {
    let d = discriminant();
    let x = Form::generator(&d).encode(&d);
    for (iterations, split) in [(2, 1), (500, 450), (1000, 1), (1000, 999)] {
        let proof = finish(&mut start(iterations, two_segments(split, 10_000)));
        assert_eq!(proof.len(), 341);
        assert_eq!(verify(&d, &x, iterations, &proof, 1), Ok(()), "{iterations} at {split}");
        assert_eq!(verify(&d, &x, iterations, &proof, 0), Err(Error::ProofLength(341)));
    }
}

#[test]
fn a_split_leaves_squarings_on_both_sides() {
    let d = discriminant();
    for (iterations, split) in [(0, 0), (1, 1), (5, 0), (5, 5), (5, 6)] {
        let result = Evaluation::new(d.clone(), Form::generator(&d), iterations, two_segments(split, 0));
        assert_eq!(result.err(), Some(Error::Split), "{iterations} at {split}");
    }
}

#[test]
fn resuming_at_any_point_gives_the_same_proof() {
    let options = two_segments(400, 5000);
    let expected = finish(&mut start(700, options));
    let stop = AtomicU32::new(0);
    let mut evaluation = start(700, options);
    let mut log = Vec::new();
    let mut phases = Vec::new();
    loop {
        let step = evaluation.advance(37, &stop);
        log.extend(evaluation.intermediates((log.len() / RECORD_BYTES) as u64));
        assert_eq!(log.len() as u64, RECORD_BYTES as u64 * evaluation.intermediate_count());
        phases.push(evaluation.phase());
        let state = evaluation.state();
        let d = discriminant();
        let known = (phases.len() % 2 == 0).then_some(&d);
        // a log that runs ahead of the state is what a crash between the two writes leaves
        let mut longer = log.clone();
        longer.extend([7; 200]);
        let resumed = Evaluation::resume(&state, &longer, known).unwrap();
        assert_eq!(resumed.state(), state);
        assert_eq!((resumed.squarings(), resumed.phase()), (evaluation.squarings(), evaluation.phase()));
        if step == Step::Done {
            assert_eq!(resumed.proof(), Some(expected));
            break;
        }
        // proving goes back to the beginning of a pass, so from there on only squaring is resumed each time
        if evaluation.phase() == Phase::Squaring || phases.len() % 50 == 0 {
            evaluation = resumed;
        }
    }
    phases.dedup();
    assert_eq!(phases, [Phase::Squaring, Phase::Proving, Phase::Squaring, Phase::Proving, Phase::Done]);
}

#[test]
fn damaged_checkpoints_are_refused() {
    let stop = AtomicU32::new(0);
    let mut evaluation = start(700, two_segments(400, 5000));
    while evaluation.squarings() < 500 {
        evaluation.advance(100, &stop);
    }
    let (state, log) = (evaluation.state(), evaluation.intermediates(0));
    assert!(Evaluation::resume(&state, &log, None).is_ok());
    for index in (0..state.len()).step_by(7) {
        let mut state = state.clone();
        state[index] ^= 1;
        assert_eq!(Evaluation::resume(&state, &log, None).err(), Some(Error::CheckpointState), "byte {index}");
        assert_eq!(
            Evaluation::resume(&state[..index], &log, None).err(),
            Some(Error::CheckpointState),
            "cut at {index}"
        );
    }
    for index in (0..log.len()).step_by(61) {
        let mut log = log.clone();
        log[index] ^= 1;
        assert_eq!(Evaluation::resume(&state, &log, None).err(), Some(Error::CheckpointIntermediates), "byte {index}");
        assert_eq!(
            Evaluation::resume(&state, &log[..index], None).err(),
            Some(Error::CheckpointIntermediates),
            "cut at {index}"
        );
    }
    let other = Discriminant::from_seed(b"another", 256).unwrap();
    assert_eq!(Evaluation::resume(&state, &log, Some(&other)).err(), Some(Error::CheckpointState));
}

#[test]
fn the_stop_word_stops_at_once_and_loses_nothing() {
    let (run, halt) = (AtomicU32::new(0), AtomicU32::new(1));
    let mut evaluation = start(2000, EvaluationOptions::default());
    assert_eq!(evaluation.advance(100, &run), Step::Paused);
    assert_eq!(evaluation.advance(u64::MAX, &halt), Step::Stopped);
    assert_eq!(evaluation.squarings(), 100);
    assert_eq!(evaluation.advance(u64::MAX, &run), Step::Done);
    assert_eq!(evaluation.proof(), Some(finish(&mut start(2000, EvaluationOptions::default()))));
    assert!((evaluation.phase_progress() - 1.0).abs() < f64::EPSILON);
}

#[test]
fn progress_never_falls_within_a_phase() {
    let stop = AtomicU32::new(0);
    let mut evaluation = start(3000, EvaluationOptions { split: None, memory_bytes: 3000 });
    let mut last = (Phase::Squaring, 0.0);
    while evaluation.advance(50, &stop) == Step::Paused {
        let now = (evaluation.phase(), evaluation.phase_progress());
        assert!((0.0..=1.0).contains(&now.1) && (now.0 != last.0 || now.1 >= last.1), "{last:?} to {now:?}");
        last = now;
    }
}
