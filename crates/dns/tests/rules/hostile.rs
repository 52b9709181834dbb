//! Packets and zones that nobody sends by mistake.

use crate::check::{Outcome, exercise};
use crate::fixture::{Registry, alice, name, zone};
use crate::mutation::{Random, mutate, seeds};
use chronym_dns::{Knowledge, Trust, Zone};
use std::collections::BTreeSet;
use std::sync::Arc;

#[test]
fn replies_to_changed_packets_are_whole_and_within_their_limits() {
    let registry = Registry::new();
    let (seeds, mut random, mut out) = (seeds(), Random::new(1), Vec::new());
    let mut outcomes = BTreeSet::new();
    for seed in &seeds {
        outcomes.insert(exercise(&registry, seed, &mut out));
    }
    for _ in 0..30_000 {
        let mut packet = seeds[random.below(seeds.len())].clone();
        let other = &seeds[random.below(seeds.len())];
        mutate(&mut packet, other, &mut random);
        outcomes.insert(exercise(&registry, &packet, &mut out));
    }
    let all = [Outcome::Dropped, Outcome::Truncated, Outcome::Rejected(1), Outcome::Rejected(4), Outcome::Rejected(0)];
    assert!(
        all.iter().chain(&[0, 1, 2, 3, 5].map(Outcome::Answered)).all(|one| outcomes.contains(one)),
        "{outcomes:?}"
    );
}

#[test]
fn replies_to_bytes_of_any_kind_are_whole() {
    let registry = Registry::new();
    let (mut random, mut out) = (Random::new(2), Vec::new());
    for _ in 0..20_000 {
        let packet: Vec<u8> = (0..random.below(80)).map(|_| random.below(256).to_le_bytes()[0]).collect();
        exercise(&registry, &packet, &mut out);
    }
}

#[test]
fn zones_of_changed_records_are_refused_or_answered_from() {
    let whole = alice().concat();
    let (mut random, mut out) = (Random::new(3), Vec::new());
    let mut registry = Registry::new();
    let seeds: Vec<_> = seeds().into_iter().filter(|seed| seed.len() > 40).step_by(9).collect();
    let mut accepted = 0;
    for number in 0..2000 {
        let mut records = whole.clone();
        mutate(&mut records, &whole, &mut random);
        let Ok(zone) = Zone::from_wire(&name("alice.chronym"), &records) else { continue };
        accepted += 1;
        let trust = if number % 2 == 0 { Trust::Secure } else { Trust::Insecure { ede_text: "".into() } };
        registry.set("alice.chronym", Knowledge::Zone { zone: Arc::new(zone), trust });
        let at = random.below(seeds.len());
        exercise(&registry, &seeds[at], &mut out);
    }
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn sets_of_many_long_names_come_whole_or_not_at_all() {
    // 255 bytes, 100 labels and more, no two with a common suffix below the zone.
    let targets = |count: u16| -> Vec<Vec<u8>> {
        let target = |number: u16| format!("{}n{number}.test", "a.".repeat(110));
        (0..count).map(|number| crate::fixture::record("many.chronym", 12, 60, &name(&target(number)))).collect()
    };
    let mut registry = Registry::new();
    let zone = zone("many.chronym", &targets(1000));
    registry.set("many.chronym", Knowledge::Zone { zone, trust: Trust::Secure });
    let seen = registry.ask_dnssec("many.chronym", 12);
    assert_eq!((seen.rcode, seen.answer.len()), (2, 0));
    registry.secure("many.chronym", &targets(200));
    assert_eq!(registry.ask_dnssec("many.chronym", 12).answer.len(), 201);
}
