//! Aliases that lead out of the zone and back, and delegations, for clients that want recursion (RFC 1034, 4.3.2).

use crate::fixture::{alice, name, numbered, packet, record, zone};
use crate::forwarding::{nobody, on_one_port};
use crate::mutation::{Random, mutate};
use crate::running::{Running, ask_stream, framed, options, read_message, receive, start};
use crate::seen::{Seen, read};
use chronym_dns::server::ServerOptions;
use chronym_dns::{Knowledge, Trust};
use std::io::Write;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

const A: u16 = 1;
const CNAME: u16 = 5;
const MX: u16 = 15;
const ANY: u16 = 255;
const NOERROR: u8 = 0;
const SERVFAIL: u8 = 2;
const NXDOMAIN: u8 = 3;
const REFUSED: u8 = 5;

/// A reply to a request: with RA, and AD, which is not passed on.
fn reply(request: &[u8], rcode: u8, answer: &[Vec<u8>], authority: &[Vec<u8>]) -> Vec<u8> {
    let end = request[12..].iter().position(|byte| *byte == 0).unwrap() + 12 + 5;
    let mut reply = request[..end].to_vec();
    reply[2] |= 0x80;
    reply[3] |= 0x80 | 0x20 | rcode;
    let count = |records: &[Vec<u8>]| u8::try_from(records.len()).unwrap();
    reply[6..12].copy_from_slice(&[0, count(answer), 0, count(authority), 0, 0]);
    reply.extend([answer, authority].concat().concat());
    reply
}

/// The answers of these tests' upstreams for a name.
fn world(request: &[u8]) -> Vec<u8> {
    let address = |owner: &str| record(owner, A, 60, &[203, 0, 113, 5]);
    let alias = |owner: &str, target: &str| record(owner, CNAME, 60, &name(target));
    let soa = || record("example.com", 6, 60, &[&[0, 0][..], &[0; 20]].concat());
    let end = request[12..].iter().position(|byte| *byte == 0).unwrap() + 12;
    let qtype = request[end + 2];
    let owner = request[13..end].iter().map(|&byte| if byte < 32 { '.' } else { char::from(byte) }).collect::<String>();
    let (rcode, answer, authority) = match &*owner.to_ascii_lowercase() {
        "www.example.com" if u16::from(qtype) == MX => {
            // The data's name points at the question.
            let data = [&[0, 10, 4][..], b"mail", &[0xc0, 16]].concat();
            (NOERROR, vec![record("www.example.com", MX, 60, &data)], vec![])
        }
        "www.example.com" if u16::from(qtype) != A => (NOERROR, vec![], vec![soa()]),
        "www.example.com" => (NOERROR, vec![address("www.example.com")], vec![]),
        "cdn.example.com" => {
            (NOERROR, vec![alias("cdn.example.com", "edge.example.net"), address("edge.example.net")], vec![])
        }
        "gone.example.com" => (NXDOMAIN, vec![], vec![soa()]),
        "broken.example.com" => (SERVFAIL, vec![], vec![]),
        "shut.example.com" => (REFUSED, vec![], vec![]),
        "large.example.com" => (NOERROR, (0..40).map(|_| address("large.example.com")).collect(), vec![]),
        // The upstream knows nothing of the zone.
        "back.example.com" => (NXDOMAIN, vec![alias("back.example.com", "bob.chronym")], vec![soa()]),
        "slow.example.com" => (NOERROR, vec![alias("slow.example.com", "slow.chronym")], vec![]),
        "coded.example.com" => (NXDOMAIN, vec![alias("coded.example.com", "bob--7kq2mx.chronym")], vec![soa()]),
        "round.example.com" => (NXDOMAIN, vec![alias("round.example.com", "round.alice.chronym")], vec![]),
        "self.example.com" => (NOERROR, vec![alias("self.example.com", "self.example.com")], vec![]),
        "sub.example.com" => (NXDOMAIN, vec![alias("sub.example.com", "x.sub.alice.chronym")], vec![]),
        _ => (NXDOMAIN, vec![], vec![]),
    };
    reply(request, rcode, &answer, &authority)
}

/// An upstream that answers as `answer` says, over datagrams and streams; what it was asked.
fn upstream(answer: impl Fn(&[u8]) -> Vec<u8> + Send + Clone + 'static) -> (SocketAddr, Receiver<Vec<u8>>) {
    let (listener, socket) = on_one_port();
    let address = listener.local_addr().unwrap();
    let (sender, requests) = channel();
    let (of_streams, over_streams) = (sender.clone(), answer.clone());
    thread::spawn(move || {
        let mut buffer = [0; 2_048];
        while let Ok((length, peer)) = socket.recv_from(&mut buffer) {
            let request = &buffer[..length];
            let mut reply = answer(request);
            if reply.len() > 512 {
                reply.truncate(request.len());
                reply[2] |= 2;
                reply[6..12].fill(0);
            }
            if sender.send(request.to_vec()).is_err() || socket.send_to(&reply, peer).is_err() {
                return;
            }
        }
    });
    thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let request = read_message(&mut stream);
            if of_streams.send(request.clone()).is_err() || stream.write_all(&framed(&over_streams(&request))).is_err()
            {
                return;
            }
        }
    });
    (address, requests)
}

/// A server whose `alice.chronym` has aliases to `targets`, each under the first label of its target.
fn server(upstream: SocketAddr, targets: &[&str]) -> Running {
    let running = start(ServerOptions { forward: vec![upstream], ..options() });
    let below = |target: &&str| format!("{}.alice.chronym", target.split('.').next().unwrap());
    let aliases = targets.iter().map(|target| record(&below(target), CNAME, 300, &name(target)));
    let records: Vec<_> = alice().into_iter().chain(aliases).collect();
    let knowledge = Knowledge::Zone { zone: zone("alice.chronym", &records), trust: Trust::Secure };
    running.server.learn(&name("alice.chronym"), knowledge, 60_000, 120_000);
    running
}

fn ask(running: &Running, qname: &str, qtype: u16) -> Seen {
    read(&running.ask_udp(&packet(qname, qtype, Some(b""), false)))
}

#[test]
fn an_alias_out_of_the_zone_comes_with_what_the_upstream_says_of_its_target() {
    let (address, requests) = upstream(world);
    let running = server(address, &["cdn.example.com"]);
    let seen = ask(&running, "Out.alice.chronym", A);
    assert_eq!((seen.rcode, &*seen.flags, seen.id), (0, "AA RD RA", 0x1234));
    assert_eq!(seen.answer, ["Out.alice.chronym. 300 CNAME www.example.com.", "www.example.com. 60 A 203.0.113.5"]);
    assert_eq!(requests.recv().unwrap()[2..], packet("www.example.com", A, Some(b""), false)[2..]);
    // A name within the upstream's data is written again.
    let seen = ask(&running, "out.alice.chronym", MX);
    assert_eq!(seen.answer[1], "www.example.com. 60 MX 10 mail.example.com.");
    let seen = ask(&running, "cdn.alice.chronym", A);
    assert_eq!(seen.answer.len(), 3);
    assert_eq!(seen.answer[2], "edge.example.net. 60 A 203.0.113.5");
    let stream = read(&ask_stream(&mut running.tcp(), &packet("out.alice.chronym", A, None, false)));
    assert_eq!((stream.answer.len(), &*stream.flags, stream.options), (2, "AA RD RA", None));
    // The upstream's answers are not the zone's: no answer above counts as one that was forwarded.
    assert_eq!(running.server.stats().answers[11], 0);
}

#[test]
fn do_and_cd_go_with_the_target_and_the_signature_of_the_alias_stays() {
    let (address, requests) = upstream(world);
    let running = server(address, &[]);
    let mut query = packet("out.alice.chronym", A, Some(b""), true);
    query[3] |= 0x10;
    let seen = read(&running.ask_udp(&query));
    assert_eq!((&*seen.flags, seen.dnssec_ok), ("AA RD RA CD", true));
    assert_eq!(seen.answer[1], "out.alice.chronym. 300 RRSIG CNAME");
    assert_eq!(seen.answer[2], "www.example.com. 60 A 203.0.113.5");
    let mut expected = packet("www.example.com", A, Some(b""), true);
    expected[3] |= 0x10;
    assert_eq!(requests.recv().unwrap()[2..], expected[2..]);
}

#[test]
fn the_code_and_the_denial_are_those_of_the_end_of_the_chain() {
    let (address, _requests) = upstream(world);
    let running = server(address, &["gone.example.com", "broken.example.com", "shut.example.com"]);
    let gone = ask(&running, "gone.alice.chronym", A);
    assert_eq!((gone.rcode, gone.answer.len(), gone.authority.len()), (3, 1, 1));
    let no_data = ask(&running, "out.alice.chronym", 28);
    assert_eq!((no_data.rcode, no_data.answer.len(), no_data.authority.len()), (0, 1, 1));
    for broken in ["broken", "shut"] {
        let seen = ask(&running, &format!("{broken}.alice.chronym"), A);
        assert_eq!((seen.rcode, seen.answer.len(), &*seen.flags), (2, 0, "RD RA"));
        assert_eq!(seen.errors(), [(0, "the target of an alias cannot be resolved".to_owned())]);
    }
}

#[test]
fn without_an_answering_upstream_an_alias_out_of_the_zone_is_servfail() {
    let running = server(nobody(), &[]);
    let seen = ask(&running, "out.alice.chronym", A);
    assert_eq!((seen.rcode, seen.answer.len()), (2, 0));
    assert_eq!(seen.errors(), [(22, "no upstream answered".to_owned())]);
    // The zone's own names go on.
    assert_eq!(ask(&running, "www.alice.chronym", A).answer.len(), 3);
}

#[test]
fn a_chain_that_leads_back_into_the_zone_goes_on_there() {
    let (address, _requests) = upstream(world);
    let running = server(address, &["back.example.com", "coded.example.com", "slow.example.com"]);
    let back = ask(&running, "back.alice.chronym", A);
    let lines = ["back.example.com. 60 CNAME bob.chronym.", "bob.chronym. 300 A 192.0.2.1"];
    assert_eq!((back.rcode, &back.answer[1..], back.authority.len()), (0, &lines.map(str::to_owned)[..], 0));
    assert_eq!(ask(&running, "coded.alice.chronym", A).answer[2], "bob--7kq2mx.chronym. 300 A 192.0.2.1");
    // So does one that begins outside.
    let outside = ask(&running, "back.example.com", A);
    assert_eq!((outside.rcode, &*outside.flags, outside.answer), (0, "RD RA", lines.map(str::to_owned).to_vec()));
    // It waits for a name that has to be looked up.
    for _ in running.asked.try_iter() {}
    let socket = running.udp();
    socket.send(&packet("slow.alice.chronym", A, None, false)).unwrap();
    assert_eq!(running.asked.recv().unwrap().0, "slow.chronym");
    running.server.learn(&name("slow.chronym"), Knowledge::Absent, 60_000, 60_000);
    let slow = read(&receive(&socket));
    assert_eq!((slow.rcode, slow.answer.len(), slow.authority.len()), (3, 2, 1));
}

#[test]
fn long_chains_within_the_zone_are_whole_and_circles_end() {
    let (address, requests) = upstream(world);
    let running = server(address, &["round.example.com", "self.example.com"]);
    let long = ask(&running, "link0.alice.chronym", A);
    assert_eq!((long.rcode, long.answer.len(), &*long.flags), (3, 12, "AA RD RA"));
    // All of a circle is there.
    let ring = ask(&running, "ring1.alice.chronym", A);
    assert_eq!((ring.rcode, ring.answer.len(), &*ring.flags), (0, 2, "AA RD RA"));
    assert_eq!(requests.try_iter().count(), 0);
    let own = ask(&running, "self.alice.chronym", A);
    assert_eq!((own.rcode, own.answer.len()), (0, 2));
    for _ in requests.try_iter() {}
    let round = ask(&running, "round.alice.chronym", A);
    assert_eq!((round.rcode, round.answer.len()), (2, 0));
    assert_eq!(round.errors(), [(0, "aliases lead on and on".to_owned())]);
    assert!(requests.try_iter().count() <= 8);
}

#[test]
fn an_answer_that_is_not_whole_has_no_ra() {
    let (address, requests) = upstream(world);
    let running = server(address, &[]);
    for qname in ["x.sub.alice.chronym", "to-sub.alice.chronym", "sub.alice.chronym", "plain.alice.chronym"] {
        let seen = ask(&running, qname, A);
        assert!(!seen.flags.contains("RA") && !seen.authority.is_empty(), "{qname}: {}", seen.flags);
    }
    assert_eq!(requests.try_iter().count(), 0);
    let led = ask(&running, "sub.alice.chronym", 43);
    assert_eq!(led.flags, "AA RD RA");
    // Nor has one that an upstream led there.
    assert_eq!(ask(&running, "sub.example.com", A).flags, "RD");
    // A client that does not want recursion gets the zone's part.
    let mut iterative = packet("out.alice.chronym", A, None, false);
    iterative[2] = 0;
    for _ in requests.try_iter() {}
    let seen = read(&running.ask_udp(&iterative));
    assert_eq!((seen.answer.len(), &*seen.flags), (1, "AA"));
    assert_eq!(requests.try_iter().count(), 0);
}

#[test]
fn an_alias_that_is_asked_for_itself_is_a_whole_answer() {
    let (address, requests) = upstream(world);
    let running = server(address, &[]);
    for qtype in [CNAME, ANY] {
        let seen = ask(&running, "out.alice.chronym", qtype);
        assert_eq!((seen.answer.len(), &*seen.flags), (1, "AA RD RA"), "{qtype}");
    }
    assert_eq!(requests.try_iter().count(), 0);
}

#[test]
fn a_chain_that_datagrams_do_not_hold_is_cut_and_comes_over_a_stream() {
    let (address, _requests) = upstream(world);
    let running = server(address, &["large.example.com"]);
    for options in [None, Some(&b""[..])] {
        let query = packet("large.alice.chronym", A, options, false);
        let cut = read(&running.ask_udp(&query));
        assert!(cut.flags.contains("TC") && cut.answer.is_empty(), "{}", cut.flags);
        assert_eq!(read(&ask_stream(&mut running.tcp(), &query)).answer.len(), 41);
    }
}

#[test]
fn no_reply_of_an_upstream_breaks_the_server() {
    let mut answers = vec![record("www.example.com", MX, 60, &numbered(&[1], "a.example.com"))];
    answers.push(record("www.example.com", CNAME, 60, &name("back.example.com")));
    let mutated = move |request: &[u8]| {
        let mut reply = reply(request, NOERROR, &answers, &answers);
        let question = reply.len() - 2 * answers.concat().len();
        let mut records = reply.split_off(question);
        mutate(&mut records, request, &mut Random::new(1 << 20 | u64::from(request[0]) << 8 | u64::from(request[1])));
        reply.extend(records);
        reply
    };
    let (address, requests) = upstream(mutated);
    let running = server(address, &[]);
    for _ in 0..500 {
        let seen = ask(&running, "out.alice.chronym", MX);
        assert!([0, 2].contains(&seen.rcode) || seen.flags.contains("TC"), "{}", seen.rcode);
    }
    assert!(requests.try_iter().count() >= 500);
    assert_eq!(ask(&running, "www.alice.chronym", A).answer.len(), 3);
}
