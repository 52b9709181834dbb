//! Datagrams.

use crate::fixture::{name, packet};
use crate::running::{PATIENCE, exchange, listen, options, receive, start};
use crate::seen::read;
use chronym_dns::engine::Transport;
use chronym_dns::server::ServerOptions;
use std::net::UdpSocket;

#[test]
fn a_name_is_asked_for_and_answered_over_ipv4_and_ipv6() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let running = start(ServerOptions { listen: vec![listen(Transport::Udp, address)], ..options() });
        let server = running.address(Transport::Udp);
        let socket = UdpSocket::bind((server.ip(), 0)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.connect(server).unwrap();
        let query = packet("alice.chronym", 1, None, false);
        for _ in 0..2 {
            assert_eq!(read(&exchange(&socket, &query)).answer, ["alice.chronym. 300 A 192.0.2.1"]);
        }
        assert_eq!(running.asked.try_iter().count(), 1);
    }
}

#[test]
fn many_datagrams_of_many_clients_are_each_answered() {
    let running = start(options());
    let sockets: Vec<_> = (0..20).map(|_| running.udp()).collect();
    for (number, socket) in sockets.iter().enumerate() {
        for id in 0..20 {
            let mut query = packet(&format!("n{}.chronym", (number + id) % 7), 1, None, false);
            query[1] = u8::try_from(id).unwrap();
            socket.send(&query).unwrap();
        }
    }
    for socket in &sockets {
        let mut ids: Vec<_> = (0..20).map(|_| receive(socket)[1]).collect();
        ids.sort_unstable();
        assert_eq!(ids, (0..20).collect::<Vec<u8>>());
    }
}

#[test]
fn a_large_answer_says_tc_and_the_whole_comes_over_tcp() {
    let running = start(options());
    let query = packet("large.chronym", 1, Some(b""), false);
    let reply = read(&running.ask_udp(&query));
    assert_eq!((reply.flags.as_str(), reply.answer.len()), ("AA TC RD", 0));
    let whole = crate::running::ask_stream(&mut running.tcp(), &query);
    assert_eq!(read(&whole).answer.len(), 200);
}

/// The kernel would answer from 127.0.0.1, and a connected socket would not take that.
#[cfg(target_os = "linux")]
#[test]
fn a_wildcard_socket_answers_from_the_address_that_was_asked() {
    let running = start(ServerOptions { listen: vec![listen(Transport::Udp, "0.0.0.0:0")], ..options() });
    let port = running.address(Transport::Udp).port();
    for address in ["127.0.0.1", "127.0.0.2", "127.8.8.8"] {
        let socket = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.connect((address, port)).unwrap();
        // The first comes late, the second at once.
        for _ in 0..2 {
            let query = packet(&format!("n{}.chronym", address.replace('.', "-")), 1, None, false);
            assert_eq!(read(&exchange(&socket, &query)).rcode, 0, "{address}");
        }
    }
    let both = start(ServerOptions {
        listen: vec![listen(Transport::Udp, "0.0.0.0:0"), listen(Transport::Udp, "[::]:0")],
        ..options()
    });
    let ports: Vec<_> = both.server.addresses().iter().map(|listen| listen.address.port()).collect();
    assert_eq!(ports[0], ports[1]);
    let socket = UdpSocket::bind("[::1]:0").unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.connect(("::1", ports[1])).unwrap();
    assert_eq!(read(&exchange(&socket, &packet("alice.chronym", 1, None, false))).rcode, 0);
}

#[test]
fn a_client_that_is_gone_disturbs_nobody() {
    let running = start(options());
    for number in 0..50 {
        let query = packet(&format!("n{number}.chronym"), 1, None, false);
        running.udp().send(&query).unwrap();
    }
    assert_eq!(read(&running.ask_udp(&packet("alice.chronym", 1, None, false))).rcode, 0);
}

#[test]
fn a_name_that_is_learned_later_answers_all_that_wait() {
    let running = start(options());
    let sockets: Vec<_> = (0..3).map(|_| running.udp()).collect();
    for socket in &sockets {
        socket.send(&packet("slow.chronym", 1, None, false)).unwrap();
    }
    crate::running::eventually("all wait", || running.server.stats().waiting == 3);
    running.server.learn(&name("slow.chronym"), crate::desk::address("slow.chronym"), 60_000, 60_000);
    for socket in &sockets {
        assert_eq!(read(&receive(socket)).answer.len(), 1);
    }
    assert_eq!(running.asked.try_iter().count(), 1);
}

#[test]
fn a_rejection_has_the_question_and_an_opt_record() {
    for is_public in [false, true] {
        let running = start(ServerOptions { is_public, ..options() });
        let mut update = packet("alice.chronym", 1, Some(b""), true);
        update[2] |= 5 << 3;
        let trailing = [&packet("alice.chronym", 1, Some(b""), true)[..], b"more"].concat();
        for (packet, code) in [(update, 4), (trailing, 1)] {
            for reply in [running.ask_udp(&packet), crate::running::ask_stream(&mut running.tcp(), &packet)] {
                let seen = read(&reply);
                assert_eq!((seen.rcode, seen.options, seen.dnssec_ok), (code, Some(vec![]), true));
                assert_eq!(reply[12..31], packet[12..31]);
            }
        }
    }
}
