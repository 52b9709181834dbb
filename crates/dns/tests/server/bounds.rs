//! Memory: whatever comes, the caches stay within their bytes.

use crate::desk::{Desk, address};
use chronym_dns::Knowledge;
use chronym_dns::engine::EngineOptions;

const CACHE_BYTES: usize = 1 << 20;

fn small() -> Desk {
    Desk::with(|options: &mut EngineOptions| options.cache_bytes = CACHE_BYTES, |_, _| true)
}

#[test]
fn knowledge_beyond_the_bound_makes_room() {
    let desk = small();
    for number in 0..20_000 {
        let name = format!("n{number}.chronym");
        desk.learn(&name, address(&name), 60_000, 60_000);
    }
    let stats = desk.engine.stats();
    assert!(stats.cache_bytes <= CACHE_BYTES, "{} bytes", stats.cache_bytes);
    assert!(stats.names > 100, "{} names", stats.names);
}

#[test]
fn packed_answers_beyond_the_bound_make_room() {
    let desk = small();
    desk.learn("alice.chronym", Knowledge::Absent, 60_000, 60_000);
    for number in 0..20_000 {
        assert_eq!(desk.ask(&format!("n{number}.alice.chronym"), 1).unwrap().rcode, 3);
    }
    assert!(desk.engine.stats().cache_bytes <= CACHE_BYTES, "{} bytes", desk.engine.stats().cache_bytes);
}

#[test]
fn what_is_used_outlives_a_flood_of_names_used_once() {
    let desk = small();
    desk.learn("alice.chronym", address("alice.chronym"), 60_000, 60_000);
    for number in 0..20_000 {
        let name = format!("n{number}.chronym");
        desk.learn(&name, Knowledge::Absent, 60_000, 60_000);
        // Each type is another packed answer, so knowledge is looked at too.
        assert!(desk.ask("alice.chronym", 1_000 + number % 500).is_some(), "forgotten after {number} names");
    }
}

#[test]
fn answers_of_evicted_knowledge_end_with_it() {
    let desk = small();
    desk.learn("alice.chronym", address("alice.chronym"), 60_000, 60_000);
    assert!(desk.ask("alice.chronym", 1).is_some());
    let mut number = 0;
    // Packed answers are used without a look at the knowledge below them, which so grows old beside names in use.
    while desk.ask("alice.chronym", 1).is_some() && number < 20_000 {
        let name = format!("n{}.chronym", number % 4_000);
        desk.learn(&name, address(&name), 60_000, 60_000);
        (0..3).for_each(|qtype| drop(desk.ask(&name, 1_000 + qtype)));
        number += 1;
    }
    assert!(number < 20_000, "the answer outlived its knowledge");
}
