//! What happens to a packet between two places: delay, jitter, loss, lines, cuts.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::Write;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::packet::{Packet, Side};
use crate::place::Place;
use crate::random::Random;
use crate::too_big;
use crate::traffic::Way;

/// What all lines have in common.
pub struct Weather {
    pub jitter_ms: u64,
    pub loss_per_mille: u64,
}

pub struct Wan {
    pub places: Vec<Place>,
    pub routes: HashMap<IpAddr, usize>,
    weather: Weather,
    /// One way, both ways of each pair.
    delays: HashMap<(usize, usize), Duration>,
    random: Random,
    under_way: BinaryHeap<Reverse<(Instant, u64)>>,
    packets: HashMap<u64, UnderWay>,
    counts: Counts,
}

struct UnderWay {
    packet: Packet,
    target: usize,
    /// The last line is behind it.
    is_there: bool,
}

#[derive(Default)]
struct Counts {
    sent: u64,
    delivered: u64,
    lost: u64,
    refused: u64,
    nowhere: u64,
    queued_out: u64,
    cut: u64,
    too_big: u64,
}

impl Wan {
    pub fn new(
        places: Vec<Place>,
        routes: HashMap<IpAddr, usize>,
        weather: Weather,
        delays: HashMap<(usize, usize), Duration>,
        random: Random,
    ) -> Self {
        Self {
            places,
            routes,
            weather,
            delays,
            random,
            under_way: BinaryHeap::new(),
            packets: HashMap::new(),
            counts: Counts::default(),
        }
    }

    pub fn send(&mut self, from: usize, mut packet: Packet) {
        self.counts.sent += 1;
        let now = Instant::now();
        if self.places[from].is_for_router(&packet) {
            if let Some(answer) = self.places[from].ask_router(&packet) {
                self.write(from, answer.bytes());
            }
            return;
        }
        let Some(&target) = self.routes.get(&packet.end(Side::Destination).address) else {
            self.counts.nowhere += 1;
            return;
        };
        let mtu = self.places[from].mtu.min(self.places[target].mtu);
        if packet.bytes().len() > usize::from(mtu) {
            self.counts.too_big += 1;
            self.write(from, &too_big::answer(&packet, mtu));
            return;
        }
        let bytes = packet.bytes().len() as u64;
        let (one, other) = (&self.places[from], &self.places[target]);
        let is_cut = one.is_apart != other.is_apart || one.swallows(&packet) || other.swallows(&packet);
        let place = &mut self.places[from];
        place.traffic.follow(Way::Out, &packet);
        place.outward(&mut packet, &mut self.random, now);
        if target == from {
            if place.hairpins() {
                self.deliver(from, packet, now);
            } else {
                self.counts.refused += 1;
            }
            return;
        }
        let Some(leaves) = place.up.pass(bytes, now) else {
            self.counts.queued_out += 1;
            return;
        };
        place.traffic.count(Way::Out, bytes, now);
        if is_cut {
            self.counts.cut += 1;
            return;
        }
        if self.random.below(1_000) < self.weather.loss_per_mille {
            self.counts.lost += 1;
            return;
        }
        let jitter = Duration::from_micros(self.random.below(self.weather.jitter_ms * 1_000 + 1));
        let delay = self.delays.get(&(from, target)).copied().unwrap_or_default();
        self.under_way.push(Reverse((leaves + delay + jitter, self.counts.sent)));
        self.packets.insert(self.counts.sent, UnderWay { packet, target, is_there: false });
    }

    /// Hands over what is due, and says how long until the next is.
    pub fn hand_over(&mut self) -> Option<Duration> {
        while let Some(&Reverse((due, number))) = self.under_way.peek() {
            let now = Instant::now();
            if due > now {
                return Some(due - now);
            }
            self.under_way.pop();
            let Some(UnderWay { packet, target, is_there }) = self.packets.remove(&number) else { continue };
            let bytes = packet.bytes().len() as u64;
            let place = &mut self.places[target];
            if is_there {
                self.deliver(target, packet, now);
            } else if let Some(leaves) = place.down.pass(bytes, due) {
                place.traffic.count(Way::In, bytes, now);
                if leaves > now {
                    self.under_way.push(Reverse((leaves, number)));
                    self.packets.insert(number, UnderWay { packet, target, is_there: true });
                } else {
                    self.deliver(target, packet, now);
                }
            } else {
                self.counts.queued_out += 1;
            }
        }
        None
    }

    fn deliver(&mut self, target: usize, mut packet: Packet, now: Instant) {
        let place = &mut self.places[target];
        if !place.inward(&mut packet, now) {
            self.counts.refused += 1;
            return;
        }
        place.traffic.follow(Way::In, &packet);
        self.write(target, packet.bytes());
    }

    /// A device that is down or full drops it, as a real one.
    fn write(&mut self, target: usize, bytes: &[u8]) {
        if self.places[target].device.write_all(bytes).is_ok() {
            self.counts.delivered += 1;
        }
    }

    /// As JSON.
    pub fn totals(&self) -> String {
        let Counts { sent, delivered, lost, refused, nowhere, queued_out, cut, too_big } = self.counts;
        format!(
            "{{\"sent\": {sent}, \"delivered\": {delivered}, \"lost\": {lost}, \"refused_by_routers\": {refused}, \
             \"to_no_place\": {nowhere}, \"dropped_by_a_full_queue\": {queued_out}, \"cut_off\": {cut}, \
             \"too_big\": {too_big}}}"
        )
    }
}
