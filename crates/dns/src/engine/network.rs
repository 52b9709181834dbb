//! The network of an address, as limits count.

use std::net::IpAddr;

/// The first bytes of an address: those of its network, the rest 0. IPv4 networks and IPv6 ones never are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network {
    bytes: [u8; 8],
    length: usize,
}

impl Network {
    /// The /24 of an IPv4 address, or the first `v6_bytes` bytes (at most 8) of an IPv6 address.
    #[must_use]
    pub fn of(address: IpAddr, v6_bytes: usize) -> Self {
        let mut bytes = [0; 8];
        let length = match address.to_canonical() {
            IpAddr::V4(address) => {
                bytes[..3].copy_from_slice(&address.octets()[..3]);
                3
            }
            IpAddr::V6(address) => {
                bytes[..v6_bytes].copy_from_slice(&address.octets()[..v6_bytes]);
                v6_bytes
            }
        };
        Self { bytes, length }
    }

    /// Its bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::Network;

    #[test]
    fn neighbours_share_a_network() {
        let network = |text: &str| Network::of(text.parse().unwrap(), 7);
        assert_eq!(network("192.0.2.1"), network("192.0.2.254"));
        assert_ne!(network("192.0.2.1"), network("192.0.3.1"));
        assert_eq!(network("::ffff:192.0.2.1"), network("192.0.2.9"));
        assert_eq!(network("2001:db8:0:100::1"), network("2001:db8:0:1ff::1"));
        assert_ne!(network("2001:db8:0:100::1"), network("2001:db8:0:200::1"));
    }
}
