//! NAT of home routers and carriers, for TCP and UDP over IPv4.

use std::collections::{HashMap, HashSet};

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
}

/// A router between an inner network and the address that it has outside.
pub struct Nat {
    kind: Kind,
    /// Its own address outside.
    pub address: u32,
    /// The machine that forwarded ports lead to.
    machine: u32,
    forwarded: HashSet<u16>,
    ports: HashMap<(u8, Endpoint, Option<Endpoint>), u16>,
    mappings: HashMap<(u8, u16), Mapping>,
}

impl Nat {
    pub fn new(kind: Kind, address: u32, machine: u32) -> Self {
        Self { kind, address, machine, forwarded: HashSet::new(), ports: HashMap::new(), mappings: HashMap::new() }
    }

    /// Lets everybody in at a port, or nobody any more.
    pub fn forward(&mut self, port: u16, is_on: bool) {
        if is_on {
            self.forwarded.insert(port);
        } else {
            self.forwarded.remove(&port);
        }
    }

    pub fn outward(&mut self, packet: &mut Packet, random: &mut Random) {
        let (protocol, inside, outside) = (packet.protocol(), packet.end(Side::Source), packet.end(Side::Destination));
        let key = (protocol, inside, (self.kind == Kind::Symmetric).then_some(outside));
        let port = if self.forwarded.contains(&inside.port) && inside.address == self.machine {
            inside.port
        } else if let Some(&port) = self.ports.get(&key) {
            port
        } else {
            let port = self.free_port(protocol, inside.port, random);
            self.ports.insert(key, port);
            port
        };
        let mapping =
            self.mappings.entry((protocol, port)).or_insert_with(|| Mapping { inside, sent_to: HashSet::new() });
        mapping.sent_to.insert(outside);
        packet.set_end(Side::Source, Endpoint { address: self.address, port });
    }

    /// False where nothing inside waits for the packet.
    pub fn inward(&self, packet: &mut Packet) -> bool {
        let (protocol, outside, own) = (packet.protocol(), packet.end(Side::Source), packet.end(Side::Destination));
        if self.forwarded.contains(&own.port) {
            packet.set_end(Side::Destination, Endpoint { address: self.machine, port: own.port });
            return true;
        }
        match self.mappings.get(&(protocol, own.port)) {
            Some(mapping) if self.kind == Kind::FullCone || mapping.sent_to.contains(&outside) => {
                packet.set_end(Side::Destination, mapping.inside);
                true
            }
            _ => false,
        }
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
    use super::*;

    const INSIDE: Endpoint = Endpoint { address: 0xc0a8_0102, port: 5000 };
    const FRIEND: Endpoint = Endpoint { address: 0x2d01_0001, port: 7469 };
    const STRANGER: Endpoint = Endpoint { address: 0x2d02_0001, port: 7469 };
    const OWN: u32 = 0x2d46_0702;

    fn sent(nat: &mut Nat, to: Endpoint) -> Endpoint {
        let mut packet = Packet::tcp(INSIDE, to);
        nat.outward(&mut packet, &mut Random::new(1));
        assert!(packet.has_right_checksums());
        packet.end(Side::Source)
    }

    fn comes_in(nat: &Nat, from: Endpoint, to: Endpoint) -> bool {
        let mut packet = Packet::tcp(from, to);
        let passed = nat.inward(&mut packet);
        assert!(packet.has_right_checksums());
        assert!(!passed || packet.end(Side::Destination) == INSIDE);
        passed
    }

    #[test]
    fn each_kind_lets_in_whom_it_should() {
        for (kind, stranger) in [(Kind::FullCone, true), (Kind::PortRestricted, false), (Kind::Symmetric, false)] {
            let mut nat = Nat::new(kind, OWN, INSIDE.address);
            let seen = sent(&mut nat, FRIEND);
            assert_eq!(seen.address, OWN);
            assert!(comes_in(&nat, FRIEND, seen), "{kind:?}");
            assert_eq!(comes_in(&nat, STRANGER, seen), stranger, "{kind:?}");
            assert!(!comes_in(&nat, FRIEND, Endpoint { address: OWN, port: 7469 }), "{kind:?}");
        }
    }

    #[test]
    fn only_a_symmetric_one_shows_another_port_to_each() {
        for (kind, is_same) in [(Kind::FullCone, true), (Kind::PortRestricted, true), (Kind::Symmetric, false)] {
            let mut nat = Nat::new(kind, OWN, INSIDE.address);
            assert_eq!(sent(&mut nat, FRIEND) == sent(&mut nat, STRANGER), is_same, "{kind:?}");
            assert_eq!(sent(&mut nat, FRIEND), sent(&mut nat, FRIEND));
        }
    }

    #[test]
    fn a_forwarded_port_leads_in_and_its_answers_out() {
        let mut nat = Nat::new(Kind::Symmetric, OWN, INSIDE.address);
        let own = Endpoint { address: OWN, port: INSIDE.port };
        nat.forward(INSIDE.port, true);
        assert!(comes_in(&nat, STRANGER, own));
        assert_eq!(sent(&mut nat, STRANGER), own);
        nat.forward(INSIDE.port, false);
        assert!(!comes_in(&nat, FRIEND, own));
    }
}
