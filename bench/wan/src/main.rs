//! A wide area network in user space. Each place is a network namespace with a TUN device, `wan`; this one process reads
//! what they send, and hands it over later, or never. The first argument is a file of lines (see `Plan`); it runs until
//! its standard input ends, and then says what it did as JSON.

mod nat;
mod packet;
mod random;
mod tun;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fs::File;
use std::io::{Read, Write};
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use nat::{Kind, Nat};
use packet::{Endpoint, Packet, Side, UDP};
use random::Random;

/// Where homes have their router, and its port for NAT-PMP.
const GATEWAY: u32 = u32::from_be_bytes([192, 168, 1, 1]);
const NAT_PMP: u16 = 5351;

/// What waits for a slow line at most, as time; the rest is dropped, as by a router.
const LONGEST_QUEUE: Duration = Duration::from_millis(500);

struct Place {
    device: File,
    /// From the machine outwards.
    nats: Vec<Nat>,
    answers_pmp: bool,
    /// Bits a second that it may send; 0: any number.
    rate: u64,
    free_at: Instant,
}

/// What all lines have in common.
struct Weather {
    /// One way between two places, drawn for each pair.
    delay_ms: (u64, u64),
    jitter_ms: u64,
    loss_per_mille: u64,
}

struct Wan {
    places: Vec<Place>,
    routes: HashMap<u32, usize>,
    weather: Weather,
    /// Both ways of each pair.
    delays: HashMap<(usize, usize), Duration>,
    random: Random,
    under_way: BinaryHeap<Reverse<(Instant, u64, usize)>>,
    packets: HashMap<u64, Packet>,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    sent: u64,
    delivered: u64,
    lost: u64,
    refused: u64,
    nowhere: u64,
    queued_out: u64,
}

/// Lines: `seed N`, `delay MIN MAX`, `jitter MS`, `loss PER_MILLE`, and for each place
/// `place NAMESPACE ADDRESS [rate BITS] [pmp] [nat full-cone|port-restricted|symmetric ADDRESS [forward PORT]]...`, with the
/// NAT next to the machine first.
fn read_plan(text: &str) -> Result<Wan, String> {
    let mut seed = 1;
    let mut weather = Weather { delay_ms: (0, 0), jitter_ms: 0, loss_per_mille: 0 };
    let mut places = Vec::new();
    let mut routes = HashMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let mut word = || words.next().ok_or_else(|| format!("too short: {line}"));
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("no number: {text}"));
        match word()? {
            "seed" => seed = number(word()?)?,
            "delay" => weather.delay_ms = (number(word()?)?, number(word()?)?),
            "jitter" => weather.jitter_ms = number(word()?)?,
            "loss" => weather.loss_per_mille = number(word()?)?,
            "place" => {
                let (namespace, mut address) = (word()?, address_of(word()?)?);
                let device = tun::open(namespace).map_err(|error| format!("{namespace}: {error}"))?;
                let (mut nats, mut rate, mut answers_pmp) = (Vec::<Nat>::new(), 0, false);
                while let Ok(option) = word() {
                    match option {
                        "rate" => rate = number(word()?)?,
                        "pmp" => answers_pmp = true,
                        "nat" => {
                            let (kind, outside) = (kind_of(word()?)?, address_of(word()?)?);
                            nats.push(Nat::new(kind, outside, address));
                            address = outside;
                        }
                        "forward" => {
                            let port = u16::try_from(number(word()?)?).map_err(|_| "no port")?;
                            nats.last_mut().ok_or("forward without nat")?.forward(port, true);
                        }
                        other => return Err(format!("unknown: {other}")),
                    }
                }
                routes.insert(address, places.len());
                places.push(Place { device, nats, answers_pmp, rate, free_at: Instant::now() });
            }
            other => return Err(format!("unknown: {other}")),
        }
    }
    let mut random = Random::new(seed);
    let mut delays = HashMap::new();
    for from in 0..places.len() {
        for to in 0..from {
            let (least, most) = weather.delay_ms;
            let delay = Duration::from_millis(least + random.below(most.saturating_sub(least) + 1));
            delays.extend([((from, to), delay), ((to, from), delay)]);
        }
    }
    Ok(Wan {
        places,
        routes,
        weather,
        delays,
        random,
        under_way: BinaryHeap::new(),
        packets: HashMap::new(),
        counts: Counts::default(),
    })
}

fn address_of(text: &str) -> Result<u32, String> {
    text.parse::<Ipv4Addr>().map(u32::from).map_err(|_| format!("no address: {text}"))
}

fn kind_of(text: &str) -> Result<Kind, String> {
    match text {
        "full-cone" => Ok(Kind::FullCone),
        "port-restricted" => Ok(Kind::PortRestricted),
        "symmetric" => Ok(Kind::Symmetric),
        other => Err(format!("no kind of NAT: {other}")),
    }
}

impl Wan {
    fn send(&mut self, from: usize, mut packet: Packet) {
        self.counts.sent += 1;
        let place = &mut self.places[from];
        let to = packet.end(Side::Destination);
        if to.address == GATEWAY && !place.nats.is_empty() {
            if place.answers_pmp
                && packet.protocol() == UDP
                && to.port == NAT_PMP
                && let Some(answer) = answer_pmp(&mut place.nats[0], &packet)
            {
                self.deliver(from, &answer);
            }
            return;
        }
        for nat in &mut place.nats {
            nat.outward(&mut packet, &mut self.random);
        }
        let Some(&target) = self.routes.get(&to.address) else {
            self.counts.nowhere += 1;
            return;
        };
        let now = Instant::now();
        let begins = place.free_at.max(now);
        if begins - now > LONGEST_QUEUE {
            self.counts.queued_out += 1;
            return;
        }
        let bits = packet.bytes().len() as u64 * 8;
        let leaves = begins + Duration::from_micros((bits * 1_000_000).checked_div(place.rate).unwrap_or(0));
        place.free_at = leaves;
        if self.random.below(1_000) < self.weather.loss_per_mille {
            self.counts.lost += 1;
            return;
        }
        let jitter = Duration::from_micros(self.random.below(self.weather.jitter_ms * 1_000 + 1));
        let number = self.counts.sent;
        let delay = self.delays.get(&(from, target)).copied().unwrap_or_default();
        self.under_way.push(Reverse((leaves + delay + jitter, number, target)));
        self.packets.insert(number, packet);
    }

    /// Hands over what is due, and says how long until the next is.
    fn hand_over(&mut self) -> Option<Duration> {
        while let Some(&Reverse((due, number, target))) = self.under_way.peek() {
            let now = Instant::now();
            if due > now {
                return Some(due - now);
            }
            self.under_way.pop();
            let Some(mut packet) = self.packets.remove(&number) else { continue };
            if self.places[target].nats.iter().rev().all(|nat| nat.inward(&mut packet)) {
                self.deliver(target, &packet);
            } else {
                self.counts.refused += 1;
            }
        }
        None
    }

    fn deliver(&mut self, target: usize, packet: &Packet) {
        // A device that is down or full drops it, as a real one.
        if self.places[target].device.write_all(packet.bytes()).is_ok() {
            self.counts.delivered += 1;
        }
    }

    fn run(&mut self) {
        let mut buffer = [0; 65_536];
        let mut watched: Vec<libc::pollfd> =
            self.places.iter().map(|place| place.device.as_raw_fd()).chain([0]).map(watch).collect();
        loop {
            let wait = self.hand_over().map_or(-1, |wait| i32::try_from(wait.as_millis()).unwrap_or(i32::MAX).max(1));
            // SAFETY: `watched` has as many entries as are named, and lives through the call.
            unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as libc::nfds_t, wait) };
            if watched.last().is_some_and(|input| input.revents != 0) {
                return;
            }
            for (from, watch) in watched.iter().enumerate().take(self.places.len()) {
                if watch.revents == 0 {
                    continue;
                }
                while let Ok(length) = self.places[from].device.read(&mut buffer) {
                    if let Some(packet) = Packet::read(&buffer[..length]) {
                        self.send(from, packet);
                    }
                }
            }
        }
    }
}

fn watch(fd: i32) -> libc::pollfd {
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}

/// The address of the router, or a mapping of TCP (RFC 6886); its lifetime is not counted.
fn answer_pmp(nat: &mut Nat, packet: &Packet) -> Option<Packet> {
    let request = packet.payload_of_udp();
    let mut answer = vec![0, 128 + (request.get(1)? & 0x7f), 0, 0, 0, 0, 0, 1];
    match (request[1], request.len()) {
        (0, _) => answer.extend_from_slice(&nat.address.to_be_bytes()),
        (2, 12) => {
            let lasts = request[8..12] != [0; 4];
            nat.forward(u16::from_be_bytes([request[4], request[5]]), lasts);
            answer.extend_from_slice(&request[4..6]);
            answer.extend_from_slice(&request[4..6]);
            answer.extend_from_slice(&request[8..12]);
        }
        _ => return None,
    }
    let gateway = Endpoint { address: GATEWAY, port: NAT_PMP };
    Some(Packet::udp(gateway, packet.end(Side::Source), &answer))
}

fn main() -> Result<(), String> {
    let file = std::env::args().nth(1).ok_or("usage: chronym-wan PLAN")?;
    let mut wan = read_plan(&std::fs::read_to_string(file).map_err(|error| error.to_string())?)?;
    println!("{{\"places\": {}}}", wan.places.len());
    wan.run();
    let Counts { sent, delivered, lost, refused, nowhere, queued_out } = wan.counts;
    println!(
        "{{\"sent\": {sent}, \"delivered\": {delivered}, \"lost\": {lost}, \"refused_by_nat\": {refused}, \
         \"to_no_place\": {nowhere}, \"dropped_by_a_full_queue\": {queued_out}}}"
    );
    Ok(())
}
