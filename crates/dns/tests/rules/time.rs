//! What time does to answers: RFC 1035, 4.1.3; RFC 2308, 5; RFC 8767.

use crate::fixture::{NOW, Registry, packet, tcp};
use chronym_dns::{answer, parse};
use domain::base::{Message, ParsedName};
use domain::rdata::Rrsig;

#[test]
fn ttls_are_lower_by_the_age_of_what_is_known() {
    let registry = Registry::new();
    assert_eq!(registry.ask("old.chronym", 1).answer, ["old.chronym. 200 A 192.0.2.7"]);
    // A denial is made now, so that the age of the zone is not its own.
    assert!(registry.ask("old.chronym", 16).authority[0].starts_with("chronym. 60 SOA"));
    assert!(registry.ask("nobody.old.chronym", 1).authority[0].starts_with("chronym. 60 SOA"));
    // The signature says what the TTL was, so it holds.
    assert_eq!(registry.ask_dnssec("old.chronym", 1).answer[1], "old.chronym. 200 RRSIG A");
}

#[test]
fn ttls_go_down_while_an_answer_is_kept() {
    let registry = Registry::new();
    let query = packet("old.chronym", 1, Some(b""), true);
    for (aged, ttl) in [(0, 200), (1, 199), (200, 0), (u32::MAX, 0)] {
        let seen = registry.reply(&query, aged, |_| tcp());
        assert_eq!(seen.answer[0], format!("old.chronym. {ttl} A 192.0.2.7"));
        assert_eq!(seen.answer[1], format!("old.chronym. {ttl} RRSIG A"));
    }
}

#[test]
fn stale_records_have_30_seconds_however_long_they_are_kept() {
    let registry = Registry::new();
    let seen = registry.reply(&packet("stale.chronym", 1, Some(b""), false), 1000, |_| tcp());
    assert_eq!(seen.answer, ["stale.chronym. 30 A 192.0.2.7"]);
    assert_eq!(seen.errors(), [(3, String::new())]);
}

#[test]
fn the_zones_own_records_do_not_age() {
    let registry = Registry::new();
    let seen = registry.reply(&packet("chronym", 2, None, false), 1000, |_| tcp());
    assert_eq!(seen.answer, ["chronym. 3600 NS localhost."]);
}

#[test]
fn the_signature_that_is_kept_is_made_again_in_time() {
    let registry = Registry::new();
    let packet = packet("gone.chronym", 1, Some(b""), true);
    let query = parse(&packet).unwrap();
    let expirations = |now: u32| -> Vec<u32> {
        let answer = answer(&query, &registry.apex, &registry, now);
        let message = Message::from_octets(answer.message).unwrap();
        let rrsigs = message.authority().unwrap().limit_to::<Rrsig<_, ParsedName<_>>>();
        rrsigs.map(|record| record.unwrap().data().expiration().into_int()).collect()
    };
    // First that of the SOA record, then that of the denial.
    let end = NOW + 2 * 86_400;
    assert_eq!(expirations(NOW), [end, end]);
    assert_eq!(expirations(NOW + 43_199), [end, end + 43_199]);
    assert_eq!(expirations(NOW + 43_200), [end + 43_200, end + 43_200]);
    // A clock that goes back gets a signature that has begun.
    assert_eq!(expirations(NOW), [end, end]);
}

#[test]
fn an_answer_says_how_long_it_may_be_kept_and_what_it_rests_on() {
    let registry = Registry::new();
    let ask = |qname: &str, dnssec_ok: bool| {
        let query = parse(&packet(qname, 1, Some(b""), dnssec_ok)).unwrap();
        let answer = answer(&query, &registry.apex, &registry, NOW);
        let names = answer.depends_on.iter().map(|name| String::from_utf8_lossy(name).into_owned());
        (answer.lifetime, names.collect::<Vec<_>>())
    };
    let alice = "\u{5}alice\u{7}chronym\0".to_owned();
    assert_eq!(ask("alice.chronym", false), (u32::MAX, vec![alice.clone()]));
    // Signatures hold for two days.
    assert_eq!(ask("alice.chronym", true), (86_400, vec![alice.clone()]));
    // A target that is not known now: the answer changes when it is.
    let unknown = "\u{7}unknown\u{7}chronym\0".to_owned();
    assert_eq!(ask("to-unknown.alice.chronym", false), (u32::MAX, vec![alice, unknown.clone()]));
    assert_eq!(ask("unknown.chronym", false), (0, vec![unknown]));
}
