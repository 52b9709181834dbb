//! NAT-PMP (RFC 6886) as a home's router answers it.

use std::net::{IpAddr, Ipv4Addr};

use crate::nat::Nat;
use crate::packet::{Endpoint, Packet, Side};

/// Where homes have their router.
pub const GATEWAY: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 168, 1, 1));
pub const PORT: u16 = 5351;

/// The address of the router, or a mapping of TCP; its lifetime is not counted.
pub fn answer(nat: &mut Nat, packet: &Packet) -> Option<Packet> {
    let request = packet.payload_of_udp();
    let mut answer = vec![0, 128 + (request.get(1)? & 0x7f), 0, 0, 0, 0, 0, 1];
    match (request[1], request.len(), nat.address) {
        (0, _, IpAddr::V4(address)) => answer.extend_from_slice(&address.octets()),
        (2, 12, _) => {
            let lasts = request[8..12] != [0; 4];
            nat.forward(u16::from_be_bytes([request[4], request[5]]), lasts);
            answer.extend_from_slice(&request[4..6]);
            answer.extend_from_slice(&request[4..6]);
            answer.extend_from_slice(&request[8..12]);
        }
        _ => return None,
    }
    Some(Packet::udp(Endpoint { address: GATEWAY, port: PORT }, packet.end(Side::Source), &answer))
}
