//! A place: a machine with its routers and its line.

use std::fs::File;
use std::time::Instant;

use crate::firewall::Firewall;
use crate::line::Line;
use crate::nat::Nat;
use crate::packet::{Packet, Side, UDP};
use crate::pmp;
use crate::random::Random;
use crate::traffic::Traffic;

pub struct Place {
    pub device: File,
    /// From the machine outwards.
    pub nats: Vec<Nat>,
    pub answers_pmp: bool,
    /// For IPv6.
    pub firewall: Option<Firewall>,
    /// Bytes of the longest packet that its line takes.
    pub mtu: u16,
    pub up: Line,
    pub down: Line,
    /// On the other side of a cut.
    pub is_apart: bool,
    /// Packets of IPv4, or of IPv6, with more bytes than these reach nobody.
    pub vanishing: Option<(bool, usize)>,
    pub traffic: Traffic,
}

impl Place {
    /// The packet is for the home's router itself.
    pub fn is_for_router(&self, packet: &Packet) -> bool {
        !self.nats.is_empty() && packet.end(Side::Destination).address == pmp::GATEWAY
    }

    pub fn ask_router(&mut self, packet: &Packet) -> Option<Packet> {
        let is_asked = self.answers_pmp && packet.protocol() == UDP && packet.end(Side::Destination).port == pmp::PORT;
        if is_asked { pmp::answer(self.nats.first_mut()?, packet) } else { None }
    }

    pub fn swallows(&self, packet: &Packet) -> bool {
        self.vanishing.is_some_and(|(is_ipv4, longest)| packet.is_ipv4() == is_ipv4 && packet.bytes().len() > longest)
    }

    pub fn hairpins(&self) -> bool {
        self.nats.last().is_some_and(|nat| nat.hairpins)
    }

    pub fn outward(&mut self, packet: &mut Packet, random: &mut Random, now: Instant) {
        if packet.is_ipv4() {
            for nat in &mut self.nats {
                nat.outward(packet, random, now);
            }
        } else if let Some(firewall) = &mut self.firewall {
            firewall.outward(packet, now);
        }
    }

    /// Whether its routers let the packet in.
    pub fn inward(&mut self, packet: &mut Packet, now: Instant) -> bool {
        if packet.is_ipv4() {
            self.nats.iter_mut().rev().all(|nat| nat.inward(packet, now))
        } else {
            self.firewall.as_mut().is_none_or(|firewall| firewall.inward(packet, now))
        }
    }
}
