//! What a place sends and receives: bytes, connections, and the highest rate in any ten seconds.

use std::collections::{HashSet, VecDeque};
use std::time::Instant;

use crate::packet::{ACK, Endpoint, FIN, Packet, RST, SYN, Side};

const WINDOW_SECONDS: u64 = 10;

#[derive(Clone, Copy)]
pub enum Way {
    Out,
    In,
}

#[derive(Default)]
struct Bytes {
    total: u64,
    most: u64,
    within: u64,
    seconds: VecDeque<(u64, u64)>,
}

pub struct Traffic {
    begun: Instant,
    bytes: [Bytes; 2],
    open: HashSet<(Endpoint, Endpoint)>,
    opened: u64,
    accepted: u64,
    most_open: usize,
}

impl Traffic {
    pub fn new() -> Self {
        Self {
            begun: Instant::now(),
            bytes: <[Bytes; 2]>::default(),
            open: HashSet::new(),
            opened: 0,
            accepted: 0,
            most_open: 0,
        }
    }

    pub fn count(&mut self, way: Way, bytes: u64, now: Instant) {
        let second = (now - self.begun).as_secs();
        let counted = &mut self.bytes[way as usize];
        while let Some(&(_, gone)) = counted.seconds.front().filter(|(at, _)| at + WINDOW_SECONDS <= second) {
            counted.seconds.pop_front();
            counted.within -= gone;
        }
        match counted.seconds.back_mut() {
            Some((at, sum)) if *at == second => *sum += bytes,
            _ => counted.seconds.push_back((second, bytes)),
        }
        counted.total += bytes;
        counted.within += bytes;
        counted.most = counted.most.max(counted.within);
    }

    /// A connection counts once its second packet passes, as the machine itself sees it.
    pub fn follow(&mut self, way: Way, packet: &Packet) {
        let (source, destination) = (packet.end(Side::Source), packet.end(Side::Destination));
        let connection = match way {
            Way::Out => (source, destination),
            Way::In => (destination, source),
        };
        let flags = packet.flags();
        if flags & (FIN | RST) != 0 {
            self.open.remove(&connection);
        } else if flags & (SYN | ACK) == SYN | ACK && self.open.insert(connection) {
            match way {
                Way::In => self.opened += 1,
                Way::Out => self.accepted += 1,
            }
            self.most_open = self.most_open.max(self.open.len());
        }
    }

    /// As the inside of a JSON object. The highest rates are counted from 0 again.
    pub fn report(&mut self) -> String {
        let rate = |bytes: &Bytes| bytes.most * 8 / WINDOW_SECONDS;
        let [out, inward] = &self.bytes;
        let text = format!(
            "\"bytes_out\": {}, \"bytes_in\": {}, \"highest_rate_out\": {}, \"highest_rate_in\": {}, \
             \"opened\": {}, \"accepted\": {}, \"open\": {}, \"most_open\": {}",
            out.total,
            inward.total,
            rate(out),
            rate(inward),
            self.opened,
            self.accepted,
            self.open.len(),
            self.most_open
        );
        for bytes in &mut self.bytes {
            bytes.most = 0;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_highest_rate_is_that_of_ten_seconds() {
        let mut traffic = Traffic::new();
        for (second, bytes) in [(0, 5_000), (5, 5_000), (12, 9_000), (14, 1_000), (30, 9_000)] {
            traffic.count(Way::Out, bytes, traffic.begun + Duration::from_secs(second));
        }
        let report = traffic.report();
        assert!(report.contains("\"bytes_out\": 29000, \"bytes_in\": 0, \"highest_rate_out\": 12000,"), "{report}");
    }

    #[test]
    fn a_connection_counts_once_in_its_direction() {
        let own = (Ipv6Addr::LOCALHOST, 7469);
        let other = |port| (Ipv6Addr::UNSPECIFIED, port);
        let mut traffic = Traffic::new();
        for _ in 0..2 {
            traffic.follow(Way::Out, &Packet::tcp6(own, other(1), SYN));
            traffic.follow(Way::In, &Packet::tcp6(other(1), own, SYN | ACK));
            traffic.follow(Way::Out, &Packet::tcp6(own, other(2), SYN | ACK));
            traffic.follow(Way::Out, &Packet::tcp6(own, other(3), SYN | ACK));
        }
        traffic.follow(Way::Out, &Packet::tcp6(own, other(1), FIN | ACK));
        let report = traffic.report();
        assert!(report.contains("\"opened\": 1, \"accepted\": 2, \"open\": 2, \"most_open\": 3"), "{report}");
    }
}
