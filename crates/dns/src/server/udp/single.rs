//! Datagrams one by one, where the system has no calls for many.
//!
//! A socket bound to a wildcard address answers from the address that the system's routes choose, which may not be the
//! one that was asked: on these systems, listen on the machine's addresses one by one.

use super::super::guard::{LOOK_MS, QUERY_BYTES, Shared};
use crate::engine::{Asker, Handled, Later, Transport};
use std::io;
use std::net::UdpSocket;
use std::sync::Arc;
use std::time::Duration;

/// Sets what the loop needs.
pub fn prepare(socket: &UdpSocket) -> io::Result<()> {
    socket.set_read_timeout(Some(Duration::from_millis(LOOK_MS)))
}

/// Serves until the server ends.
pub fn run(socket: UdpSocket, shared: &Shared) {
    let socket = Arc::new(socket);
    let mut packet = vec![0; QUERY_BYTES];
    let mut out = Vec::with_capacity(QUERY_BYTES);
    while !shared.has_ended() {
        // Errors of earlier replies (an ICMP of a closed port) arrive here too; none is a reason to end.
        let Ok((length, peer)) = socket.recv_from(&mut packet) else { continue };
        let asker = Asker { transport: Transport::Udp, client: peer.ip(), keepalive: 0 };
        let mut later = || -> Later {
            let socket = Arc::clone(&socket);
            Box::new(move |reply| drop(socket.send_to(reply, peer)))
        };
        let now = shared.clock.now();
        if shared.handle(&packet[..length], &asker, now, &mut out, &mut later) == Handled::Reply {
            let _ = socket.send_to(&out, peer);
        }
    }
}
