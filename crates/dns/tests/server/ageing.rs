//! Knowledge that grows old: TTLs, stale answers, questions ahead of time, failures.

use crate::desk::{Desk, address, asker};
use crate::fixture::{name, packet, record};
use crate::seen::Seen;
use chronym_dns::engine::{Reason, Transport};
use chronym_dns::{Knowledge, Trust, Zone};
use std::sync::Arc;

const ALICE: &str = "alice.chronym";

fn ask(desk: &Desk) -> Seen {
    desk.ask(ALICE, 1).expect("an answer at once")
}

fn ttl(reply: &Seen) -> u32 {
    reply.answer[0].split(' ').nth(1).unwrap().parse().unwrap()
}

fn refresh() -> Vec<(String, Reason)> {
    vec![(ALICE.to_owned(), Reason::Refresh)]
}

fn failure() -> Knowledge {
    Knowledge::Failed { ede: 22, text: "no peer answers".into() }
}

/// Fresh for 100 s, stale for another 100 s.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.learn(ALICE, address(ALICE), 100_000, 200_000);
    desk
}

#[test]
fn an_own_name_stays_one_when_it_is_flushed_until_another_owner_or_none_is_learned() {
    let desk = Desk::new();
    let own = || {
        let records = [record("alice.chronym", 1, 300, &[192, 0, 2, 1])].concat();
        let zone = Zone::from_wire(&name("alice.chronym"), &records).unwrap().owned_here(true);
        Knowledge::Zone { zone: Arc::new(zone), trust: Trust::Secure }
    };
    let is_own = || desk.engine.is_own(&name("alice.chronym"));
    let learn = |knowledge: Knowledge| desk.learn("alice.chronym", knowledge, 60_000, 60_000);
    assert!(!is_own());
    for after in [address("alice.chronym"), Knowledge::Absent] {
        learn(own());
        // An answer that was made before is still in use.
        desk.engine.flush(None);
        assert!(is_own());
        learn(Knowledge::Failed { ede: 22, text: "no peer answers".into() });
        assert!(is_own());
        learn(after);
        assert!(!is_own());
    }
}

#[test]
fn ttls_count_down_in_packed_answers_too() {
    let mut desk = desk();
    desk.ms += 10_000;
    assert_eq!(ttl(&ask(&desk)), 290);
    desk.ms += 30_500;
    assert_eq!(ttl(&ask(&desk)), 260);
    assert_eq!((desk.cache("composed"), desk.cache("packed"), desk.cache("hit")), (1, 1, 2));
}

#[test]
fn stale_knowledge_answers_at_once_while_it_is_asked_for_again() {
    let mut desk = desk();
    desk.ms += 100_000;
    for _ in 0..10 {
        let reply = ask(&desk);
        assert_eq!((ttl(&reply), reply.errors()[0].0), (30, 3));
    }
    assert_eq!(desk.asked(), refresh());
    // Nobody answered: ask again, but not more often than every five seconds.
    desk.ms += 4_999;
    ask(&desk);
    assert_eq!(desk.asked(), []);
    desk.ms += 1;
    ask(&desk);
    assert_eq!(desk.asked(), refresh());
    desk.learn(ALICE, address(ALICE), 100_000, 200_000);
    assert_eq!((ttl(&ask(&desk)), ask(&desk).errors()), (300, vec![]));
    assert_eq!(desk.cache("stale"), 12);
}

#[test]
fn beyond_its_stale_time_a_name_is_unknown() {
    let mut desk = desk();
    ask(&desk);
    desk.ms += 200_000;
    assert_eq!(desk.ask(ALICE, 1), None);
    assert_eq!(desk.asked(), [(ALICE.to_owned(), Reason::Miss)]);
}

#[test]
fn what_is_asked_often_is_asked_for_again_in_the_last_tenth_of_its_time() {
    let mut desk = desk();
    for _ in 0..5 {
        ask(&desk);
    }
    desk.ms += 89_999;
    ask(&desk);
    assert_eq!(desk.asked(), []);
    desk.ms += 1;
    ask(&desk);
    ask(&desk);
    assert_eq!((desk.asked(), desk.cache("prefetch")), (refresh(), 1));
}

#[test]
fn what_is_asked_seldom_is_left_to_age() {
    let mut desk = desk();
    desk.ms += 95_000;
    ask(&desk);
    ask(&desk);
    assert_eq!(desk.asked(), []);
    ask(&desk);
    assert_eq!(desk.asked(), refresh());
}

#[test]
fn a_failure_leaves_what_may_still_be_used_and_keeps_quiet_for_its_time() {
    let mut desk = desk();
    desk.ms += 100_000;
    ask(&desk);
    desk.asked();
    desk.learn(ALICE, failure(), 30_000, 30_000);
    desk.ms += 29_999;
    assert_eq!(ask(&desk).rcode, 0);
    assert_eq!(desk.asked(), []);
    desk.ms += 1;
    ask(&desk);
    assert_eq!(desk.asked(), refresh());
}

#[test]
fn a_failure_without_knowledge_is_told_for_its_time() {
    let mut desk = Desk::new();
    desk.learn(ALICE, failure(), 30_000, 30_000);
    for _ in 0..5 {
        let reply = ask(&desk);
        assert_eq!((reply.rcode, reply.errors()), (2, vec![(22, "no peer answers".to_owned())]));
    }
    desk.ms += 29_999;
    assert_eq!(ask(&desk).rcode, 2);
    assert_eq!(desk.asked(), []);
    desk.ms += 1;
    assert_eq!(desk.ask(ALICE, 1), None);
}

#[test]
fn new_knowledge_ends_packed_answers() {
    let desk = desk();
    assert_eq!(ask(&desk).rcode, 0);
    assert_eq!(desk.ask("www.alice.chronym", 1).unwrap().rcode, 3);
    desk.learn(ALICE, Knowledge::Absent, 60_000, 60_000);
    assert_eq!(ask(&desk).rcode, 3);
    assert_eq!(desk.cache("packed"), 0);
}

#[test]
fn a_flush_forgets_one_name_or_all() {
    let desk = desk();
    desk.learn("bob.chronym", address("bob.chronym"), 60_000, 60_000);
    ask(&desk);
    assert_eq!(desk.engine.flush(Some(&name(ALICE))), 1);
    assert_eq!(desk.engine.flush(Some(&name(ALICE))), 0);
    assert_eq!(desk.ask(ALICE, 1), None);
    assert_eq!(desk.ask("bob.chronym", 1).unwrap().rcode, 0);
    assert_eq!(desk.engine.flush(None), 1);
    assert_eq!(desk.ask("bob.chronym", 1), None);
    assert_eq!(desk.engine.stats().names, 0);
}

#[test]
fn a_packed_answer_keeps_the_letters_and_bits_of_each_query() {
    let desk = desk();
    ask(&desk);
    let mut query = packet("aLiCe.CHRONYM", 1, Some(b""), false);
    query[..2].copy_from_slice(&[0xab, 0xcd]);
    query[2] = 0;
    query[3] = 0x10;
    let (_, out) = desk.handle(&query, &asker(Transport::Udp, "127.0.0.1"));
    assert_eq!(desk.cache("packed"), 1);
    assert_eq!(out[..2], [0xab, 0xcd]);
    assert_eq!((out[2] & 1, out[3] & 0x10), (0, 0x10));
    assert_eq!(out[12..31], query[12..31]);
}
