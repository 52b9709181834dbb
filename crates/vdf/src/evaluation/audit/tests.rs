use super::super::record::{RECORD_BYTES, write};
use super::{Audit, Evaluation, Product, Weights};
use crate::{Discriminant, Error, EvaluationOptions, Form, Step};
use core::sync::atomic::AtomicU32;
use sha2::{Digest, Sha256};

const ITERATIONS: u64 = 700;
static RUN: AtomicU32 = AtomicU32::new(0);

fn discriminant() -> Discriminant {
    Discriminant::from_seed(b"audit tests", 256).unwrap()
}

fn start(split: Option<u64>, memory_bytes: usize) -> Evaluation {
    let d = discriminant();
    let x = Form::generator(&d);
    Evaluation::new(d, x, ITERATIONS, EvaluationOptions { split, memory_bytes }).unwrap()
}

/// The state after each slice, and all records at the end.
fn checkpoints(mut evaluation: Evaluation, threads: usize) -> (Vec<Vec<u8>>, Vec<u8>) {
    evaluation.set_threads(threads);
    let mut states = vec![evaluation.state()];
    while evaluation.advance(67, &RUN) == Step::Paused {
        states.push(evaluation.state());
    }
    (states, evaluation.intermediates(0))
}

fn read(state: &[u8]) -> Evaluation {
    Evaluation::without_records(state, Some(&discriminant())).unwrap().0
}

fn bytes_counted(state: &[u8]) -> usize {
    RECORD_BYTES * read(state).record_count() as usize
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The verdict on `state`, of which `records` are all that it counts.
fn audit(accepted: &[u8], state: &[u8], records: &[u8]) -> Result<Vec<u8>, Error> {
    let added = records.get(bytes_counted(accepted)..).unwrap_or_default();
    let key = digest(state);
    let squarings = read(state).squarings;
    Audit { accepted, state, squarings, added, records_digest: digest(records), key }.accept(&discriminant(), &RUN)
}

#[test]
fn what_was_squared_is_accepted_from_anywhere_and_leads_to_the_proof() {
    for (split, threads) in [(None, 1), (Some(400), 2), (Some(690), 1)] {
        for memory_bytes in [3000, 20_000, 1 << 20] {
            let (states, records) = checkpoints(start(split, memory_bytes), threads);
            let mut whole = start(split, memory_bytes);
            whole.advance(u64::MAX, &RUN);
            for (index, before) in states.iter().enumerate().step_by(3) {
                for state in states[index..].iter().filter(|&state| read(state).squarings > read(before).squarings) {
                    let accepted = audit(before, state, &records[..bytes_counted(state)]).unwrap();
                    let mut resumed = Evaluation::resume(&accepted, &records, None).unwrap();
                    assert_eq!(resumed.squarings(), read(state).squarings);
                    resumed.advance(u64::MAX, &RUN);
                    assert_eq!(resumed.proof(), whole.proof(), "{split:?} {memory_bytes}");
                }
            }
        }
    }
}

#[test]
fn one_accepted_after_the_other_is_what_all_at_once_is() {
    let (states, records) = checkpoints(start(Some(400), 5000), 1);
    let mut accepted = states[0].clone();
    for state in &states[1..] {
        if read(state).squarings > read(&accepted).squarings {
            accepted = audit(&accepted, state, &records[..bytes_counted(state)]).unwrap();
            assert_eq!(audit(&states[0], state, &records[..bytes_counted(state)]), Ok(accepted.clone()));
        }
    }
    assert_eq!(read(&accepted).squarings, ITERATIONS);
}

/// A state of `evaluation` over other records, with its hashes right.
fn forged(evaluation: &Evaluation, records: &[u8]) -> Vec<u8> {
    evaluation.state_over(digest(records))
}

#[test]
fn every_wrong_form_is_refused() {
    let d = discriminant();
    for split in [None, Some(400)] {
        let (states, records) = checkpoints(start(split, 8000), 1);
        let (before, state) = (&states[2], states.iter().find(|state| read(state).squarings == ITERATIONS).unwrap());
        let honest = &records[..bytes_counted(state)];
        let wrongs = |form: Form| {
            let other = Form::generator(&d).square_times(77, &d);
            [form.inverse(), form.square(&d), form.compose(&other, &d), Form::identity(&d)]
        };
        assert!(audit(before, state, honest).is_ok());
        for at in (bytes_counted(before)..honest.len()).step_by(RECORD_BYTES) {
            let form = super::record::read(honest[at..].first_chunk().unwrap(), &d).unwrap();
            for wrong in wrongs(form) {
                let mut records = honest.to_vec();
                records[at..at + RECORD_BYTES].copy_from_slice(&write(&wrong));
                let verdict = audit(before, &forged(&read(state), &records), &records);
                assert_eq!(verdict, Err(Error::CheckpointUnfounded), "{split:?} record at {at}");
            }
        }
        for wrong in wrongs(read(state).current) {
            let mut claimed = read(state);
            claimed.current = wrong;
            assert_eq!(audit(before, &forged(&claimed, honest), honest), Err(Error::CheckpointUnfounded));
            for segment in 0..claimed.segments.len() {
                let mut claimed = read(state);
                claimed.segments[segment].proving.as_mut().unwrap().end = wrong;
                assert_eq!(audit(before, &forged(&claimed, honest), honest), Err(Error::CheckpointUnfounded));
            }
        }
    }
}

fn weights(key: [u8; 32]) -> Weights {
    Weights { hash: Sha256::new_with_prefix(key), count: 0, ready: Vec::new() }
}

fn number(weight: [i8; 4]) -> i128 {
    weight.iter().rev().fold(0, |value, &digit| 256 * value + i128::from(digit))
}

fn power(form: &Form, exponent: i128, d: &Discriminant) -> Form {
    let base = if exponent < 0 { form.inverse() } else { *form };
    let bits = (0..128).rev().map(|at| exponent.unsigned_abs() >> at & 1);
    bits.fold(Form::identity(d), |value, bit| {
        let square = value.square(d);
        if bit == 1 { square.compose(&base, d) } else { square }
    })
}

#[test]
fn who_knows_the_key_can_forge_and_nobody_else() {
    let d = discriminant();
    let (states, records) = checkpoints(start(None, 8000), 1);
    let (before, state) = (&states[0], states.iter().find(|state| read(state).record_count() > 4).unwrap());
    let mut records = records[..bytes_counted(state)].to_vec();
    let key = [7; 32];
    // the link to each record has the weight of its index
    let mut of_key = weights(key);
    let [_, to_first, to_second, after] = core::array::from_fn(|_| number(of_key.take()));
    let gap = read(state).segments[0].plan.stride();
    let forger = Form::generator(&d).square_times(77, &d);
    // so that what one wrong form does to the product, the other one undoes
    for (index, exponent) in [(1, (after << gap) - to_second), (2, to_first - (to_second << gap))] {
        let record = &mut records[index * RECORD_BYTES..][..RECORD_BYTES];
        let form = super::record::read(record.first_chunk().unwrap(), &d).unwrap();
        record.copy_from_slice(&write(&form.compose(&power(&forger, exponent, &d), &d)));
    }
    let verdict = |key| {
        let state = forged(&read(state), &records);
        let (squarings, records_digest) = (read(&state).squarings, digest(&records));
        Audit { accepted: before, state: &state, squarings, added: &records, records_digest, key }.accept(&d, &RUN)
    };
    assert!(verdict(key).is_ok());
    assert_eq!(verdict([8; 32]), Err(Error::CheckpointUnfounded));
}

#[test]
fn no_weight_comes_twice() {
    let (mut one, mut other) = (weights([1; 32]), weights([2; 32]));
    let all: std::collections::BTreeSet<_> = (0..100).flat_map(|_| [one.take(), other.take()]).collect();
    assert_eq!(all.len(), 200);
}

#[test]
fn a_product_has_each_form_to_the_power_of_its_weight() {
    let d = discriminant();
    let weights = [[-128, 127, -1, 0], [0, 0, 0, -128], [1, 0, 0, 0], [0; 4], [1, 0, 127, -128], [-1, 2, 0, 127]];
    let (mut product, mut expected) = (Product::default(), Form::identity(&d));
    let mut form = Form::generator(&d);
    for weight in weights {
        form = form.square_times(5, &d);
        product.multiply(&form, weight, &d);
        expected = expected.compose(&power(&form, number(weight), &d), &d);
    }
    assert_eq!(product.value(&d), expected);
}

#[test]
fn a_wrong_squaring_is_found_in_the_checkpoint_after_it() {
    let mut liar = start(None, 8000);
    liar.advance(100, &RUN);
    let before = liar.state();
    liar.current = liar.current.square(&liar.discriminant);
    liar.advance(100, &RUN);
    assert_eq!(audit(&before, &liar.state(), &liar.intermediates(0)), Err(Error::CheckpointUnfounded));
}

#[test]
fn other_evaluations_and_shapes_are_refused() {
    let evaluate = |iterations, split, memory_bytes, x: Form, d: Discriminant| {
        let mut evaluation = Evaluation::new(d, x, iterations, EvaluationOptions { split, memory_bytes }).unwrap();
        evaluation.advance(300, &RUN);
        evaluation
    };
    let (d, x) = (discriminant(), Form::generator(&discriminant()));
    let before = start(None, 8000).state();
    let verdict = |evaluation: Evaluation| audit(&before, &evaluation.state(), &evaluation.intermediates(0));
    assert!(verdict(evaluate(ITERATIONS, None, 8000, x, d.clone())).is_ok());
    let other = Discriminant::from_seed(b"another", 256).unwrap();
    let others = [
        evaluate(ITERATIONS + 1, None, 8000, x, d.clone()),
        evaluate(ITERATIONS, Some(400), 8000, x, d.clone()),
        evaluate(ITERATIONS, None, 4000, x, d.clone()),
        evaluate(ITERATIONS, None, 8000, x.square(&d), d),
    ];
    for evaluation in others {
        assert_eq!(verdict(evaluation), Err(Error::CheckpointUnfounded));
    }
    let of_other = evaluate(ITERATIONS, None, 8000, Form::generator(&other), other);
    let (state, added) = (of_other.state(), of_other.intermediates(0));
    let (records_digest, key) = (digest(&added), [1; 32]);
    let audit = Audit { accepted: &before, state: &state, squarings: 300, added: &added, records_digest, key };
    assert_eq!(audit.accept(&discriminant(), &RUN), Err(Error::CheckpointUnfounded));
    let audit = Audit { accepted: &state, state: &before, ..audit };
    assert_eq!(audit.accept(&discriminant(), &RUN), Err(Error::CheckpointState));
}

#[test]
fn what_differs_in_one_thing_is_refused() {
    let d = discriminant();
    let (states, records) = checkpoints(start(Some(400), 8000), 1);
    let (before, state) = (&states[0], &states[3]);
    let records = &records[..bytes_counted(state)];
    let verdict = |change: fn(&mut Evaluation, &Discriminant), more: &[u8]| {
        let mut claimed = read(state);
        change(&mut claimed, &d);
        let records = [records, more].concat();
        audit(before, &forged(&claimed, &records), &records)
    };
    assert!(verdict(|_, _| (), &[]).is_ok());
    let changes: [fn(&mut Evaluation, &Discriminant); 3] = [
        |claimed, d| claimed.x = claimed.x.square(d),
        // of no record yet
        |claimed, _| claimed.segments[1].plan.passes += 1,
        |claimed, _| claimed.iterations += 1,
    ];
    for change in changes {
        assert_eq!(verdict(change, &[]), Err(Error::CheckpointUnfounded));
    }
    for more in [&records[..RECORD_BYTES], &records[..1]] {
        assert_eq!(verdict(|_, _| (), more), Err(Error::CheckpointUnfounded));
    }
}

#[test]
fn no_squarings_and_fewer_are_refused() {
    let (states, records) = checkpoints(start(None, 8000), 1);
    for state in &states[..=3] {
        let verdict = audit(&states[3], state, &records[..bytes_counted(state)]);
        assert_eq!(verdict, Err(Error::CheckpointUnfounded));
    }
}

#[test]
fn changed_bytes_under_right_hashes_are_refused_or_change_nothing() {
    let (states, records) = checkpoints(start(Some(400), 8000), 2);
    let before = &states[2];
    let mut random = 1_u64;
    let mut die = |sides: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % sides
    };
    let mut refused = 0;
    let honests: Vec<_> =
        states[3..].iter().map(|state| audit(before, state, &records[..bytes_counted(state)])).collect();
    for _ in 0..500 {
        let index = die(honests.len());
        let (honest_state, honest) = (&states[3 + index], honests[index].clone().unwrap());
        let honest_records = &records[..bytes_counted(honest_state)];
        let (mut state, mut added) = (honest_state.clone(), honest_records[bytes_counted(before)..].to_vec());
        if die(2) == 0 {
            let index = die(added.len());
            added[index] ^= 1 << die(8);
            if die(4) == 0 {
                added.truncate(index);
            }
        } else {
            state.truncate(state.len() - 32);
            let index = die(state.len());
            state[index] ^= 1 << die(8);
            if die(8) == 0 {
                state.truncate(index);
            }
            state.extend(digest(&state));
        }
        let all = [&records[..bytes_counted(before)], &added].concat();
        // a digest that fits the bytes given, where the state was changed elsewhere
        let fitting =
            if added == honest_records[bytes_counted(before)..] { digest(honest_records) } else { digest(&all) };
        let state = if fitting == digest(honest_records) { state } else { forged(&read(&state), &all) };
        let (squarings, key) = (read(honest_state).squarings, digest(&all));
        let audit = Audit { accepted: before, state: &state, squarings, added: &added, records_digest: fitting, key };
        match audit.accept(&discriminant(), &RUN) {
            Err(error) => {
                assert_eq!(error, Error::CheckpointUnfounded);
                refused += 1;
            }
            // what it says of its proof counts for nothing
            Ok(accepted) => assert!(accepted == honest && added == honest_records[bytes_counted(before)..]),
        }
    }
    assert!(refused > 300, "{refused}");
}

#[test]
fn a_set_stop_word_ends_it() {
    let (states, records) = checkpoints(start(None, 8000), 1);
    let records = &records[..bytes_counted(&states[3])];
    let (accepted, state) = (&states[0], &states[3]);
    let (squarings, records_digest, key) = (read(state).squarings, digest(records), [0; 32]);
    let audit = Audit { accepted, state, squarings, added: records, records_digest, key };
    assert_eq!(audit.accept(&discriminant(), &AtomicU32::new(1)), Err(Error::Stopped));
    assert!(audit.accept(&discriminant(), &RUN).is_ok());
    // before each record is read, and while it squares without any
    let none = vec![0; records.len()];
    let forgery = forged(&read(state), &none);
    let unread = Audit { state: &forgery, added: &none, records_digest: digest(&none), ..audit };
    assert_eq!(unread.accept(&discriminant(), &AtomicU32::new(1)), Err(Error::Stopped));
    assert_eq!(unread.accept(&discriminant(), &RUN), Err(Error::CheckpointUnfounded));
    let (states, records) = checkpoints(start(None, 1), 1);
    let is_bare = |pair: &&[Vec<u8>]| bytes_counted(&pair[0]) == bytes_counted(&pair[1]);
    let [before, state] = states.windows(2).find(is_bare).unwrap() else { unreachable!() };
    let (squarings, records_digest) = (read(state).squarings, digest(&records[..bytes_counted(state)]));
    let bare = Audit { accepted: before, state, squarings, added: &[], records_digest, key };
    assert_eq!(bare.accept(&discriminant(), &AtomicU32::new(1)), Err(Error::Stopped));
    assert!(bare.accept(&discriminant(), &RUN).is_ok());
    // nor is it accepted with other squarings than its own
    let said = Audit { squarings: squarings + 1, ..bare };
    assert_eq!(said.accept(&discriminant(), &RUN), Err(Error::CheckpointUnfounded));
}
