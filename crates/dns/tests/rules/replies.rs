//! How a kept answer becomes the reply to one query: RFC 1035, RFC 6891, RFC 7828, RFC 7830, RFC 8467, RFC 8914.

use crate::fixture::{Registry, name, option, packet, record, tcp};
use crate::seen;
use chronym_dns::codes::rcode;
use chronym_dns::{Envelope, ExtendedError, finish, parse, refuse};

#[test]
fn the_reply_has_the_querys_number_flags_and_letters() {
    let registry = Registry::new();
    let mut query = packet("aLiCe.cHrOnYm", 1, None, false);
    (query[0], query[2], query[3]) = (0xab, 0, 0x10);
    let seen = registry.reply(&query, 0, |_| Envelope { ra: true, ..tcp() });
    assert_eq!((seen.id, &*seen.flags), (0xab34, "AA RA CD"));
    assert_eq!(seen.bytes[12..31], query[12..31]);
    // Owners point at the question, so they have its letters.
    assert_eq!(seen.answer[0], "aLiCe.cHrOnYm. 300 A 192.0.2.1");
    let below = registry.reply(&packet("WWW.aLiCe.cHrOnYm", 1, None, false), 0, |_| tcp());
    assert_eq!(below.answer[1], "aLiCe.cHrOnYm. 300 A 192.0.2.1");
}

#[test]
fn an_opt_record_answers_one() {
    let registry = Registry::new();
    assert_eq!(registry.ask("alice.chronym", 1).options, None);
    let plain = registry.ask_edns("alice.chronym", 1);
    assert_eq!((plain.options, plain.dnssec_ok), (Some(vec![]), false));
    assert!(registry.ask_dnssec("alice.chronym", 1).dnssec_ok);
}

#[test]
fn a_reply_above_the_limit_is_cut_short_to_its_question() {
    let registry = Registry::new();
    let query = packet("big.alice.chronym", 16, Some(b""), false);
    let short = registry.reply(&query, 0, |query| Envelope { limit: query.udp_limit(), ..tcp() });
    assert_eq!(short.flags, "AA TC RD");
    assert_eq!((short.answer.len(), short.authority.len(), short.options), (0, 0, Some(vec![])));
    assert_eq!(short.bytes.len(), 12 + 23 + 11);
    // One byte decides.
    let whole = registry.reply(&query, 0, |_| tcp()).bytes.len();
    for (limit, flags) in [(whole, "AA RD"), (whole - 1, "AA TC RD"), (0, "AA TC RD")] {
        assert_eq!(registry.reply(&query, 0, |_| Envelope { limit, ..tcp() }).flags, flags);
    }
}

#[test]
fn an_answer_that_no_message_can_hold_fails() {
    let mut registry = Registry::new();
    let text = [255].into_iter().chain([b'x'; 255]).collect::<Vec<u8>>();
    let records: Vec<_> =
        (0..=255_u8).map(|number| record("huge.chronym", 16, 60, &[&[1, number][..], &text].concat())).collect();
    registry.secure("huge.chronym", &records);
    let seen = registry.ask_dnssec("huge.chronym", 16);
    assert_eq!((seen.rcode, seen.answer.len(), &*seen.flags), (2, 0, "RD"));
}

#[test]
fn options_are_sent_to_clients_that_sent_theirs() {
    let registry = Registry::new();
    let envelope = |_: &_| Envelope { cookie: Some([7; 24]), padding_block: Some(468), keepalive: Some(300), ..tcp() };
    let silent = registry.reply(&packet("alice.chronym", 1, Some(b""), false), 0, envelope);
    assert_eq!(silent.options, Some(vec![]));
    let options = [option(10, &[7; 8]), option(11, b""), option(12, b"\0\0")].concat();
    let seen = registry.reply(&packet("alice.chronym", 1, Some(&options), false), 0, envelope);
    let sent = seen.options.unwrap();
    assert_eq!(sent[..2], [(10, vec![7; 24]), (11, vec![1, 44])]);
    assert_eq!((sent[2].0, seen.bytes.len()), (12, 468));
}

#[test]
fn padding_goes_to_the_next_block_and_not_above_the_limit() {
    let registry = Registry::new();
    let query = packet("big.alice.chronym", 16, Some(&option(12, b"")), false);
    let length = |limit: usize| {
        let envelope = |_: &_| Envelope { limit, padding_block: Some(468), ..tcp() };
        registry.reply(&query, 0, envelope).bytes.len()
    };
    assert_eq!(length(65_535), 1872);
    assert_eq!(length(1800), 1800);
}

#[test]
fn the_text_of_an_error_gives_way_to_records() {
    let mut registry = Registry::new();
    let trust = chronym_dns::Trust::Insecure { ede_text: "é".repeat(300).into() };
    let zone = crate::fixture::zone("eve.chronym", &[record("eve.chronym", 1, 60, &[1, 2, 3, 4])]);
    registry.set("eve.chronym", chronym_dns::Knowledge::Zone { zone, trust });
    let query = packet("eve.chronym", 1, Some(b""), false);
    let whole = registry.reply(&query, 0, |_| tcp());
    assert_eq!(whole.errors(), [(0, "é".repeat(100))]);
    let limit = whole.bytes.len() - 1;
    let short = registry.reply(&query, 0, |_| Envelope { limit, ..tcp() });
    assert_eq!((short.errors(), short.answer.len()), (vec![(0, String::new())], 1));
}

#[test]
fn replies_are_appended() {
    let registry = Registry::new();
    let packet = packet("alice.chronym", 1, Some(b""), true);
    let query = parse(&packet).unwrap();
    let answer = chronym_dns::answer(&query, &registry.apex, &registry, crate::fixture::NOW);
    let mut out = b"before".to_vec();
    finish(&query, &packet, &answer, 0, &tcp(), &mut out);
    let first = seen::read(&out[6..]);
    let end = out.len();
    finish(&query, &packet, &answer, 0, &tcp(), &mut out);
    assert_eq!(seen::read(&out[end..]), first);
}

#[test]
fn a_refusal_has_the_question_the_code_and_the_reason() {
    let packet = packet("Alice.chronym", 1, Some(&option(10, &[7; 8])), true);
    let query = parse(&packet).unwrap();
    let reason = ExtendedError { code: 14, text: "too many queries".into() };
    let mut out = Vec::new();
    let envelope = Envelope { cookie: Some([9; 24]), ..tcp() };
    refuse(&query, &packet, rcode::BADCOOKIE, Some(&reason), &envelope, &mut out);
    let seen = seen::read(&out);
    assert_eq!((seen.rcode, &*seen.flags, seen.id), (23, "RD", 0x1234));
    assert_eq!(seen.errors(), [(14, "too many queries".to_owned())]);
    assert_eq!(out[12..31], packet[12..31]);
    assert_eq!(name("Alice.chronym"), out[12..27]);
}
