//! Parts of a reply: `cargo bench --bench dns`.

#[path = "../../../../crates/dns/tests/rules/fixture.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod fixture;

use chronym_dns::{answer, cookie, finish, parse};
use core::hint::black_box;
use criterion::{Criterion, criterion_group, criterion_main};
use fixture::{NOW, Registry, option, packet, tcp};

fn parts(criterion: &mut Criterion) {
    let registry = Registry::new();
    let plain = packet("alice.chronym", 1, Some(&option(10, &[3; 8])), false);
    let signed = packet("alice.chronym", 1, Some(b""), true);
    let absent = packet("nothing.alice.chronym", 1, Some(b""), true);
    let alias = packet("www.alice.chronym", 1, Some(b""), false);
    criterion.bench_function("parse", |bencher| bencher.iter(|| parse(black_box(&plain))));
    for (name, packet) in [("composed", &plain), ("composed alias", &alias), ("signed", &signed), ("denied", &absent)] {
        let query = parse(packet).expect("a query");
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| answer(black_box(&query), &registry.apex, &registry, NOW));
        });
    }
    let mut out = Vec::with_capacity(2048);
    for (name, packet) in [("packed", &plain), ("packed signed", &signed)] {
        let query = parse(packet).expect("a query");
        let kept = answer(&query, &registry.apex, &registry, NOW);
        let envelope = chronym_dns::Envelope { cookie: Some([7; 24]), ..tcp() };
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                out.clear();
                finish(black_box(&query), packet, &kept, 3, &envelope, &mut out);
            });
        });
    }
    let first = parse(&plain).expect("a query").edns.and_then(|edns| edns.cookie).expect("a cookie");
    criterion.bench_function("cookie", |bencher| {
        bencher.iter(|| cookie::make(&[1; 16], black_box(&first), [192, 0, 2, 1].into(), NOW));
    });
}

criterion_group!(replies, parts);
criterion_main!(replies);
