//! What a router answers to a packet that the next line does not take whole (RFC 792 and RFC 1191, RFC 4443).

use std::net::IpAddr;

use crate::packet::{Packet, Side, fold, sum};

const ICMP: u8 = 1;
const ICMPV6: u8 = 58;

/// For the sender of `packet`, from its destination: the emulator's routers have no addresses.
pub fn answer(packet: &Packet, mtu: u16) -> Vec<u8> {
    let bytes = packet.bytes();
    let (from, to) = (packet.end(Side::Destination).address, packet.end(Side::Source).address);
    let quoted = &bytes[..bytes.len().min(500)];
    match (from, to) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            let mut icmp = vec![3, 4, 0, 0, 0, 0];
            icmp.extend(mtu.to_be_bytes());
            icmp.extend(quoted);
            let checksum = !sum(&icmp);
            icmp[2..4].copy_from_slice(&checksum.to_be_bytes());
            let mut answer = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, ICMP, 0, 0];
            answer[2..4].copy_from_slice(&length(20 + icmp.len()));
            answer.extend(from.octets());
            answer.extend(to.octets());
            let checksum = !sum(&answer);
            answer[10..12].copy_from_slice(&checksum.to_be_bytes());
            answer.extend(icmp);
            answer
        }
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            let mut icmp = vec![2, 0, 0, 0, 0, 0];
            icmp.extend(mtu.to_be_bytes());
            icmp.extend(quoted);
            let mut answer = vec![0x60, 0, 0, 0, 0, 0, ICMPV6, 64];
            answer[4..6].copy_from_slice(&length(icmp.len()));
            answer.extend(from.octets());
            answer.extend(to.octets());
            let pseudo = u32::from(sum(&answer[8..])) + u32::try_from(icmp.len()).unwrap_or(0) + u32::from(ICMPV6);
            let checksum = !fold(pseudo + u32::from(sum(&icmp)));
            icmp[2..4].copy_from_slice(&checksum.to_be_bytes());
            answer.extend(icmp);
            answer
        }
        _ => Vec::new(),
    }
}

fn length(bytes: usize) -> [u8; 2] {
    u16::try_from(bytes).unwrap_or(u16::MAX).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use super::*;
    use crate::packet::{Endpoint, SYN};

    #[test]
    fn an_answer_has_the_mtu_and_right_checksums() {
        let four = |last| Endpoint { address: Ipv4Addr::new(45, 1, 0, last).into(), port: 7469 };
        let answered = answer(&Packet::tcp(four(1), four(2)), 1_280);
        assert_eq!((sum(&answered[..20]), sum(&answered[20..])), (0xffff, 0xffff));
        assert_eq!(answered[26..28], 1_280_u16.to_be_bytes());
        assert_eq!(answered[16..20], [45, 1, 0, 1]);

        let answered = answer(&Packet::tcp6((Ipv6Addr::LOCALHOST, 1), (Ipv6Addr::UNSPECIFIED, 2), SYN), 1_280);
        let length = u32::try_from(answered.len() - 40).unwrap();
        assert_eq!(fold(u32::from(sum(&answered[8..])) + length + u32::from(ICMPV6)), 0xffff);
        assert_eq!(answered[46..48], 1_280_u16.to_be_bytes());
    }
}
