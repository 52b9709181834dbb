//! Names outside of the zone.

use crate::fixture::{option, packet};
use crate::running::{ask_stream, options, read_message, start};
use crate::seen::read;
use chronym_dns::server::ServerOptions;
use std::io::Write;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::thread;

/// The request as its reply, with an address or `change`d.
fn reply(request: &[u8], change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let end = request[12..].iter().position(|byte| *byte == 0).unwrap() + 12 + 5;
    let mut reply = request[..end].to_vec();
    reply[2] |= 0x80;
    reply[3] |= 0x80 | 0x20;
    reply[6..12].copy_from_slice(&[0, 1, 0, 0, 0, 0]);
    reply.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 203, 0, 113, 5]);
    change(&mut reply);
    reply
}

/// Where no test listens: a port that the system gives out may be another's by now, who counts what comes.
pub fn nobody() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 1))
}

/// Requests with their senders.
type Requests = thread::JoinHandle<Vec<(Vec<u8>, SocketAddr)>>;

/// Takes `count` requests and answers each with what `answer` makes of it; gives the requests with their senders.
fn upstream(count: usize, answer: impl Fn(&[u8]) -> Vec<Vec<u8>> + Send + 'static) -> (SocketAddr, Requests) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(crate::running::PATIENCE)).unwrap();
    let address = socket.local_addr().unwrap();
    let thread = thread::spawn(move || {
        (0..count)
            .map(|_| {
                let mut buffer = [0; 2_048];
                let (length, peer) = socket.recv_from(&mut buffer).expect("a request");
                for reply in answer(&buffer[..length]) {
                    socket.send_to(&reply, peer).unwrap();
                }
                (buffer[..length].to_vec(), peer)
            })
            .collect()
    });
    (address, thread)
}

fn forward(upstreams: &[SocketAddr]) -> crate::running::Running {
    start(ServerOptions { forward: upstreams.to_vec(), ..options() })
}

#[test]
fn a_query_is_forwarded_with_a_new_id_and_port_and_without_options() {
    let (address, requests) = upstream(20, |request| vec![reply(request, |_| ())]);
    let running = forward(&[address]);
    for _ in 0..20 {
        let query = packet("WWW.Example.com", 1, Some(&option(10, &[9; 8])), true);
        let bytes = running.ask_udp(&query);
        let seen = read(&bytes);
        assert_eq!((seen.id, seen.flags.as_str()), (0x1234, "RD RA"));
        assert_eq!(seen.answer, ["WWW.Example.com. 60 A 203.0.113.5"]);
    }
    let requests = requests.join().unwrap();
    let mut ids: Vec<_> = requests.iter().map(|(request, _)| request[..2].to_vec()).collect();
    let mut ports: Vec<_> = requests.iter().map(|(_, peer)| peer.port()).collect();
    ids.sort();
    ids.dedup();
    ports.sort_unstable();
    ports.dedup();
    assert!(ids.len() > 17 && ports.len() > 17, "{} IDs, {} ports", ids.len(), ports.len());
    // Header, question, an OPT record of 1,232 bytes with DO.
    assert_eq!(requests[0].0[12..33], packet("WWW.Example.com", 1, None, false)[12..]);
    assert_eq!(requests[0].0[33..], [0, 0, 41, 4, 208, 0, 0, 0x80, 0, 0, 0]);
    assert_eq!(running.asked.try_iter().count(), 0);
}

#[test]
fn forged_replies_are_passed_over() {
    let (address, _requests) = upstream(1, |request| {
        vec![
            reply(request, |reply| reply[0] ^= 1),
            reply(request, |reply| reply[13] ^= 0x20),
            reply(request, |reply| reply[2] &= 0x7f),
            vec![1, 2, 3],
            reply(request, |reply| *reply.last_mut().unwrap() = 7),
        ]
    });
    let seen = read(&forward(&[address]).ask_udp(&packet("example.com", 1, None, false)));
    assert_eq!(seen.answer, ["example.com. 60 A 203.0.113.7"]);
}

#[test]
fn the_next_upstream_is_asked_when_one_is_silent_or_absent() {
    let absent = nobody();
    let (silent, _silence) = upstream(1, |_| Vec::new());
    let (good, _requests) = upstream(1, |request| vec![reply(request, |_| ())]);
    let seen = read(&forward(&[absent, silent, good]).ask_udp(&packet("example.com", 1, None, false)));
    assert_eq!(seen.answer.len(), 1);
}

#[test]
fn without_an_answering_upstream_the_reply_is_servfail() {
    let absent = nobody();
    let running = forward(&[absent]);
    let seen = read(&running.ask_udp(&packet("example.com", 1, Some(b""), false)));
    assert_eq!((seen.rcode, seen.errors()[0].0), (2, 22));
    let over_tcp = read(&ask_stream(&mut running.tcp(), &packet("example.com", 1, Some(b""), false)));
    assert_eq!((over_tcp.rcode, over_tcp.errors()[0].0), (2, 22));
}

/// A port that is free for streams may be taken for datagrams: forwarders of other tests have ports by chance.
pub fn on_one_port() -> (TcpListener, UdpSocket) {
    let pair = (0..100).find_map(|_| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        UdpSocket::bind(listener.local_addr().unwrap()).ok().map(|socket| (listener, socket))
    });
    pair.expect("a port that is free for both")
}

#[test]
fn tc_is_relayed_and_clients_over_tcp_are_forwarded_over_tcp() {
    let (listener, socket) = on_one_port();
    let address = listener.local_addr().unwrap();
    let over_udp = thread::spawn(move || {
        let mut buffer = [0; 2_048];
        let (length, peer) = socket.recv_from(&mut buffer).unwrap();
        socket.send_to(&reply(&buffer[..length], |reply| reply[2] |= 2), peer).unwrap();
    });
    let over_tcp = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = read_message(&mut stream);
        // In two parts.
        let bytes = crate::running::framed(&reply(&request, |_| ()));
        stream.write_all(&bytes[..7]).unwrap();
        stream.write_all(&bytes[7..]).unwrap();
    });
    let running = forward(&[address]);
    let query = packet("example.com", 1, None, false);
    assert_eq!(read(&running.ask_udp(&query)).flags, "TC RD RA");
    assert_eq!(read(&ask_stream(&mut running.tcp(), &query)).answer, ["example.com. 60 A 203.0.113.5"]);
    over_udp.join().unwrap();
    over_tcp.join().unwrap();
}

#[test]
fn a_forwarded_query_with_an_opt_record_gets_one_if_the_upstream_sends_none_or_the_reply_is_cut() {
    // RFC 6891, 6.1.1. The second reply is longer than the client takes.
    let long = |request: &[u8]| reply(request, |reply| reply.resize(reply.len() + 1_300, 0));
    let short = |request: &[u8]| reply(request, |_| ());
    for (answer, flags, count) in [(short as fn(&[u8]) -> Vec<u8>, "RD RA", 1), (long, "TC RD RA", 0)] {
        let (address, _requests) = upstream(2, move |request| vec![answer(request)]);
        let running = forward(&[address]);
        let seen = read(&running.ask_udp(&packet("example.com", 1, Some(b""), true)));
        assert_eq!((&*seen.flags, seen.answer.len()), (flags, count));
        assert_eq!((seen.options, seen.dnssec_ok), (Some(vec![]), true));
        assert_eq!(read(&running.ask_udp(&packet("example.com", 1, None, false))).options, None);
    }
}

#[test]
fn forwarded_queries_are_bounded() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let running = forward(&[silent.local_addr().unwrap()]);
    let mut stream = running.tcp();
    let socket = running.udp();
    for _ in 0..600 {
        socket.send(&packet("example.com", 1, Some(b""), false)).unwrap();
    }
    // Where sending took long, the first ones have run out of time.
    let refused =
        std::iter::repeat_with(|| read(&crate::running::receive(&socket))).find(|seen| seen.errors()[0].0 == 14);
    assert_eq!(refused.unwrap().rcode, 2);
    // The zone's own names go on.
    assert_eq!(read(&ask_stream(&mut stream, &packet("alice.chronym", 1, None, false))).rcode, 0);
}

#[test]
fn without_upstreams_other_names_are_refused() {
    let seen = read(&start(options()).ask_udp(&packet("example.com", 1, Some(b""), false)));
    assert_eq!((seen.rcode, seen.flags.as_str(), seen.errors()[0].0), (5, "RD", 20));
}
