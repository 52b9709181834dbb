//! Checkpoints of strangers: what is accepted leads to the true proof, and all else is refused with one error.

use crate::checkpoint::rehashed;
use crate::edits;
use crate::input::Input;
use chronym_vdf::{Audit, Discriminant, Error, Evaluation, EvaluationOptions, Form, Phase};
use core::sync::atomic::AtomicU32;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

static RUN: AtomicU32 = AtomicU32::new(0);

const ITERATIONS: u64 = 200;

/// An evaluation that was squared: its checkpoints, all of its records, and its proof.
struct Squared {
    discriminant: Discriminant,
    checkpoints: Vec<Checkpoint>,
    records: Vec<u8>,
    proof: Vec<u8>,
}

#[derive(Clone)]
struct Checkpoint {
    squarings: u64,
    /// Bytes of the records that it counts.
    counted: usize,
    state: Vec<u8>,
}

impl Checkpoint {
    fn of(evaluation: &Evaluation) -> Self {
        let counted = evaluation.intermediates(0).len();
        Self { squarings: evaluation.squarings(), counted, state: evaluation.state() }
    }
}

/// Discriminants in which nobody comes across a form of low order.
static EVALUATIONS: LazyLock<[Squared; 3]> =
    LazyLock::new(|| [(256, None, 3000), (256, Some(120), 1 << 20), (1024, Some(150), 5000)].map(squared));

fn squared((bits, split, memory_bytes): (usize, Option<u64>, usize)) -> Squared {
    let discriminant = Discriminant::from_seed(b"audits", bits).expect("a supported size");
    let x = Form::generator(&discriminant);
    let options = EvaluationOptions { split, memory_bytes };
    let mut evaluation = Evaluation::new(discriminant.clone(), x, ITERATIONS, options).expect("a split within");
    let mut checkpoints = vec![Checkpoint::of(&evaluation)];
    while evaluation.phase() != Phase::Done {
        evaluation.advance(23, &RUN);
        checkpoints.push(Checkpoint::of(&evaluation));
    }
    let (records, proof) = (evaluation.intermediates(0), evaluation.proof().expect("done"));
    Squared { discriminant, checkpoints, records, proof }
}

/// Three bytes choose an evaluation, the accepted checkpoint and the stranger's, and a fourth what is changed.
///
/// # Panics
/// When what is accepted leads to another proof, or something is refused in another way than by its error.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let Squared { discriminant, checkpoints, records, proof } =
        &EVALUATIONS[usize::from(input.u8()) % EVALUATIONS.len()];
    let mut choose = || checkpoints[usize::from(input.u8()) % checkpoints.len()].clone();
    let (Checkpoint { squarings: before, counted: from, state: mut accepted }, claimed) = (choose(), choose());
    let Checkpoint { squarings: said, counted: to, mut state } = claimed;
    let (mut squarings, mut added) = (said, records[from.min(to)..to].to_vec());
    let choice = input.u8();
    match choice % 5 {
        0 => edits::apply(&mut state, &mut input),
        1 => edits::apply(&mut added, &mut input),
        2 => squarings = input.u64(),
        3 => edits::apply(&mut accepted, &mut input),
        _ => state = input.rest().to_vec(),
    }
    let all = [&records[..from], &added].concat();
    // Hashes that fit what was changed: without them all else is refused before it is read.
    let is_changed = choice % 5 != 2 && choice & 0x80 == 0;
    if is_changed {
        state = rehashed(state, &all);
        accepted = rehashed(accepted, &records[..from]);
    }
    let (records_digest, key) = (Sha256::digest(&all).into(), Sha256::digest(data).into());
    let audit = Audit { accepted: &accepted, state: &state, squarings, added: &added, records_digest, key };
    match audit.accept(discriminant, &RUN) {
        // What the accepted one says is trusted, also where it was changed.
        Ok(_) if choice % 5 == 3 => {}
        Ok(next) => {
            assert!(records[from..].starts_with(&added), "records that were not squared");
            let mut evaluation = Evaluation::resume(&next, records, None).expect("a state to go on from");
            assert_eq!(evaluation.squarings(), squarings);
            evaluation.advance(u64::MAX, &RUN);
            assert_eq!(evaluation.proof().as_ref(), Some(proof));
        }
        Err(error) => {
            let is_ours = choice % 5 == 3 && error == Error::CheckpointState;
            assert!(is_ours || error == Error::CheckpointUnfounded, "{error}");
            let is_honest = choice % 5 == 2 && squarings == said && said > before;
            assert!(!is_honest, "what was squared is refused");
        }
    }
}
