//! Floods a server of its own with packets that have changes, over UDP and TCP, and prints what it counted and how much
//! memory it took: `cargo run --release --example flood -p chronym-dns -- [COUNT] [SEED]`.

mod drive;
#[path = "../../tests/rules/fixture.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod fixture;
#[path = "../../tests/rules/mutation.rs"]
mod mutation;

use chronym_dns::engine::{ANSWERS, Transport};
use chronym_dns::server::{Listen, Server, ServerOptions};
use chronym_dns::{Apex, Knowledge, SigningKey, Trust};
use std::time::Instant;

fn main() {
    let number = |at: usize, default: u64| {
        std::env::args().nth(at).map_or(default, |text| text.parse().expect("COUNT and SEED are whole numbers above 0"))
    };
    let (count, seed) = (number(1, 100_000), number(2, 1).max(1));
    let any = "127.0.0.1:0".parse().expect("an address");
    let listen = [Transport::Udp, Transport::Tcp].map(|transport| Listen { transport, address: any }).to_vec();
    let key = SigningKey::from_pkcs8(&SigningKey::generate_pkcs8()).expect("a key");
    let apex = Apex::new("chronym", key, fixture::SERIAL).expect("a zone's name");
    let options =
        ServerOptions { apex, listen, tls: None, forward: Vec::new(), is_public: false, cache_bytes: 8 << 20 };
    // The control plane's queue is full for names that are made up.
    let server = Server::start(options, Box::new(|_, _| false)).expect("a server");
    let zone = Knowledge::Zone { zone: fixture::zone("alice.chronym", &fixture::alice()), trust: Trust::Secure };
    server.learn(&fixture::name("alice.chronym"), zone, 86_400_000, 86_400_000);
    let address = server.addresses()[0].address;
    let start = Instant::now();
    let tenth = usize::try_from(count / 10).expect("a count");
    let mut replies = drive::flood(address, tenth, seed);
    let early = drive::resident_bytes();
    replies += drive::flood(address, tenth * 9, seed + 1);
    let late = drive::resident_bytes();
    println!("{count} datagrams and messages each, seed {seed}, {:.1} s", start.elapsed().as_secs_f64());
    println!("{replies} reads of replies; counted: {:?}", server.stats().queries);
    for (name, count) in ANSWERS.iter().zip(server.stats().answers) {
        println!("{name} {count}");
    }
    println!("resident memory: {} KiB after a tenth, {} KiB at the end", early >> 10, late >> 10);
}
