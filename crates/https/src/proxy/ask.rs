//! What the proxy asks of the daemon's own DNS, in process: addresses and TLSA records, and whether it vouches for them.

use crate::dane::Tlsa;
use chronym_dns::codes::{ede, rtype};
use chronym_dns::name_from_text;
use domain::base::Message;
use domain::base::iana::OptionCode;
use domain::base::opt::UnknownOptData;
use domain::base::rdata::UnknownRecordData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// As many as [`queries`] gives.
const QUESTIONS: usize = 3;
/// The last of them.
const TLSA: usize = QUESTIONS - 1;

/// An extended error begins with its code.
const STALE: [u8; 2] = ede::STALE_ANSWER.to_be_bytes();

/// All that DNS says of a host and a port.
#[derive(Debug, Default)]
pub struct Told {
    pub addresses: Vec<IpAddr>,
    pub tlsa: Vec<Tlsa>,
    /// Whether every answer has the AD bit.
    pub is_vouched: bool,
    /// Whether an answer is of before: a newer one is being looked for.
    pub is_stale: bool,
    /// Nobody has this name.
    pub is_absent: bool,
    /// Why an answer is not vouched for, or failed.
    pub reason: Option<String>,
    answered: usize,
}

impl Told {
    /// Without answers.
    pub fn new() -> Self {
        Self { is_vouched: true, ..Self::default() }
    }

    /// Whether all answers are there.
    pub fn is_complete(&self) -> bool {
        self.answered == QUESTIONS
    }

    /// Takes the reply to a question; `None` for none.
    pub fn take(&mut self, question: usize, reply: Option<&[u8]>) {
        self.answered += 1;
        if reply.and_then(|reply| self.read(question, reply)).is_none() {
            self.is_vouched = false;
            self.reason.get_or_insert_with(|| "the daemon's DNS gave no answer".to_owned());
        }
    }

    fn read(&mut self, question: usize, reply: &[u8]) -> Option<()> {
        let message = Message::from_slice(reply).ok()?;
        let failed = !matches!(message.opt_rcode().to_int(), 0 | 3);
        // A host without TLSA records has no name for them.
        self.is_absent |= message.opt_rcode().to_int() == 3 && question != TLSA;
        self.is_vouched &= message.header().ad() && !failed;
        if let Some(opt) = message.opt() {
            for option in opt.opt().iter::<UnknownOptData<_>>().flatten() {
                let data: &[u8] = option.data();
                if option.code() == OptionCode::EXTENDED_ERROR && data.starts_with(&STALE) {
                    self.is_stale = true;
                } else if option.code() == OptionCode::EXTENDED_ERROR && data.len() > 2 {
                    self.reason.get_or_insert_with(|| String::from_utf8_lossy(&data[2..]).into_owned());
                }
            }
        }
        if failed {
            self.reason.get_or_insert_with(|| "the daemon's DNS could not find out".to_owned());
        }
        for record in message.answer().ok()? {
            let record = record.ok()?;
            let data = record.to_record::<UnknownRecordData<&[u8]>>().ok()??;
            let data: &[u8] = data.data().data();
            match record.rtype().to_int() {
                rtype::A => self.addresses.push(Ipv4Addr::from(<[u8; 4]>::try_from(data).ok()?).into()),
                rtype::AAAA => self.addresses.push(Ipv6Addr::from(<[u8; 16]>::try_from(data).ok()?).into()),
                rtype::TLSA => self.tlsa.extend(Tlsa::from_rdata(data)),
                _ => {}
            }
        }
        Some(())
    }
}

/// The queries for a host and a port. `None` for text that is no name.
pub fn queries(host: &str, port: u16) -> Option<[Vec<u8>; QUESTIONS]> {
    let own = name_from_text(host)?;
    let service = name_from_text(&format!("_{port}._tcp.{host}"))?;
    Some([query(&own, rtype::AAAA), query(&own, rtype::A), query(&service, rtype::TLSA)])
}

/// With the AD bit (RFC 6840, 5.7), and with EDNS, so that extended errors come.
fn query(name: &[u8], rtype: u16) -> Vec<u8> {
    let mut packet = vec![0, 0, 0, 0x20, 0, 1, 0, 0, 0, 0, 0, 1];
    packet.extend_from_slice(name);
    packet.extend_from_slice(&rtype.to_be_bytes());
    packet.extend_from_slice(&[0, 1]);
    packet.extend_from_slice(&[0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0]);
    packet
}

/// Whether an address is one of this machine, whatever range it is of: the way to it begins at itself. Nothing is sent.
pub fn is_own(address: IpAddr) -> bool {
    let unspecified: SocketAddr = match address {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let local = UdpSocket::bind(unspecified).and_then(|socket| {
        socket.connect((address, 9))?;
        socket.local_addr()
    });
    local.is_ok_and(|local| local.ip() == address)
}

/// Whether an address is one of the Internet: not of this machine, of a network at home, or of no single host.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => {
            let [first, second, ..] = v6.segments();
            let octets = v6.octets();
            let embedded =
                |at: usize| is_public_v4([octets[at], octets[at + 1], octets[at + 2], octets[at + 3]].into());
            match (first, second) {
                // NAT64 and 6to4 lead to the IPv4 address within.
                (0x64, 0xff9b) => octets[4..12] == [0; 8] && embedded(12),
                (0x2002, _) => embedded(2),
                // Teredo and documentation.
                (0x2001, 0 | 0xdb8) => false,
                // Only this eighth is given out (RFC 4291, 2.4).
                _ => first & 0xe000 == 0x2000,
            }
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(a == 0
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation()
        || (a == 100 && b & 0xc0 == 64)
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && b & 0xfe == 18)
        || a >= 224)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_this_machine_is_its_own() {
        assert!(is_own("127.0.0.1".parse().unwrap()));
        for address in ["192.0.2.1", "2001:db8::1", "0.0.0.0"] {
            assert!(!is_own(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn private_addresses_are_those_of_the_registries_also_within_others() {
        for address in [
            "127.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "fe80::1",
            "fc00::1",
            "fd00::1",
            "ff02::1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "4000::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in ["1.1.1.1", "100.128.0.1", "172.32.0.1", "2606:4700::1111", "64:ff9b::101:101", "2002:101:101::"]
        {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
