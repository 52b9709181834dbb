//! Sends the proxy for https heads, greetings of TLS and TLSA records with changes, and prints how many were answered or
//! fitted, and how much memory it took: `cargo run --release --example flood-https -p chronym-https -- [COUNT] [SEED]`.

mod drive;
#[path = "../../../dns/tests/rules/fixture.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod fixture;
#[path = "../../../dns/examples/flood/drive.rs"]
#[allow(dead_code, reason = "shared with flood")]
mod flood;
#[path = "../../../dns/tests/rules/mutation.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod mutation;

use std::time::Instant;

/// What [`drive::Scene`] sends of one kind.
type Send = fn(&drive::Scene, usize, &mut mutation::Random) -> usize;

fn main() {
    let number = |at: usize, default: usize| {
        std::env::args().nth(at).map_or(default, |text| text.parse().expect("COUNT and SEED are whole numbers above 0"))
    };
    let (count, seed) = (number(1, 100_000), number(2, 1).max(1));
    let scene = drive::Scene::new();
    let mut random = mutation::Random::new(seed as u64);
    let kinds: [(&str, Send); 3] =
        [("heads", drive::Scene::heads), ("hellos", drive::Scene::hellos), ("TLSA sets", drive::Scene::sets)];
    for (kind, send) in kinds {
        let start = Instant::now();
        let mut answered = send(&scene, count / 10, &mut random);
        let early = flood::resident_bytes();
        answered += send(&scene, count - count / 10, &mut random);
        let (seconds, late) = (start.elapsed().as_secs_f64(), flood::resident_bytes());
        println!("{count} {kind}, seed {seed}, {seconds:.1} s: {answered} answered or fitting");
        println!("resident memory: {} KiB after a tenth, {} KiB at the end", early >> 10, late >> 10);
        assert_eq!(scene.wrong(), None);
    }
}
