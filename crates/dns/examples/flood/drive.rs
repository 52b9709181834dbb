//! Sends packets with changes over UDP and TCP to one address.

use crate::mutation::{Random, mutate, seeds};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

/// Datagrams that are sent before replies are taken.
const BURST: usize = 64;

/// Sends `count` datagrams and about as many messages in connections.
pub fn flood(server: SocketAddr, count: usize, seed: u64) -> u64 {
    let (seeds, mut random) = (seeds(), Random::new(seed));
    let mut replies = 0;
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a socket");
    socket.connect(server).expect("the server's address");
    socket.set_read_timeout(Some(Duration::from_millis(1))).expect("a time-out");
    let mut stream = None;
    let mut buffer = vec![0; 65_536];
    for sent in 0..count {
        let mut packet = seeds[random.below(seeds.len())].clone();
        mutate(&mut packet, &seeds[random.below(seeds.len())], &mut random);
        // A full queue of the system loses some; that is not what is tested.
        let _ = socket.send(&packet);
        if sent % BURST == 0 {
            while socket.recv(&mut buffer).is_ok() {
                replies += 1;
            }
        }
        let mut framed = u16::try_from(packet.len()).unwrap_or(u16::MAX).to_be_bytes().to_vec();
        framed.extend(packet);
        if random.below(50) == 0 {
            let mut length = random.below(4);
            length += random.below(framed.len());
            framed.truncate(length);
        }
        replies += send(&mut stream, server, &framed, &mut buffer);
    }
    replies
}

/// The server ends connections that send what is not a query: then the next message gets a new one.
fn send(stream: &mut Option<TcpStream>, server: SocketAddr, bytes: &[u8], buffer: &mut [u8]) -> u64 {
    if stream.is_none() {
        let connected = TcpStream::connect(server).expect("the server accepts connections");
        connected.set_nonblocking(true).expect("a setting");
        *stream = Some(connected);
    }
    let Some(open) = stream else { return 0 };
    let is_written = open.write_all(bytes).is_ok();
    match open.read(buffer) {
        Ok(0) => *stream = None,
        Ok(_) => return 1,
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock && is_written => {}
        Err(_) => *stream = None,
    }
    0
}

/// Memory of this process in use; 0 where the system does not tell.
pub fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|text| text.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()).map_or(0, |kib| kib << 10)
}
