//! A packet of TCP or UDP, by IPv4 or IPv6: its two ends, and checksums that follow a change of them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Endpoint {
    pub address: IpAddr,
    pub port: u16,
}

#[derive(Clone, Copy)]
pub enum Side {
    Source,
    Destination,
}

pub const TCP: u8 = 6;
pub const UDP: u8 = 17;
pub const FIN: u8 = 1;
pub const SYN: u8 = 2;
pub const RST: u8 = 4;
pub const ACK: u8 = 16;

pub struct Packet {
    bytes: Vec<u8>,
    /// Of IP.
    header: usize,
}

impl Packet {
    /// None for what is neither TCP nor UDP, for fragments, and for IPv6 with further headers.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let first = *bytes.first()?;
        let (header, protocol) = match first >> 4 {
            4 if u16::from_be_bytes([*bytes.get(6)?, *bytes.get(7)?]) << 2 == 0 => {
                (usize::from(first & 0xf) * 4, *bytes.get(9)?)
            }
            6 => (40, *bytes.get(6)?),
            _ => return None,
        };
        let needed = match protocol {
            TCP => 20,
            UDP => 8,
            _ => return None,
        };
        (header >= 20 && bytes.len() >= header + needed).then(|| Self { bytes: bytes.to_vec(), header })
    }

    /// A datagram by IPv4, without the optional checksum of UDP.
    pub fn udp(from: Endpoint, to: Endpoint, payload: &[u8]) -> Self {
        let mut bytes = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, UDP];
        bytes.resize(28, 0);
        bytes.extend_from_slice(payload);
        let length = u16::try_from(bytes.len()).expect("a small answer");
        bytes[2..4].copy_from_slice(&length.to_be_bytes());
        bytes[24..26].copy_from_slice(&(length - 20).to_be_bytes());
        let checksum = !sum(&bytes[..20]);
        bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
        let mut packet = Self { bytes, header: 20 };
        packet.set_end(Side::Source, from);
        packet.set_end(Side::Destination, to);
        packet
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn payload_of_udp(&self) -> &[u8] {
        &self.bytes[self.header + 8..]
    }

    pub fn is_ipv4(&self) -> bool {
        self.bytes[0] >> 4 == 4
    }

    pub fn protocol(&self) -> u8 {
        self.bytes[if self.is_ipv4() { 9 } else { 6 }]
    }

    /// Of TCP; 0 for UDP.
    pub fn flags(&self) -> u8 {
        if self.protocol() == TCP { self.bytes[self.header + 13] } else { 0 }
    }

    pub fn end(&self, side: Side) -> Endpoint {
        let (address, port) = self.places(side);
        let address = if self.is_ipv4() {
            Ipv4Addr::from(*self.bytes[address..].first_chunk::<4>().expect("a whole header")).into()
        } else {
            Ipv6Addr::from(*self.bytes[address..].first_chunk::<16>().expect("a whole header")).into()
        };
        Endpoint { address, port: u16::from_be_bytes([self.bytes[port], self.bytes[port + 1]]) }
    }

    /// By IPv4: nothing here translates IPv6.
    pub fn set_end(&mut self, side: Side, end: Endpoint) {
        let IpAddr::V4(new) = end.address else { return };
        let (address, port) = self.places(side);
        let checksum = self.header + if self.protocol() == TCP { 16 } else { 6 };
        let has_checksum = self.protocol() == TCP || self.bytes[checksum..checksum + 2] != [0, 0];
        for (index, word) in new.octets().chunks(2).enumerate() {
            let at = address + 2 * index;
            self.follow(10, at, word);
            if has_checksum {
                self.follow(checksum, at, word);
            }
            self.bytes[at..at + 2].copy_from_slice(word);
        }
        if has_checksum {
            self.follow(checksum, port, &end.port.to_be_bytes());
        }
        self.bytes[port..port + 2].copy_from_slice(&end.port.to_be_bytes());
    }

    fn places(&self, side: Side) -> (usize, usize) {
        match (side, self.is_ipv4()) {
            (Side::Source, true) => (12, self.header),
            (Side::Destination, true) => (16, self.header + 2),
            (Side::Source, false) => (8, self.header),
            (Side::Destination, false) => (24, self.header + 2),
        }
    }

    /// The checksum once the word at `at` is another (RFC 1624).
    fn follow(&mut self, checksum: usize, at: usize, word: &[u8]) {
        let read = |place: usize| u32::from(u16::from_be_bytes([self.bytes[place], self.bytes[place + 1]]));
        let new = u32::from(u16::from_be_bytes([word[0], word[1]]));
        let total = fold((!read(checksum) & 0xffff) + (!read(at) & 0xffff) + new);
        self.bytes[checksum..checksum + 2].copy_from_slice(&(!total).to_be_bytes());
    }

    #[cfg(test)]
    pub fn tcp(from: Endpoint, to: Endpoint) -> Self {
        let mut bytes = vec![0x45, 0, 0, 40, 0, 0, 0, 0, 64, TCP];
        bytes.resize(40, 0);
        bytes[32] = 0x50;
        // What both checksums are while all addresses and ports are 0.
        let of_header = !sum(&bytes[..20]);
        bytes[10..12].copy_from_slice(&of_header.to_be_bytes());
        let of_tcp = !fold(u32::from(sum(&bytes[20..])) + u32::from(TCP) + 20);
        bytes[36..38].copy_from_slice(&of_tcp.to_be_bytes());
        let mut packet = Self { bytes, header: 20 };
        packet.set_end(Side::Source, from);
        packet.set_end(Side::Destination, to);
        packet
    }

    /// By IPv6, without checksums.
    #[cfg(test)]
    pub fn tcp6(from: (Ipv6Addr, u16), to: (Ipv6Addr, u16), flags: u8) -> Self {
        let mut bytes = vec![0x60, 0, 0, 0, 0, 20, TCP, 64];
        bytes.extend(from.0.octets());
        bytes.extend(to.0.octets());
        bytes.extend(from.1.to_be_bytes());
        bytes.extend(to.1.to_be_bytes());
        bytes.resize(60, 0);
        bytes[52..54].copy_from_slice(&[0x50, flags]);
        Self::read(&bytes).expect("it is one of TCP")
    }

    #[cfg(test)]
    pub fn has_right_checksums(&self) -> bool {
        let of_tcp = u32::from(sum(&self.bytes[12..])) + u32::from(TCP) + 20;
        sum(&self.bytes[..20]) == 0xffff && fold(of_tcp) == 0xffff
    }
}

pub fn fold(mut total: u32) -> u16 {
    while total > 0xffff {
        total = (total & 0xffff) + (total >> 16);
    }
    u16::try_from(total).expect("it was folded")
}

pub fn sum(bytes: &[u8]) -> u16 {
    fold(bytes.chunks(2).map(|word| u32::from(word[0]) << 8 | u32::from(*word.get(1).unwrap_or(&0))).sum())
}
