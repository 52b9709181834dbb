//! Packets with changes through real sockets; `examples/flood` sends more of them. Alone in its process, whose memory it
//! measures.

#[path = "../server/desk.rs"]
#[allow(dead_code, reason = "shared with the server's tests")]
mod desk;
#[path = "../../examples/flood/drive.rs"]
mod drive;
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

#[test]
fn mutated_packets_neither_end_nor_fill_the_server() {
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
