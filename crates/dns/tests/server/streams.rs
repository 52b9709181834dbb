//! Connections.

use crate::desk::address;
use crate::fixture::{name, option, packet};
use crate::running::{ask_stream, eventually, framed, options, read_message, start};
use crate::seen::read;
use std::io::{Read, Write};
use std::net::Shutdown;

#[test]
fn replies_leave_as_they_are_ready() {
    let running = start(options());
    let mut stream = running.tcp();
    let numbered = |id: u8, qname: &str| {
        let mut query = packet(qname, 1, None, false);
        query[1] = id;
        framed(&query)
    };
    // All in one write; the first has to wait.
    let queries = [numbered(1, "slow.chronym"), numbered(2, "alice.chronym"), numbered(3, "chronym")].concat();
    stream.write_all(&queries).unwrap();
    let mut ids = vec![read_message(&mut stream)[1], read_message(&mut stream)[1]];
    ids.sort_unstable();
    assert_eq!(ids, [2, 3]);
    running.server.learn(&name("slow.chronym"), address("slow.chronym"), 60_000, 60_000);
    assert_eq!(read_message(&mut stream)[1], 1);
}

#[test]
fn a_query_may_come_byte_by_byte() {
    let running = start(options());
    let mut stream = running.tcp();
    stream.set_nodelay(true).unwrap();
    for byte in framed(&packet("alice.chronym", 1, None, false)) {
        stream.write_all(&[byte]).unwrap();
    }
    assert_eq!(read(&read_message(&mut stream)).rcode, 0);
}

#[test]
fn a_half_closed_connection_gets_all_its_replies_and_then_the_end() {
    let running = start(options());
    let mut stream = running.tcp();
    let queries: Vec<_> =
        ["slow.chronym", "chronym", "alice.chronym"].iter().map(|name| framed(&packet(name, 1, None, false))).collect();
    stream.write_all(&queries.concat()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    for _ in 0..2 {
        read_message(&mut stream);
    }
    running.server.learn(&name("slow.chronym"), address("slow.chronym"), 60_000, 60_000);
    assert_eq!(read(&read_message(&mut stream)).answer, ["slow.chronym. 300 A 192.0.2.1"]);
    assert_eq!(stream.read(&mut [0]).unwrap(), 0);
    eventually("its place is free", || running.server.connections() == 0);
}

#[test]
fn ten_thousand_queries_in_one_connection_are_answered_in_bounded_memory() {
    let running = start(options());
    let mut stream = running.tcp();
    let mut writer = stream.try_clone().unwrap();
    let queries = framed(&packet("large.chronym", 1, None, false)).repeat(10_000);
    // The client writes all before it reads: the server must stop reading it, and go on later.
    let writing = std::thread::spawn(move || writer.write_all(&queries).unwrap());
    for _ in 0..10_000 {
        assert!(read_message(&mut stream).len() > 3_000);
    }
    writing.join().unwrap();
}

#[test]
fn a_connection_that_sends_no_dns_ends() {
    let running = start(options());
    let mut response = packet("alice.chronym", 1, None, false);
    response[2] |= 0x80;
    for bytes in [framed(&response), b"GET / HTTP/1.1\r\n\r\n".to_vec(), vec![0, 3, 1, 2, 3], vec![0xff, 0xff]] {
        let mut stream = running.tcp();
        stream.write_all(&bytes).unwrap();
        assert_eq!(stream.read(&mut [0]).unwrap_or(0), 0, "{bytes:02x?}");
    }
}

#[test]
fn queries_before_what_is_no_dns_are_answered() {
    let running = start(options());
    let queries = ["slow.chronym", "alice.chronym"].map(|name| framed(&packet(name, 1, None, false))).concat();
    let mut response = packet("chronym", 1, None, false);
    response[2] |= 0x80;
    for garbage in [b"GET / HTTP/1.1\r\n\r\n".to_vec(), framed(&response), vec![0, 3, 1, 2, 3]] {
        let _ = running.server.flush(None);
        let mut stream = running.tcp();
        stream.write_all(&[&queries[..], &garbage, &queries].concat()).unwrap();
        assert_eq!(read(&read_message(&mut stream)).answer, ["alice.chronym. 300 A 192.0.2.1"]);
        running.server.learn(&name("slow.chronym"), address("slow.chronym"), 60_000, 60_000);
        assert_eq!(read(&read_message(&mut stream)).answer, ["slow.chronym. 300 A 192.0.2.1"]);
        assert_eq!(stream.read(&mut [0]).unwrap_or(0), 0, "nothing behind it: {garbage:02x?}");
    }
}

#[test]
fn the_idle_time_is_told_to_clients_that_ask() {
    let running = start(options());
    let query = packet("alice.chronym", 1, Some(&option(11, b"")), false);
    let reply = read(&ask_stream(&mut running.tcp(), &query));
    assert_eq!(reply.options.unwrap(), [(11, vec![0, 100])]);
    assert_eq!(read(&running.ask_udp(&query)).options.unwrap(), []);
}
