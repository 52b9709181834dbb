//! Checkpoints: any bytes are refused or resumed, one changed byte is refused, and what is resumed goes on without a
//! panic.

use crate::edits;
use crate::input::Input;
use chronym_vdf::{Discriminant, Evaluation, EvaluationOptions, Form, Phase, Step};
use core::sync::atomic::AtomicU32;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

static RUN: AtomicU32 = AtomicU32::new(0);

/// Bytes of a state's hash over all before it.
const DIGEST_BYTES: usize = 32;

/// Bytes of a record.
const RECORD_BYTES: usize = 128;

/// State and records of evaluations in every phase.
static CHECKPOINTS: LazyLock<Vec<(Vec<u8>, Vec<u8>)>> = LazyLock::new(|| {
    let options = [(64, None, 1500), (64, Some(150), 1500), (256, Some(40), 1 << 20), (1024, None, 2000)];
    options.into_iter().flat_map(|(bits, split, memory_bytes)| checkpoints(bits, split, memory_bytes)).collect()
});

fn checkpoints(bits: usize, split: Option<u64>, memory_bytes: usize) -> Vec<(Vec<u8>, Vec<u8>)> {
    let discriminant = Discriminant::from_seed(b"checkpoints", bits).expect("a supported size");
    let x = Form::generator(&discriminant);
    let mut evaluation =
        Evaluation::new(discriminant, x, 200, EvaluationOptions { split, memory_bytes }).expect("a split within");
    let mut checkpoints = Vec::new();
    while evaluation.phase() != Phase::Done {
        checkpoints.push((evaluation.state(), evaluation.intermediates(0)));
        evaluation.advance(37, &RUN);
    }
    checkpoints.push((evaluation.state(), evaluation.intermediates(0)));
    checkpoints
}

/// Two bytes choose a checkpoint and what is done to it.
///
/// # Panics
/// When a changed checkpoint is accepted, or resuming or going on fails in another way than by an error.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (state, records) = &CHECKPOINTS[usize::from(input.u8()) % CHECKPOINTS.len()];
    let choice = input.u8();
    let mut altered = state.clone();
    let mut altered_records = records.clone();
    match choice % 4 {
        0 => {
            edits::apply(&mut altered, &mut input);
            assert!(altered == *state || Evaluation::resume(&altered, records, None).is_err());
        }
        1 => {
            edits::apply(&mut altered_records, &mut input);
            // Records after those that the state counts are of a later time.
            let accepted = Evaluation::resume(state, &altered_records, None).is_ok();
            assert_eq!(accepted, altered_records.starts_with(records));
        }
        2 => {
            edits::apply(&mut altered, &mut input);
            resume(&rehashed(altered, records), records);
        }
        _ => {
            let length = RECORD_BYTES * usize::from(input.u8() % 8);
            altered_records = input.take(length).to_vec();
            resume(&rehashed(input.rest().to_vec(), &altered_records), &altered_records);
        }
    }
}

/// The state with correct hashes in their places, so that the rest is read.
fn rehashed(mut state: Vec<u8>, records: &[u8]) -> Vec<u8> {
    if let Some(length) = state.len().checked_sub(DIGEST_BYTES) {
        state.truncate(length);
        // magic, version, |D| with its length, iterations, split, x, squarings, form; then two numbers a segment, and
        // the count and the hash
        let magnitude = 6 + state.get(5).map_or(0, |&bytes| usize::from(bytes));
        let split = state.get(magnitude + 8..magnitude + 16).is_some_and(|split| split.iter().any(|&byte| byte != 0));
        let count_at = magnitude + 16 + RECORD_BYTES + 8 + RECORD_BYTES + 9 * (1 + usize::from(split));
        if let Some((count, hash)) =
            state.get_mut(count_at..count_at + 8 + DIGEST_BYTES).map(|both| both.split_at_mut(8))
        {
            let count = count.iter().fold(0_usize, |value, &byte| value << 8 | usize::from(byte));
            if let Some(counted) = count.checked_mul(RECORD_BYTES).and_then(|bytes| records.get(..bytes)) {
                hash.copy_from_slice(&Sha256::digest(counted));
            }
        }
    }
    let digest = Sha256::digest(&state);
    state.extend(digest);
    state
}

fn resume(state: &[u8], records: &[u8]) {
    let Ok(mut evaluation) = Evaluation::resume(state, records, None) else { return };
    assert_eq!(evaluation.state(), state);
    assert_eq!(
        evaluation.intermediates(0),
        &records[..RECORD_BYTES * usize::try_from(evaluation.intermediate_count()).expect("counted")]
    );
    for _ in 0..3 {
        let step = evaluation.advance(20, &RUN);
        assert!((0.0..=1.0).contains(&evaluation.phase_progress()));
        assert!(evaluation.remaining() >= 0.0, "{}", evaluation.remaining());
        let again = Evaluation::resume(&evaluation.state(), &evaluation.intermediates(0), None);
        assert!(again.is_ok(), "{:?} after {step:?}", again.err());
        if step != Step::Paused {
            break;
        }
    }
}
