//! NAT of home routers and carriers, for TCP and UDP over IPv4. Nobody's mapping outlives its idle time.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::time::Instant;

use crate::idle::Idle;
use crate::packet::{Endpoint, Packet, Side};
use crate::random::Random;

/// Who may answer through a mapping, and what a mapping is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One mapping an inner endpoint; anybody may send to it.
    FullCone,
    /// One mapping an inner endpoint; only endpoints that were sent to may answer.
    PortRestricted,
    /// One mapping an inner and an outer endpoint, at a port by chance.
    Symmetric,
}

struct Mapping {
    inside: Endpoint,
    sent_to: HashSet<Endpoint>,
    used: Instant,
}

/// A router between an inner network and the address that it has outside.
pub struct Nat {
    kind: Kind,
    /// Its own address outside.
    pub address: IpAddr,
    /// The machine that forwarded ports lead to.
    machine: IpAddr,
    idle: Idle,
    /// It leads what the inside sends to its outer address back in.
    pub hairpins: bool,
    forwarded: HashSet<u16>,
    ports: HashMap<(u8, Endpoint, Option<Endpoint>), u16>,
    mappings: HashMap<(u8, u16), Mapping>,
}

impl Nat {
    pub fn new(kind: Kind, address: IpAddr, machine: IpAddr, idle: Idle) -> Self {
        Self {
            kind,
            address,
            machine,
            idle,
            hairpins: false,
            forwarded: HashSet::new(),
            ports: HashMap::new(),
            mappings: HashMap::new(),
        }
    }

    /// Lets everybody in at a port, or nobody any more.
    pub fn forward(&mut self, port: u16, is_on: bool) {
        if is_on {
            self.forwarded.insert(port);
        } else {
            self.forwarded.remove(&port);
        }
    }

    /// Gets another address outside, and knows no mappings there. Forwarded ports stay.
    pub fn renumber(&mut self, address: IpAddr) {
        self.address = address;
        self.ports.clear();
        self.mappings.clear();
    }

    pub fn outward(&mut self, packet: &mut Packet, random: &mut Random, now: Instant) {
        let (protocol, inside, outside) = (packet.protocol(), packet.end(Side::Source), packet.end(Side::Destination));
        let key = (protocol, inside, (self.kind == Kind::Symmetric).then_some(outside));
        let port = if self.forwarded.contains(&inside.port) && inside.address == self.machine {
            inside.port
        } else if let Some(&port) = self.ports.get(&key).filter(|port| self.lives((protocol, **port), now)) {
            port
        } else {
            self.forget_idle(now);
            let port = self.free_port(protocol, inside.port, random);
            self.ports.insert(key, port);
            port
        };
        let mapping = self.mappings.entry((protocol, port)).or_insert_with(|| Mapping {
            inside,
            sent_to: HashSet::new(),
            used: now,
        });
        mapping.sent_to.insert(outside);
        mapping.used = now;
        packet.set_end(Side::Source, Endpoint { address: self.address, port });
    }

    /// False where nothing inside waits for the packet.
    pub fn inward(&mut self, packet: &mut Packet, now: Instant) -> bool {
        let (protocol, outside, own) = (packet.protocol(), packet.end(Side::Source), packet.end(Side::Destination));
        if self.forwarded.contains(&own.port) {
            packet.set_end(Side::Destination, Endpoint { address: self.machine, port: own.port });
            return true;
        }
        let lives = self.lives((protocol, own.port), now);
        match self.mappings.get_mut(&(protocol, own.port)) {
            Some(mapping) if lives && (self.kind == Kind::FullCone || mapping.sent_to.contains(&outside)) => {
                mapping.used = now;
                packet.set_end(Side::Destination, mapping.inside);
                true
            }
            _ => false,
        }
    }

    fn lives(&self, key: (u8, u16), now: Instant) -> bool {
        self.mappings.get(&key).is_some_and(|mapping| now.saturating_duration_since(mapping.used) < self.idle.of(key.0))
    }

    fn forget_idle(&mut self, now: Instant) {
        let idle = self.idle;
        self.mappings.retain(|(protocol, _), mapping| now.saturating_duration_since(mapping.used) < idle.of(*protocol));
        let mappings = &self.mappings;
        self.ports.retain(|(protocol, ..), port| mappings.contains_key(&(*protocol, *port)));
    }

    /// The inner port where it is free, but of a symmetric router.
    fn free_port(&self, protocol: u8, inner: u16, random: &mut Random) -> u16 {
        let mut port = inner;
        while (self.kind == Kind::Symmetric && port == inner) || self.mappings.contains_key(&(protocol, port)) {
            port = 1024 + u16::try_from(random.below(64_000)).unwrap_or(0);
        }
        port
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use super::*;

    const INSIDE: Endpoint = Endpoint { address: IpAddr::V4(Ipv4Addr::new(192, 168, 1, 2)), port: 5000 };
    const FRIEND: Endpoint = Endpoint { address: IpAddr::V4(Ipv4Addr::new(45, 1, 0, 1)), port: 7469 };
    const STRANGER: Endpoint = Endpoint { address: IpAddr::V4(Ipv4Addr::new(45, 2, 0, 1)), port: 7469 };
    const OWN: IpAddr = IpAddr::V4(Ipv4Addr::new(45, 70, 7, 2));

    fn nat(kind: Kind) -> (Nat, Instant) {
        (Nat::new(kind, OWN, INSIDE.address, Idle::BY_RFC), Instant::now())
    }

    fn sent(nat: &mut Nat, to: Endpoint, now: Instant) -> Endpoint {
        let mut packet = Packet::tcp(INSIDE, to);
        nat.outward(&mut packet, &mut Random::new(1), now);
        assert!(packet.has_right_checksums());
        packet.end(Side::Source)
    }

    fn comes_in(nat: &mut Nat, from: Endpoint, to: Endpoint, now: Instant) -> bool {
        let mut packet = Packet::tcp(from, to);
        let passed = nat.inward(&mut packet, now);
        assert!(packet.has_right_checksums());
        assert!(!passed || packet.end(Side::Destination) == INSIDE);
        passed
    }

    #[test]
    fn each_kind_lets_in_whom_it_should() {
        for (kind, stranger) in [(Kind::FullCone, true), (Kind::PortRestricted, false), (Kind::Symmetric, false)] {
            let (mut nat, now) = nat(kind);
            let seen = sent(&mut nat, FRIEND, now);
            assert_eq!(seen.address, OWN);
            assert!(comes_in(&mut nat, FRIEND, seen, now), "{kind:?}");
            assert_eq!(comes_in(&mut nat, STRANGER, seen, now), stranger, "{kind:?}");
            assert!(!comes_in(&mut nat, FRIEND, Endpoint { address: OWN, port: 7469 }, now), "{kind:?}");
        }
    }

    #[test]
    fn only_a_symmetric_one_shows_another_port_to_each() {
        for (kind, is_same) in [(Kind::FullCone, true), (Kind::PortRestricted, true), (Kind::Symmetric, false)] {
            let (mut nat, now) = nat(kind);
            assert_eq!(sent(&mut nat, FRIEND, now) == sent(&mut nat, STRANGER, now), is_same, "{kind:?}");
            assert_eq!(sent(&mut nat, FRIEND, now), sent(&mut nat, FRIEND, now));
        }
    }

    #[test]
    fn a_forwarded_port_leads_in_and_its_answers_out() {
        let (mut nat, now) = nat(Kind::Symmetric);
        let own = Endpoint { address: OWN, port: INSIDE.port };
        nat.forward(INSIDE.port, true);
        assert!(comes_in(&mut nat, STRANGER, own, now));
        assert_eq!(sent(&mut nat, STRANGER, now), own);
        nat.forward(INSIDE.port, false);
        assert!(!comes_in(&mut nat, FRIEND, own, now));
    }

    #[test]
    fn an_idle_mapping_ends_and_a_used_one_does_not() {
        let (mut nat, begin) = nat(Kind::FullCone);
        let at = |seconds| begin + Duration::from_secs(seconds);
        let seen = sent(&mut nat, FRIEND, begin);
        assert!(comes_in(&mut nat, FRIEND, seen, at(7_000)));
        assert!(comes_in(&mut nat, FRIEND, seen, at(14_000)));
        assert!(!comes_in(&mut nat, FRIEND, seen, at(21_440)));
        sent(&mut nat, STRANGER, at(21_440));
        assert!(comes_in(&mut nat, FRIEND, seen, at(21_441)));
    }

    #[test]
    fn another_address_ends_the_mappings_and_keeps_forwarded_ports() {
        let (mut nat, now) = nat(Kind::PortRestricted);
        let seen = sent(&mut nat, FRIEND, now);
        nat.renumber(STRANGER.address);
        assert!(!comes_in(&mut nat, FRIEND, Endpoint { address: STRANGER.address, port: seen.port }, now));
        nat.forward(INSIDE.port, true);
        assert_eq!(sent(&mut nat, FRIEND, now), Endpoint { address: STRANGER.address, port: INSIDE.port });
    }
}
