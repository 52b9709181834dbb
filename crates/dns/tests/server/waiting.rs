//! Queries for names that nobody has asked for before.

use crate::desk::{Desk, address, asker};
use crate::fixture::{name, packet, record, zone};
use chronym_dns::engine::{Handled, Reason, Transport};
use chronym_dns::{Knowledge, Trust};

fn miss(name: &str) -> Vec<(String, Reason)> {
    vec![(name.to_owned(), Reason::Miss)]
}

#[test]
fn a_miss_is_asked_once_and_all_that_wait_are_answered() {
    let desk = Desk::new();
    for qname in ["alice.chronym", "alice.chronym", "www.alice.chronym"] {
        assert_eq!(desk.ask(qname, 1), None);
    }
    assert_eq!(desk.asked(), miss("alice.chronym"));
    assert_eq!(desk.engine.stats().waiting, 3);
    desk.learn("alice.chronym", address("alice.chronym"), 60_000, 120_000);
    let rcodes: Vec<_> = (0..3).map(|_| desk.late().expect("a late reply").rcode).collect();
    assert_eq!(rcodes.iter().sum::<u16>(), 3, "two answers and one NXDOMAIN: {rcodes:?}");
    assert_eq!((desk.late(), desk.engine.stats().waiting), (None, 0));
    assert_eq!(desk.ask("alice.chronym", 1).unwrap().answer, ["alice.chronym. 300 A 192.0.2.1"]);
    assert_eq!(desk.asked(), []);
}

#[test]
fn after_five_seconds_a_waiting_query_gets_servfail_and_the_name_is_asked_for_again() {
    let mut desk = Desk::new();
    desk.ask("alice.chronym", 1);
    desk.ms += 4_999;
    desk.engine.expire(desk.now());
    assert_eq!(desk.late(), None);
    desk.ms += 1;
    desk.engine.expire(desk.now());
    let reply = desk.late().unwrap();
    assert_eq!((reply.rcode, reply.errors()[0].0), (2, 22));
    assert_eq!(desk.engine.stats().waiting, 0);
    desk.asked();
    desk.ask("alice.chronym", 1);
    assert_eq!(desk.asked(), miss("alice.chronym"));
}

#[test]
fn names_and_queries_that_wait_are_bounded() {
    let desk = Desk::new();
    for number in 0..256 {
        assert_eq!(desk.ask(&format!("n{number}.chronym"), 1), None);
    }
    let reply = desk.ask("one-more.chronym", 1).expect("no room for another name");
    assert_eq!((reply.rcode, reply.errors()[0].0), (2, 14));
    for _ in 256..1_024 {
        assert_eq!(desk.ask("n0.chronym", 1), None);
    }
    assert_eq!(desk.ask("n0.chronym", 1).expect("no room for another query").errors()[0].0, 14);
    assert_eq!(desk.engine.stats().waiting, 1_024);
}

#[test]
fn when_the_control_planes_queue_is_full_the_query_gets_servfail_and_leaves_nothing() {
    let desk = Desk::with(|_| {}, |_, _| false);
    assert_eq!(desk.ask("alice.chronym", 1), None);
    let reply = desk.late().expect("a reply by the way of late ones");
    assert_eq!((reply.rcode, reply.errors()[0].0), (2, 14));
    assert_eq!(desk.engine.stats().waiting, 0);
}

#[test]
fn the_target_of_a_cname_is_waited_for() {
    let desk = Desk::new();
    let alias = [record("alias.chronym", 5, 300, &name("alice.chronym"))];
    let alias = Knowledge::Zone { zone: zone("alias.chronym", &alias), trust: Trust::Secure };
    desk.learn("alias.chronym", alias, 60_000, 60_000);
    assert_eq!(desk.ask("alias.chronym", 1), None);
    assert_eq!(desk.asked(), miss("alice.chronym"));
    desk.learn("alice.chronym", address("alice.chronym"), 60_000, 60_000);
    assert_eq!(desk.late().unwrap().answer.len(), 2);
    // A change of the target reaches the alias.
    desk.learn("alice.chronym", Knowledge::Absent, 60_000, 60_000);
    assert_eq!(desk.ask("alias.chronym", 1).unwrap().rcode, 3);
}

#[test]
fn labels_that_no_name_can_have_are_absent_without_a_question() {
    let desk = Desk::new();
    for label in ["_dmarc", "a b", "\u{fc}"] {
        let reply = desk.ask(&format!("{label}.chronym"), 1).expect("an answer at once");
        assert_eq!(reply.rcode, 3, "{label}");
    }
    assert_eq!(desk.asked(), []);
}

#[test]
fn a_waiting_query_that_is_dropped_at_the_end_gets_no_reply() {
    let desk = Desk::new();
    let query = packet("alice.chronym", 1, None, false);
    assert_eq!(desk.handle(&query, &asker(Transport::Udp, "192.0.2.1")).0, Handled::Later);
    desk.engine.close();
    assert_eq!((desk.late(), desk.engine.stats().waiting), (None, 0));
}
