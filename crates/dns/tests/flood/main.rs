//! Packets, heads and greetings with changes through real sockets; `examples/flood` and `examples/flood-https` send more
//! of them. Alone in its process, whose memory it measures.

#[path = "../server/desk.rs"]
#[allow(dead_code, reason = "shared with the server's tests")]
mod desk;
#[path = "../../examples/flood/drive.rs"]
mod drive;
#[path = "../../examples/flood-https/drive.rs"]
mod drive_https;
#[path = "../rules/fixture.rs"]
#[allow(dead_code, reason = "shared with the rules")]
mod fixture;
#[path = "../rules/mutation.rs"]
mod mutation;
#[path = "../server/running.rs"]
#[allow(dead_code, reason = "shared with the server's tests")]
mod running;
#[path = "../rules/seen.rs"]
#[allow(dead_code, reason = "shared with the rules")]
mod seen;
#[path = "../rules/verify.rs"]
#[allow(dead_code, reason = "shared with the rules")]
mod verify;

use chronym_dns::engine::Transport;
use std::sync::{Mutex, PoisonError};

/// Each test measures the memory of the process.
static MEMORY: Mutex<()> = Mutex::new(());

#[test]
fn mutated_packets_neither_end_nor_fill_the_server() {
    let _alone = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let running = running::start(running::options());
    let address = running.address(Transport::Udp);
    drive::flood(address, 1_000, 2);
    let before = drive::resident_bytes();
    drive::flood(address, 10_000, 3);
    let after = drive::resident_bytes();
    // The caches may fill meanwhile: 8 MiB.
    assert!(after <= before + (16 << 20), "{before} bytes before, {after} after");
    assert_eq!(seen::read(&running.ask_udp(&fixture::packet("alice.chronym", 1, None, false))).rcode, 0);
}

#[test]
fn what_reaches_the_proxy_with_changes_neither_ends_nor_fills_it() {
    let _alone = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    let scene = drive_https::Scene::new();
    let mut random = mutation::Random::new(4);
    let mut all = |count: usize| {
        for send in [drive_https::Scene::heads, drive_https::Scene::hellos, drive_https::Scene::sets] {
            let answered = send(&scene, count, &mut random);
            assert!((count / 20..count).contains(&answered), "{answered} of {count}");
        }
    };
    all(200);
    let before = drive::resident_bytes();
    all(1_000);
    let after = drive::resident_bytes();
    // The caches may fill meanwhile.
    assert!(after <= before + (16 << 20), "{before} bytes before, {after} after");
    assert_eq!(scene.wrong(), None);
}
