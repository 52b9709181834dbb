//! A public resolver: what strangers get whose address may be forged.

use crate::desk::{Desk, asker};
use crate::fixture::{option, packet, record, zone};
use crate::seen::read;
use chronym_dns::engine::{Asker, EngineOptions, Handled, Transport};
use chronym_dns::{Knowledge, Trust};

const STRANGER: &str = "192.0.2.7";

/// Knows a name with a large answer, and one with a small.
fn public() -> Desk {
    let desk = Desk::with(|options: &mut EngineOptions| options.is_public = true, |_, _| true);
    let large: Vec<_> = (0..30).map(|number| record("large.chronym", 1, 300, &[192, 0, 2, number])).collect();
    desk.learn(
        "large.chronym",
        Knowledge::Zone { zone: zone("large.chronym", &large), trust: Trust::Secure },
        7_200_000,
        7_200_000,
    );
    desk
}

fn cookie(reply: &[u8]) -> Option<Vec<u8>> {
    read(reply).options?.into_iter().find(|option| option.0 == 10).map(|option| option.1)
}

fn udp(desk: &Desk, packet: &[u8]) -> (Handled, Vec<u8>) {
    desk.handle(packet, &asker(Transport::Udp, STRANGER))
}

fn queries() -> Vec<Vec<u8>> {
    let names = ["large.chronym", "nothing.large.chronym", "chronym", "example.com", "unknown-name.chronym"];
    let options =
        [None, Some(Vec::new()), Some(option(10, &[5; 8])), Some(option(10, &[5; 24])), Some(option(12, &[0; 9]))];
    let mut queries = Vec::new();
    for name in names {
        for options in &options {
            for qtype in [1, 6, 16, 43, 48, 252, 255] {
                queries.push(packet(name, qtype, options.as_deref(), options.is_some()));
            }
        }
    }
    // Malformed ones, a version of EDNS that does not exist, and an operation that is not served.
    let mut badvers = packet("large.chronym", 1, Some(b""), false);
    let version = badvers.len() - 5;
    badvers[version] = 1;
    let mut update = packet("large.chronym", 1, None, false);
    update[2] = 5 << 3;
    queries.extend([badvers, update, packet("large.chronym", 1, None, false)[..20].to_vec()]);
    queries
}

/// An operation that is not served, a later version of EDNS, and bytes behind the records.
fn rejected(options: &[u8]) -> [Vec<u8>; 3] {
    let good = packet("large.chronym", 1, Some(options), false);
    let [mut update, mut badvers] = [good.clone(), good.clone()];
    update[2] |= 5 << 3;
    badvers[37] = 1;
    [update, badvers, [&good[..], b"more"].concat()]
}

#[test]
fn a_rejection_answers_the_cookie_of_its_client() {
    // RFC 7873, 5.2.3: all responses to a client that sent one.
    let desk = Desk::new();
    for packet in rejected(&option(10, &[5; 8])) {
        let made = cookie(&udp(&desk, &packet).1).expect("a cookie");
        assert_eq!((made.len(), &made[..8]), (24, &[5; 8][..]));
    }
    // A public server answers over datagrams where the reply is no longer for it.
    let public = public();
    for (length, transport, is_answered) in
        [(8, Transport::Udp, false), (24, Transport::Udp, true), (8, Transport::Tcp, true)]
    {
        for packet in rejected(&option(10, &vec![5; length])) {
            let reply = public.handle(&packet, &asker(transport, STRANGER)).1;
            assert_eq!(cookie(&reply).is_some(), is_answered, "{length} {transport:?}");
            assert!(reply.len() <= packet.len() || transport == Transport::Tcp);
        }
    }
}

#[test]
fn an_unproved_source_never_gets_more_bytes_than_it_sent() {
    let mut desk = public();
    for query in queries() {
        desk.ms += 1_000;
        let (handled, reply) = udp(&desk, &query);
        if handled == Handled::Reply {
            assert!(reply.len() <= query.len(), "{} bytes for {}: {query:02x?}", reply.len(), query.len());
        }
        while let Some(late) = desk.late() {
            assert!(late.bytes.len() <= 512);
        }
    }
}

#[test]
fn a_late_reply_keeps_to_that_too() {
    let desk = public();
    let query = packet("other.chronym", 1, Some(b""), false);
    assert_eq!(udp(&desk, &query).0, Handled::Later);
    desk.learn("other.chronym", crate::desk::address("other.chronym"), 60_000, 60_000);
    let reply = desk.late().unwrap();
    assert!(reply.bytes.len() <= query.len());
    assert_eq!(reply.flags, "AA TC RD");
}

#[test]
fn large_answers_need_tcp_or_a_cookie_of_ours() {
    let desk = public();
    let plain = packet("large.chronym", 1, Some(b""), false);
    assert_eq!(read(&udp(&desk, &plain).1).flags, "AA TC RD");
    let first = packet("large.chronym", 1, Some(&option(10, &[5; 8])), false);
    let over_tcp = desk.handle(&first, &asker(Transport::Tcp, STRANGER)).1;
    assert_eq!(read(&over_tcp).answer.len(), 30);
    let cookie = cookie(&over_tcp).expect("a cookie over TCP");
    let again = packet("large.chronym", 1, Some(&option(10, &cookie)), false);
    assert_eq!(read(&udp(&desk, &again).1).answer.len(), 30);
    // A cookie of another client, and an altered one.
    let (_, foreign) = desk.handle(&again, &asker(Transport::Udp, "198.51.100.1"));
    assert_eq!(read(&foreign).flags, "AA TC RD");
    let mut altered = cookie.clone();
    altered[20] ^= 1;
    let altered = packet("large.chronym", 1, Some(&option(10, &altered)), false);
    assert_eq!(read(&udp(&desk, &altered).1).flags, "AA TC RD");
}

#[test]
fn a_cookie_that_is_too_old_is_replaced_within_the_bytes_of_the_query() {
    let mut desk = public();
    let first = packet("large.chronym", 1, Some(&option(10, &[5; 8])), false);
    assert_eq!(cookie(&udp(&desk, &first).1), None, "it would make the reply longer than the query");
    let old = cookie(&desk.handle(&first, &asker(Transport::Tcp, STRANGER)).1).unwrap();
    desk.ms += 3_601_000;
    let late = packet("large.chronym", 1, Some(&option(10, &old)), false);
    let (_, reply) = udp(&desk, &late);
    assert_eq!((read(&reply).flags.as_str(), reply.len()), ("AA TC RD", late.len()));
    let again = packet("large.chronym", 1, Some(&option(10, &cookie(&reply).unwrap())), false);
    assert_eq!(read(&udp(&desk, &again).1).answer.len(), 30);
}

#[test]
fn responses_to_one_network_are_limited_and_every_second_of_the_rest_says_tc() {
    let mut desk = public();
    let query = packet("chronym", 65_280, None, false);
    let outcomes = |desk: &Desk, asker: &Asker, count| {
        let replies: Vec<_> = (0..count).map(|_| desk.handle(&query, asker).0).collect();
        replies.iter().filter(|handled| **handled == Handled::Reply).count()
    };
    let client = asker(Transport::Udp, STRANGER);
    assert_eq!(outcomes(&desk, &client, 250), 250);
    assert_eq!(desk.answers("limited"), 0);
    assert_eq!(outcomes(&desk, &client, 100), 50);
    assert_eq!(outcomes(&desk, &asker(Transport::Udp, "192.0.2.200"), 100), 50);
    assert_eq!(desk.answers("limited"), 200);
    assert_eq!(outcomes(&desk, &asker(Transport::Udp, "192.0.3.7"), 100), 100);
    assert_eq!(outcomes(&desk, &asker(Transport::Tcp, STRANGER), 100), 100);
    desk.ms += 1_000;
    assert_eq!(outcomes(&desk, &client, 50), 50);
    assert_eq!(desk.answers("limited"), 200);
}

#[test]
fn queries_of_one_network_are_limited_over_all_transports() {
    let desk = public();
    let query = packet("chronym", 6, None, false);
    let client = asker(Transport::Tls, "2001:db8::1");
    let rcodes: Vec<_> = (0..2_010).map(|_| read(&desk.handle(&query, &client).1).rcode).collect();
    assert_eq!(rcodes.iter().filter(|rcode| **rcode == 5).count(), 10);
    assert_eq!(desk.handle(&query, &asker(Transport::Udp, "2001:db8:0:ff::1")).0, Handled::Dropped);
    assert_eq!(read(&desk.handle(&query, &asker(Transport::Https, "2001:db8::2")).1).rcode, 5);
    assert_eq!(read(&desk.handle(&query, &asker(Transport::Tcp, "2001:db8:1::1")).1).rcode, 0);
}

#[test]
fn this_machine_alone_has_no_limits() {
    let desk = Desk::new();
    let query = packet("chronym", 6, None, false);
    let client = asker(Transport::Udp, "127.0.0.1");
    assert!((0..5_000).all(|_| desk.handle(&query, &client).0 == Handled::Reply));
}
