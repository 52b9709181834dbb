//! The file that says what the wide area is like. Lines: `seed N`, `delay MIN MAX`, `jitter MS`, `loss PER_MILLE`,
//! `trip PLACE PLACE MS` for a round trip that is not drawn, and for each place, whose number is its order:
//!
//! `place NAMESPACE ADDRESS [ADDRESS6] [firewall] [up BITS] [down BITS] [queue BYTES] [mtu BYTES] [idle TCP UDP] [pmp]
//! [nat full-cone|port-restricted|symmetric ADDRESS [forward PORT] [hairpin]]...`
//!
//! Rates are bits a second, idle times seconds. The NAT next to the machine comes first. `idle` counts for the NATs and
//! the firewall after it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use crate::firewall::Firewall;
use crate::idle::Idle;
use crate::line::Line;
use crate::nat::{Kind, Nat};
use crate::place::Place;
use crate::random::Random;
use crate::tun;
use crate::wan::{Wan, Weather};

/// Half a second of 2 Mbit/s.
const QUEUE: u64 = 125_000;

pub fn read(text: &str) -> Result<Wan, String> {
    let mut seed = 1;
    let mut least_and_most = (0, 0);
    let mut weather = Weather { jitter_ms: 0, loss_per_mille: 0 };
    let mut places = Vec::new();
    let mut routes = HashMap::new();
    let mut trips = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let words: &mut dyn Iterator<Item = &str> = &mut line.split_whitespace();
        let read = match next::<String>(words)?.as_str() {
            "seed" => next(words).map(|value| seed = value),
            "delay" => next(words).and_then(|least| next(words).map(|most| least_and_most = (least, most))),
            "jitter" => next(words).map(|value| weather.jitter_ms = value),
            "loss" => next(words).map(|value| weather.loss_per_mille = value),
            "trip" => trip(words).map(|each| trips.push(each)),
            "place" => place(words).map(|(place, addresses)| {
                routes.extend(addresses.into_iter().map(|address| (address, places.len())));
                places.push(place);
            }),
            other => Err(format!("unknown: {other}")),
        };
        read.map_err(|error| format!("{line}: {error}"))?;
    }
    let mut random = Random::new(seed);
    let mut delays = HashMap::new();
    for from in 0..places.len() {
        for to in 0..from {
            let (least, most): (u64, u64) = least_and_most;
            let delay = Duration::from_millis(least + random.below(most.saturating_sub(least) + 1));
            delays.extend([((from, to), delay), ((to, from), delay)]);
        }
    }
    for (one, other, round_trip) in trips {
        delays.extend([((one, other), round_trip / 2), ((other, one), round_trip / 2)]);
    }
    Ok(Wan::new(places, routes, weather, delays, random))
}

pub fn next<T: FromStr>(words: &mut dyn Iterator<Item = &str>) -> Result<T, String> {
    let word = words.next().ok_or("too short")?;
    word.parse().map_err(|_| format!("not expected: {word}"))
}

fn trip(words: &mut dyn Iterator<Item = &str>) -> Result<(usize, usize, Duration), String> {
    Ok((next(words)?, next(words)?, Duration::from_micros(1_000 * next::<u64>(words)?)))
}

fn place(words: &mut dyn Iterator<Item = &str>) -> Result<(Place, Vec<IpAddr>), String> {
    let namespace: String = next(words)?;
    let first: IpAddr = next(words)?;
    let device = tun::open(&namespace).map_err(|error| format!("{namespace}: {error}"))?;
    let (mut outermost, mut addresses) = (first, Vec::new());
    let (mut nats, mut firewall, mut answers_pmp) = (Vec::<Nat>::new(), None, false);
    let (mut up, mut down, mut queue, mut mtu, mut idle) = (0, 0, QUEUE, u16::MAX, Idle::BY_RFC);
    while let Some(option) = words.next() {
        match option {
            "up" => up = next(words)?,
            "down" => down = next(words)?,
            "queue" => queue = next(words)?,
            "mtu" => mtu = next(words)?,
            "idle" => {
                idle = Idle { tcp: Duration::from_secs(next(words)?), udp: Duration::from_secs(next(words)?) };
            }
            "pmp" => answers_pmp = true,
            "firewall" => firewall = Some(Firewall::new(idle)),
            "nat" => {
                let kind = kind_of(&next::<String>(words)?)?;
                let outside = next(words)?;
                nats.push(Nat::new(kind, outside, outermost, idle));
                outermost = outside;
            }
            "forward" => nats.last_mut().ok_or("forward without nat")?.forward(next(words)?, true),
            "hairpin" => nats.last_mut().ok_or("hairpin without nat")?.hairpins = true,
            other => addresses.push(other.parse().map_err(|_| format!("unknown: {other}"))?),
        }
    }
    addresses.push(outermost);
    let place = Place {
        device,
        nats,
        answers_pmp,
        firewall,
        mtu,
        up: Line::new(up, queue),
        down: Line::new(down, queue),
        is_apart: false,
        vanishing: None,
        traffic: crate::traffic::Traffic::new(),
    };
    Ok((place, addresses))
}

fn kind_of(text: &str) -> Result<Kind, String> {
    match text {
        "full-cone" => Ok(Kind::FullCone),
        "port-restricted" => Ok(Kind::PortRestricted),
        "symmetric" => Ok(Kind::Symmetric),
        other => Err(format!("no kind of NAT: {other}")),
    }
}
