//! Connections whose time and clients are the test's.

use super::channel::Channel;
use super::connection::{Connection, Next, SCRATCH_BYTES};
use super::table::{Held, Place, Table};
use crate::engine::Handled;
use std::io::Write;
use std::net::{IpAddr, TcpListener, TcpStream};

/// Both ends of a connection, ours as the server has it.
fn pair(client: &str, now_ms: u64) -> (TcpStream, Connection) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let theirs = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    theirs.set_nodelay(true).unwrap();
    let ours = listener.accept().unwrap().0;
    ours.set_nonblocking(true).unwrap();
    let channel = Channel::new(mio::net::TcpStream::from_std(ours), None).unwrap();
    (theirs, Connection::new(channel, client.parse().unwrap(), now_ms))
}

/// A connection without a socket.
struct Entry {
    client: IpAddr,
    progress_ms: u64,
    waits: bool,
}

impl Held for Entry {
    fn client(&self) -> IpAddr {
        self.client
    }

    fn progress_ms(&self) -> u64 {
        self.progress_ms
    }

    fn is_waiting(&self) -> bool {
        self.waits
    }

    fn is_idle(&self) -> bool {
        !self.waits
    }

    fn end(&mut self) {}
}

fn add(table: &mut Table<Entry>, client: &str, progress_ms: u64) -> Place {
    let place = table.next_place();
    table.put(place, Entry { client: client.parse().unwrap(), progress_ms, waits: false });
    place
}

fn pump(connection: &mut Connection, now_ms: u64) -> Next {
    connection.set_readable();
    let mut handle = |_: &Connection, query: &[u8], reply: &mut Vec<u8>| -> Handled {
        reply.clear();
        reply.extend_from_slice(query);
        Handled::Reply
    };
    connection.pump(&mut vec![0; SCRATCH_BYTES], &mut Vec::new(), now_ms, &mut handle)
}

fn room(table: &mut Table<Entry>, client: &str) -> bool {
    table.make_room(client.parse::<IpAddr>().unwrap())
}

#[test]
fn trickled_bytes_are_no_progress_and_whole_queries_are() {
    let (mut theirs, mut connection) = pair("192.0.2.1", 0);
    for (second, byte) in [0, 3, b'a', b'b'].into_iter().enumerate() {
        theirs.write_all(&[byte]).unwrap();
        assert_eq!(pump(&mut connection, second as u64 * 1_000), Next::Event);
        assert_eq!(connection.progress_ms(), 0);
    }
    theirs.write_all(b"c").unwrap();
    // Loopback delivers at once, but not before the call returns on every system.
    while connection.progress_ms() == 0 {
        assert_eq!(pump(&mut connection, 9_000), Next::Event);
    }
    assert_eq!(connection.progress_ms(), 9_000);
}

#[test]
fn what_is_no_query_ends_the_connection() {
    let (mut theirs, mut connection) = pair("192.0.2.1", 0);
    theirs.write_all(b"\x00\x03GET").unwrap();
    let mut next = Next::Event;
    while next == Next::Event {
        connection.set_readable();
        let mut handle = |_: &Connection, _: &[u8], _: &mut Vec<u8>| -> Handled { Handled::Dropped };
        next = connection.pump(&mut vec![0; SCRATCH_BYTES], &mut Vec::new(), 1, &mut handle);
        assert!(next == Next::End || connection.progress_ms() == 0, "it read what is no query, and goes on");
    }
    assert_eq!(next, Next::End);
}

#[test]
fn a_client_that_reads_nothing_makes_no_progress_and_fills_little() {
    let (mut theirs, mut connection) = pair("192.0.2.1", 0);
    theirs.set_nonblocking(true).unwrap();
    let query = [&[0x0f, 0xa0][..], &[7; 4_000]].concat();
    let mut last = 0;
    // Until the buffers of both systems are full.
    for now_ms in 1..10_000 {
        let _ = theirs.write(&query);
        pump(&mut connection, now_ms);
        if connection.progress_ms() > last {
            last = connection.progress_ms();
        }
    }
    assert!(last < 9_000, "progress at {last}");
    assert!(!connection.is_idle());
}

#[test]
fn who_is_idle_for_ten_seconds_ends() {
    let mut table = Table::new();
    let early = add(&mut table, "192.0.2.1", 1_000);
    let late = add(&mut table, "192.0.2.1", 2_000);
    table.end_idle(10_999);
    assert_eq!(table.len(), 2);
    table.end_idle(11_000);
    assert!(table.get(early).is_none() && table.get(late).is_some());
}

#[test]
fn the_idle_time_is_shorter_when_the_table_is_crowded() {
    let mut table = Table::new();
    let mut ends: Vec<_> = (0..767).map(|number| add(&mut table, &format!("198.51.{}.1", number % 250), 0)).collect();
    assert_eq!(table.idle_ms(), 10_000);
    ends.push(add(&mut table, "192.0.2.1", 5_000));
    ends.push(add(&mut table, "192.0.2.1", 0));
    let waiting = *ends.last().unwrap();
    table.get(waiting).unwrap().waits = true;
    assert_eq!(table.idle_ms(), 2_000);
    table.end_idle(6_000);
    assert_eq!(table.len(), 2, "what is new, and what waits for an answer");
}

#[test]
fn a_network_has_64_connections_and_its_own_oldest_gives_way() {
    let mut table = Table::new();
    let other = add(&mut table, "203.0.113.1", 0);
    let ends: Vec<_> = (0..64).map(|number| add(&mut table, &format!("192.0.2.{number}"), 1_000 + number)).collect();
    assert!(room(&mut table, "192.0.2.200"));
    assert_eq!(table.len(), 64);
    assert!(table.get(ends[0]).is_none() && table.get(other).is_some());
    add(&mut table, "192.0.2.200", 2_000);
    for place in &ends {
        if let Some(connection) = table.get(*place) {
            connection.waits = true;
        }
    }
    assert!(room(&mut table, "192.0.2.201"), "the one that waits for nothing gives way");
    let last = add(&mut table, "192.0.2.201", 2_000);
    table.get(last).unwrap().waits = true;
    assert!(!room(&mut table, "192.0.2.202"));
    assert!(room(&mut table, "198.51.100.1"));
}

#[test]
fn this_machine_has_as_many_as_there_are_and_then_the_oldest_gives_way() {
    let mut table = Table::new();
    let ends: Vec<_> = (0..1_024).map(|number| add(&mut table, "127.0.0.1", number)).collect();
    assert!(room(&mut table, "127.0.0.1"));
    assert_eq!(table.len(), 1_023);
    assert!(table.get(ends[0]).is_none() && table.get(ends[1]).is_some());
}

#[test]
fn a_place_names_one_connection_only() {
    let mut table = Table::new();
    let place = add(&mut table, "127.0.0.1", 0);
    table.end(place.index);
    let again = add(&mut table, "127.0.0.1", 0);
    assert_eq!(place.index, again.index);
    assert!(table.get(place).is_none() && table.get(again).is_some());
}
