//! Answers packets with changes and prints what became of them, with the process's peak memory:
//! `cargo run --release --example mutate -p chronym-dns -- [COUNT] [SEED]`.

#[path = "../tests/rules/check.rs"]
mod check;
#[path = "../tests/rules/fixture.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod fixture;
#[path = "../tests/rules/mutation.rs"]
mod mutation;

use std::collections::BTreeMap;
use std::time::Instant;

fn main() {
    let number = |at: usize, default: u64| {
        std::env::args().nth(at).map_or(default, |text| text.parse().expect("COUNT and SEED are whole numbers above 0"))
    };
    let (count, seed) = (number(1, 10_000_000), number(2, 1));
    let registry = fixture::Registry::new();
    let (seeds, mut random, mut out) = (mutation::seeds(), mutation::Random::new(seed.max(1)), Vec::new());
    let mut outcomes = BTreeMap::new();
    let mut early = String::new();
    let start = Instant::now();
    for done in 0..count {
        let mut packet = seeds[random.below(seeds.len())].clone();
        let other = &seeds[random.below(seeds.len())];
        mutation::mutate(&mut packet, other, &mut random);
        *outcomes.entry(check::exercise(&registry, &packet, &mut out)).or_insert(0_u64) += 1;
        if done == count / 10 {
            early = peak();
        }
    }
    for (outcome, times) in outcomes {
        println!("{outcome:?} {times}");
    }
    println!("{count} packets, seed {seed}, {:.1} s", start.elapsed().as_secs_f64());
    println!("peak memory: {early} after a tenth, {} at the end", peak());
}

/// From the kernel's account of the process; Linux only.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |text| text.trim().to_owned())
}
