//! Packets with changes through real sockets: see `examples/flood.rs` for more of them.

#[path = "../../examples/flood/drive.rs"]
mod drive;

use crate::fixture::packet;
use crate::running::{options, start};
use crate::seen::read;

#[test]
fn mutated_packets_neither_end_nor_fill_the_server() {
    let running = start(options());
    drive::flood(running.address(chronym_dns::engine::Transport::Udp), 1_000, 2);
    let before = drive::resident_bytes();
    drive::flood(running.address(chronym_dns::engine::Transport::Udp), 10_000, 3);
    let after = drive::resident_bytes();
    assert!(after <= before + (16 << 20), "{before} bytes before, {after} after");
    assert_eq!(read(&running.ask_udp(&packet("alice.chronym", 1, None, false))).rcode, 0);
}
