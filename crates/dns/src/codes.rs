//! Numbers of IANA's DNS registries that the crate uses.

/// Types of records and queries.
pub mod rtype {
    /// RFC 1035.
    pub const A: u16 = 1;
    /// RFC 1035.
    pub const NS: u16 = 2;
    /// RFC 1035.
    pub const CNAME: u16 = 5;
    /// RFC 1035.
    pub const SOA: u16 = 6;
    /// RFC 1035.
    pub const PTR: u16 = 12;
    /// RFC 1035.
    pub const MX: u16 = 15;
    /// RFC 1035.
    pub const TXT: u16 = 16;
    /// RFC 3596.
    pub const AAAA: u16 = 28;
    /// RFC 2782.
    pub const SRV: u16 = 33;
    /// RFC 6891.
    pub const OPT: u16 = 41;
    /// RFC 4034.
    pub const DS: u16 = 43;
    /// RFC 4255.
    pub const SSHFP: u16 = 44;
    /// RFC 4034.
    pub const RRSIG: u16 = 46;
    /// RFC 4034.
    pub const NSEC: u16 = 47;
    /// RFC 4034.
    pub const DNSKEY: u16 = 48;
    /// RFC 6698.
    pub const TLSA: u16 = 52;
    /// RFC 9460.
    pub const SVCB: u16 = 64;
    /// RFC 9460.
    pub const HTTPS: u16 = 65;
    /// The mark of an absent name in compact denial, RFC 9824.
    pub const NXNAME: u16 = 128;
    /// RFC 1995.
    pub const IXFR: u16 = 251;
    /// RFC 5936.
    pub const AXFR: u16 = 252;
    /// RFC 8482.
    pub const ANY: u16 = 255;
    /// RFC 7553.
    pub const URI: u16 = 256;
    /// RFC 8659.
    pub const CAA: u16 = 257;
}

/// Response codes; those above 15 need EDNS.
pub mod rcode {
    /// RFC 1035.
    pub const NOERROR: u16 = 0;
    /// RFC 1035.
    pub const FORMERR: u16 = 1;
    /// RFC 1035.
    pub const SERVFAIL: u16 = 2;
    /// RFC 1035.
    pub const NXDOMAIN: u16 = 3;
    /// RFC 1035.
    pub const NOTIMP: u16 = 4;
    /// RFC 1035.
    pub const REFUSED: u16 = 5;
    /// RFC 6891.
    pub const BADVERS: u16 = 16;
    /// RFC 7873.
    pub const BADCOOKIE: u16 = 23;
}

/// Extended errors, RFC 8914 and RFC 9824.
pub mod ede {
    /// Something else; the text says what.
    pub const OTHER: u16 = 0;
    /// Older knowledge while it is asked for again.
    pub const STALE_ANSWER: u16 = 3;
    /// The server has no capacity or has not begun.
    pub const NOT_READY: u16 = 14;
    /// The name is outside of the zone.
    pub const NOT_AUTHORITATIVE: u16 = 20;
    /// The registry cannot be reached.
    pub const NO_REACHABLE_AUTHORITY: u16 = 22;
    /// The type may not be asked for.
    pub const INVALID_QUERY_TYPE: u16 = 30;
}

/// Bits of the header's third and fourth byte.
pub(crate) mod flag {
    /// Third byte: a response.
    pub(crate) const QR: u8 = 0x80;
    /// Third byte: from the zone's own server.
    pub(crate) const AA: u8 = 0x04;
    /// Third byte: cut short.
    pub(crate) const TC: u8 = 0x02;
    /// Third byte: recursion desired.
    pub(crate) const RD: u8 = 0x01;
    /// Fourth byte: recursion available.
    pub(crate) const RA: u8 = 0x80;
    /// Fourth byte: authentic data.
    pub(crate) const AD: u8 = 0x20;
    /// Fourth byte: checking disabled.
    pub(crate) const CD: u8 = 0x10;
}

/// Options of EDNS.
pub(crate) mod option {
    /// RFC 7873.
    pub(crate) const COOKIE: u16 = 10;
    /// RFC 7828.
    pub(crate) const KEEPALIVE: u16 = 11;
    /// RFC 7830.
    pub(crate) const PADDING: u16 = 12;
    /// RFC 8914.
    pub(crate) const EXTENDED_ERROR: u16 = 15;
}

/// The Internet's class.
pub const CLASS_IN: u16 = 1;
/// Bytes of a message's header.
pub const HEADER_BYTES: usize = 12;
/// The largest UDP message that is sent or asked for, in bytes: what passes without fragments.
pub const UDP_BYTES: u16 = 1232;
/// The largest UDP message for a client without EDNS, in bytes.
pub const PLAIN_UDP_BYTES: u16 = 512;
