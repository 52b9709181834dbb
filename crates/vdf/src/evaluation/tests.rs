use super::{DEFAULT_MEMORY_BYTES, Evaluation, EvaluationOptions, Phase, Step, record::RECORD_BYTES};
use crate::{Discriminant, Error, Form, verify};
use core::cmp::Ordering;
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

/// Advances in slices of changing length on changing numbers of threads, and after most of them goes on from what a
/// crash would leave.
fn finish_with_crashes(options: EvaluationOptions, iterations: u64, mut random: u64) -> Vec<u8> {
    let (run, d) = (AtomicU32::new(0), discriminant());
    let mut evaluation = start(iterations, options);
    let mut log = Vec::new();
    let mut phases = vec![evaluation.phase()];
    loop {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let die = |sides: u64| (random >> 33) % sides;
        evaluation.set_threads(1 + die(3) as usize);
        let step = evaluation.advance(1 + die(61), &run);
        log.truncate(RECORD_BYTES * evaluation.intermediate_count() as usize);
        log.extend(evaluation.intermediates((log.len() / RECORD_BYTES) as u64));
        assert_eq!(log.len() as u64, RECORD_BYTES as u64 * evaluation.intermediate_count());
        phases.push(evaluation.phase());
        let state = evaluation.state();
        // a log that runs ahead of the state is what a crash between the two writes leaves
        let mut longer = log.clone();
        longer.extend([7; 200]);
        let resumed = Evaluation::resume(&state, &longer, (die(2) == 0).then_some(&d)).unwrap();
        assert_eq!(resumed.state(), state);
        assert_eq!((resumed.squarings(), resumed.phase()), (evaluation.squarings(), evaluation.phase()));
        if step == Step::Done {
            assert!(phases.is_sorted_by_key(|&phase| phase as u8), "{phases:?}");
            return resumed.proof().unwrap();
        }
        // each time goes back to the beginning of the pass under way, so not every time
        if die(5) < 4 {
            evaluation = resumed;
        }
    }
}

#[test]
fn crashes_and_changing_threads_make_the_same_proof() {
    for split in [None, Some(400), Some(690)] {
        for memory_bytes in [4000, 20_000, DEFAULT_MEMORY_BYTES] {
            let options = EvaluationOptions { split, memory_bytes };
            let expected = finish(&mut start(700, options));
            for seed in 0..4 {
                assert_eq!(finish_with_crashes(options, 700, seed), expected, "{options:?} {seed}");
            }
        }
    }
}

#[test]
fn threads_make_the_same_proof() {
    for split in [None, Some(3600)] {
        let options = EvaluationOptions { split, memory_bytes: 100_000 };
        let expected = finish(&mut start(4000, options));
        for threads in [2, 3, 7] {
            let mut evaluation = start(4000, options);
            evaluation.set_threads(threads);
            assert_eq!(finish(&mut evaluation), expected, "{options:?} {threads}");
        }
    }
}

#[test]
fn the_first_segment_is_proved_while_the_second_is_squared() {
    let stop = AtomicU32::new(0);
    let mut evaluation = start(u64::from(u32::MAX), two_segments(2000, DEFAULT_MEMORY_BYTES));
    evaluation.advance(2000, &stop);
    let (begun, remaining) = (evaluation.segments[0].operations_left(), evaluation.remaining());
    // on one thread it has to wait
    evaluation.advance(1000, &stop);
    assert_eq!(evaluation.segments[0].operations_left().total_cmp(&begun), Ordering::Equal);
    evaluation.set_threads(2);
    assert!(evaluation.remaining() < remaining - 1000.0);
    while evaluation.segments[0].to_be_proved() {
        assert_eq!((evaluation.advance(1000, &stop), evaluation.phase()), (Step::Paused, Phase::Squaring));
    }
    // and that is in the checkpoint
    let resumed = Evaluation::resume(&evaluation.state(), &evaluation.intermediates(0), None).unwrap();
    assert!(!resumed.segments[0].to_be_proved());
}

#[test]
fn a_wrong_squaring_is_found_out_and_the_state_leads_back_to_the_proof() {
    let stop = AtomicU32::new(0);
    let mut evaluation = start(700, two_segments(400, 5000));
    evaluation.advance(550, &stop);
    evaluation.current = evaluation.current.square(&evaluation.discriminant);
    assert_eq!(evaluation.advance(u64::MAX, &stop), Step::Failed);
    assert_eq!((evaluation.phase(), evaluation.proof()), (Phase::Proving, None));
    let mut resumed = Evaluation::resume(&evaluation.state(), &evaluation.intermediates(0), None).unwrap();
    assert_eq!(resumed.phase(), Phase::Proving);
    assert_eq!(resumed.advance(u64::MAX, &stop), Step::Failed);
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
fn progress_goes_from_nothing_to_all_in_each_phase_and_never_falls() {
    let stop = AtomicU32::new(0);
    for (split, threads) in [(None, 1), (None, 3), (Some(2700), 1), (Some(2700), 2)] {
        let mut evaluation = start(3000, EvaluationOptions { split, memory_bytes: 3000 });
        evaluation.set_threads(threads);
        let mut last = (Phase::Squaring, 0.0);
        let mut remaining = evaluation.remaining();
        while evaluation.advance(50, &stop) == Step::Paused {
            let now = (evaluation.phase(), evaluation.phase_progress());
            assert!((0.0..=1.0).contains(&now.1) && (now.0 != last.0 || now.1 >= last.1), "{last:?} to {now:?}");
            assert!(now.0 == last.0 || last.1 > 0.98 && now.1 < 0.3, "{last:?} to {now:?}");
            assert!(evaluation.remaining() <= remaining && evaluation.remaining() >= 0.0);
            (last, remaining) = (now, evaluation.remaining());
        }
        assert!(last.0 == Phase::Proving && last.1 > 0.7 && remaining < 100.0, "{last:?} {remaining}");
    }
}
