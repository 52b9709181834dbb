//! Many datagrams with one call of the system.

use super::super::guard::{LOOK_MS, QUERY_BYTES, Shared};
use super::headers::{Batch, want_local_address};
use crate::engine::{Asker, Handled, Later, Transport};
use std::io;
use std::net::UdpSocket;
use std::sync::Arc;
use std::time::Duration;

/// Datagrams taken at once: more gain nothing measurable.
const BATCH: usize = 32;

/// Sets what the loop needs.
pub fn prepare(socket: &UdpSocket) -> io::Result<()> {
    socket.set_read_timeout(Some(Duration::from_millis(LOOK_MS)))?;
    if is_wildcard(socket) { want_local_address(socket) } else { Ok(()) }
}

fn is_wildcard(socket: &UdpSocket) -> bool {
    socket.local_addr().is_ok_and(|address| address.ip().is_unspecified())
}

/// Serves until the server ends.
pub fn run(socket: UdpSocket, shared: &Shared) {
    let is_wildcard = is_wildcard(&socket);
    let socket = Arc::new(socket);
    let mut batch = Batch::<BATCH>::new(QUERY_BYTES);
    let mut replies: Vec<Vec<u8>> = (0..BATCH).map(|_| Vec::with_capacity(QUERY_BYTES)).collect();
    while !shared.has_ended() {
        // Errors of earlier replies (an ICMP of a closed port) arrive here too; none is a reason to end.
        let Ok(count) = batch.receive(&socket, is_wildcard) else { continue };
        let now = shared.clock.now();
        for (index, out) in replies[..count].iter_mut().enumerate() {
            let ends = &batch.ends[index];
            let handled = ends.client().map_or(Handled::Dropped, |client| {
                let asker = Asker { transport: Transport::Udp, client, keepalive: 0 };
                let mut later = || -> Later {
                    let (socket, ends) = (Arc::clone(&socket), *ends);
                    Box::new(move |reply| ends.send(&socket, reply))
                };
                shared.handle(batch.packet(index), &asker, now, out, &mut later)
            });
            if handled != Handled::Reply {
                out.clear();
            }
        }
        let full = replies[..count].iter().enumerate().filter(|(_, out)| !out.is_empty());
        batch.send(&socket, full.map(|(index, out)| (index, out.as_slice())));
    }
}
