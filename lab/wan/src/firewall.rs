//! A home router's firewall for IPv6: only what answers the inside comes in.

use std::collections::HashMap;
use std::time::Instant;

use crate::idle::Idle;
use crate::packet::{Endpoint, Packet, Side};

pub struct Firewall {
    idle: Idle,
    /// Protocol, inner and outer end, with their last use.
    flows: HashMap<(u8, Endpoint, Endpoint), Instant>,
}

impl Firewall {
    pub fn new(idle: Idle) -> Self {
        Self { idle, flows: HashMap::new() }
    }

    pub fn outward(&mut self, packet: &Packet, now: Instant) {
        let flow = (packet.protocol(), packet.end(Side::Source), packet.end(Side::Destination));
        if self.flows.insert(flow, now).is_none() {
            let idle = self.idle;
            self.flows.retain(|(protocol, ..), used| now - *used < idle.of(*protocol));
        }
    }

    pub fn inward(&mut self, packet: &Packet, now: Instant) -> bool {
        let flow = (packet.protocol(), packet.end(Side::Destination), packet.end(Side::Source));
        match self.flows.get_mut(&flow) {
            Some(used) if now - *used < self.idle.of(flow.0) => {
                *used = now;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;
    use std::time::Duration;

    use super::*;
    use crate::packet::{ACK, SYN};

    const HOME: (Ipv6Addr, u16) = (Ipv6Addr::new(0x2a05, 0, 0, 0, 0, 0, 0, 2), 7469);
    const FRIEND: (Ipv6Addr, u16) = (Ipv6Addr::new(0x2a06, 0, 0, 0, 0, 0, 0, 2), 7469);
    const STRANGER: (Ipv6Addr, u16) = (Ipv6Addr::new(0x2a06, 0, 0, 0, 0, 0, 0, 2), 7470);

    #[test]
    fn lets_answers_in_until_the_flow_was_idle() {
        let mut firewall = Firewall::new(Idle { tcp: Duration::from_secs(60), udp: Duration::from_secs(9) });
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        assert!(!firewall.inward(&Packet::tcp6(FRIEND, HOME, SYN), at(0)));
        firewall.outward(&Packet::tcp6(HOME, FRIEND, SYN), at(1));
        assert!(firewall.inward(&Packet::tcp6(FRIEND, HOME, SYN | ACK), at(50)));
        assert!(!firewall.inward(&Packet::tcp6(STRANGER, HOME, SYN), at(50)));
        assert!(firewall.inward(&Packet::tcp6(FRIEND, HOME, ACK), at(109)));
        assert!(!firewall.inward(&Packet::tcp6(FRIEND, HOME, ACK), at(169)));
    }
}
