//! Packets that are not queries, and what EDNS says: RFC 1035, RFC 6891, RFC 7873, RFC 9619.

use crate::fixture::{Registry, option, packet, tcp};
use crate::seen;
use chronym_dns::{Rejected, parse};

fn rejected(packet: &[u8]) -> Rejected {
    parse(packet).expect_err("no query")
}

fn code_of(packet: &[u8]) -> u16 {
    match rejected(packet) {
        Rejected::Drop => panic!("a reply"),
        Rejected::Reply(reply, _) => {
            assert!(reply.len() <= packet.len());
            let seen = seen::read(&reply);
            assert_eq!(seen.id, 0x1234);
            seen.rcode
        }
    }
}

#[test]
fn a_query_is_read() {
    let packet = packet("Alice.Chronym", 28, Some(&option(10, &[1; 8])), true);
    let query = parse(&packet).unwrap();
    assert_eq!(query.name, b"\x05alice\x07chronym\x00");
    assert_eq!((query.id, query.rd, query.cd, query.ad), (0x1234, true, false, false));
    assert_eq!((query.qtype, query.qclass, query.question.clone()), (28, 1, 12..31));
    let edns = query.edns.unwrap();
    assert_eq!((edns.payload_size, edns.dnssec_ok, edns.padding, edns.keepalive), (1232, true, false, false));
    assert_eq!(edns.cookie.unwrap().client(), [1; 8]);
}

#[test]
fn what_is_no_message_and_responses_get_no_reply() {
    let mut response = packet("alice.chronym", 1, None, false);
    response[2] |= 0x80;
    for packet in [&b""[..], &[0; 11], &response] {
        assert_eq!(rejected(packet), Rejected::Drop);
    }
}

#[test]
fn other_operations_are_not_implemented() {
    for opcode in 1..16 {
        let mut packet = packet("alice.chronym", 1, None, false);
        packet[2] |= opcode << 3;
        assert_eq!(code_of(&packet), 4);
    }
}

#[test]
fn malformed_packets_get_formerr() {
    let good = packet("alice.chronym", 1, Some(b""), false);
    for end in 12..good.len() {
        assert_eq!(code_of(&good[..end]), 1, "cut at {end}");
    }
    // RFC 9619: one question. A pointer in it, a label's type that is none.
    for (at, value) in [(5, 0), (5, 2), (4, 1), (12, 0xc0), (12, 0x40)] {
        let mut wrong = good.clone();
        wrong[at] = value;
        assert_eq!(code_of(&wrong), 1, "byte {at}");
    }
    assert_eq!(code_of(&[&good[..], b"more"].concat()), 1);
}

#[test]
fn an_opt_record_is_one_of_the_root_in_the_additional_section() {
    // RFC 6891, 6.1.1.
    let good = packet("alice.chronym", 1, Some(b""), false);
    let opt = good[31..].to_vec();
    let mut twice = [&good[..], &opt].concat();
    twice[11] = 2;
    assert_eq!(code_of(&twice), 1);
    let mut answer = good.clone();
    answer.swap(7, 11);
    assert_eq!(code_of(&answer), 1);
    let mut named = [&good[..31], b"\x01a", &opt].concat();
    named[11] = 1;
    assert_eq!(code_of(&named), 1);
}

#[test]
fn options_must_be_whole_and_cookies_have_their_length() {
    // RFC 7873, 5.2.2.
    for length in [0, 7, 9, 15, 41] {
        assert_eq!(code_of(&packet("a.chronym", 1, Some(&option(10, &vec![0; length])), false)), 1);
    }
    assert_eq!(code_of(&packet("a.chronym", 1, Some(&[0, 12, 0, 9, 1]), false)), 1);
}

/// A packet with the reply that it must get: its code, and whether the question comes back.
fn rejections() -> Vec<(&'static str, Vec<u8>, u16, bool)> {
    let good = packet("Alice.chronym", 1, Some(b""), true);
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut packet = good.clone();
        change(&mut packet);
        packet
    };
    let with = |options: &[u8]| packet("Alice.chronym", 1, Some(options), true);
    let opt = &good[31..];
    let mut rejections = vec![
        ("bytes after the records", [&good[..], b"more"].concat(), 1, true),
        ("two OPT records", [&changed(&|packet| packet[11] = 2), opt].concat(), 1, true),
        ("an announced record that is missing", changed(&|packet| packet[11] = 2), 1, true),
        ("an OPT record in the answer section", changed(&|packet| packet.swap(7, 11)), 1, true),
        ("an OPT record with a name", [&good[..31], b"\x01a", opt].concat(), 1, true),
        ("a cookie of three bytes", with(&option(10, &[1; 3])), 1, true),
        ("an option cut short", with(&[0, 12, 0, 9, 1]), 1, true),
        ("a name that points at itself", [&good[..12], &[0xc0, 12, 0, 1, 0, 1], opt].concat(), 1, false),
        ("two questions", [&changed(&|packet| packet[5] = 2)[..31], &good[12..]].concat(), 1, false),
        ("a version of EDNS to come", changed(&|packet| packet[37] = 1), 16, true),
    ];
    for opcode in 1..16 {
        rejections.push(("another operation", changed(&|packet| packet[2] |= opcode << 3), 4, true));
    }
    rejections
}

#[test]
fn a_rejection_has_the_question_and_an_opt_record_if_the_packet_has_them() {
    // RFC 6891, 6.1.1; RFC 3225, 3.
    for (what, packet, code, has_question) in rejections() {
        assert_eq!(code_of(&packet), code, "{what}");
        let Rejected::Reply(reply, _) = rejected(&packet) else { panic!("a reply") };
        let seen = seen::read(&reply);
        assert_eq!((seen.options, seen.dnssec_ok), (Some(vec![]), true), "{what}");
        assert_eq!(reply[4..12], [0, u8::from(has_question), 0, 0, 0, 0, 0, 1], "{what}");
        let question = if has_question { &packet[12..31] } else { &[] };
        assert_eq!(&reply[12..reply.len() - 11], question, "{what}");
    }
}

#[test]
fn a_rejection_tells_of_the_cookie_if_it_is_one() {
    for (what, data, cookie) in [("whole", option(10, &[7; 8]), true), ("short", option(10, &[7; 3]), false)] {
        let good = packet("alice.chronym", 1, Some(&[&data[..], &option(12, &[0; 4])].concat()), false);
        let mut update = good.clone();
        update[2] |= 5 << 3;
        for rejection in [update, [&good[..], b"more"].concat(), [&good[..good.len() - 1]].concat()] {
            let Rejected::Reply(_, seen) = rejected(&rejection) else { panic!("a reply") };
            assert_eq!(seen.is_some(), cookie && rejection.len() >= good.len(), "{what}");
        }
    }
}

#[test]
fn a_rejection_of_a_packet_without_an_opt_record_has_none() {
    let mut update = packet("alice.chronym", 1, None, false);
    update[2] |= 5 << 3;
    let trailing = [&packet("alice.chronym", 1, None, false)[..], b"more"].concat();
    for packet in [update, trailing] {
        let Rejected::Reply(reply, _) = rejected(&packet) else { panic!("a reply") };
        assert_eq!((reply.len(), &reply[4..12]), (31, &[0, 1, 0, 0, 0, 0, 0, 0][..]));
        assert_eq!(reply[12..], packet[12..31]);
    }
}

#[test]
fn later_versions_of_edns_get_badvers_with_the_version_that_is_known() {
    // RFC 6891, 6.1.3.
    let mut later = packet("alice.chronym", 1, Some(b""), false);
    let version = later.len() - 5;
    later[version] = 1;
    assert_eq!(code_of(&later), 16);
    let Rejected::Reply(reply, _) = rejected(&later) else { panic!("a reply") };
    assert_eq!(reply[reply.len() - 5], 0);
    assert_eq!(reply[12..31], later[12..31]);
}

#[test]
fn a_query_for_a_cookie_alone_has_no_question() {
    // RFC 7873, 5.4.
    let mut alone = packet("", 1, Some(&option(10, &[1; 8])), false);
    alone.drain(12..17);
    alone[5] = 0;
    let query = parse(&alone).unwrap();
    assert!(query.is_cookie_only());
    let mut nothing = alone.clone();
    nothing[11] = 0;
    assert_eq!(code_of(&nothing[..12]), 1);
    assert_eq!(code_of(&[&alone[..21], &[0, 0]].concat()), 1);
    let envelope = chronym_dns::Envelope { cookie: Some([5; 24]), ..tcp() };
    let seen = Registry::new().reply(&alone, 0, |_| envelope.clone());
    assert_eq!((seen.rcode, seen.options), (0, Some(vec![(10, vec![5; 24])])));
}

#[test]
fn the_limit_over_udp_is_the_clients_between_512_and_1232_bytes() {
    let limit = |size: Option<u16>| {
        let mut packet = packet("a.chronym", 1, size.map(|_| &b""[..]), false);
        if let Some(size) = size {
            let at = packet.len() - 8;
            packet[at..at + 2].copy_from_slice(&size.to_be_bytes());
        }
        parse(&packet).unwrap().udp_limit()
    };
    let sizes = [(None, 512), (Some(0), 512), (Some(600), 600), (Some(4096), 1232)];
    for (size, expected) in sizes {
        assert_eq!(limit(size), expected);
    }
}
