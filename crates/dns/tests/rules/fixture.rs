//! Registered names of several kinds, and queries for them.

use chronym_dns::{Apex, Envelope, Knowledge, Known, Look, SigningKey, Trust, Zone};
use std::collections::HashMap;
use std::sync::Arc;

/// The time of every answer, in seconds.
pub const NOW: u32 = 1_800_000_000;
/// The serial number of the SOA record.
pub const SERIAL: u32 = 1_700_000_000;

/// The wire form of dotted text.
pub fn name(text: &str) -> Vec<u8> {
    let mut name = Vec::new();
    for label in text.split('.').filter(|label| !label.is_empty()) {
        name.push(u8::try_from(label.len()).expect("a label"));
        name.extend(label.bytes());
    }
    name.push(0);
    name
}

/// A record in wire form.
pub fn record(owner: &str, rtype: u16, ttl: u32, data: &[u8]) -> Vec<u8> {
    let mut record = name(owner);
    record.extend(rtype.to_be_bytes());
    record.extend(1_u16.to_be_bytes());
    record.extend(ttl.to_be_bytes());
    record.extend(u16::try_from(data.len()).expect("data").to_be_bytes());
    record.extend(data);
    record
}

/// The data of an MX or, with more numbers, an SRV record.
pub fn numbered(numbers: &[u16], target: &str) -> Vec<u8> {
    let mut data: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
    data.extend(name(target));
    data
}

/// A zone of records.
pub fn zone(registered: &str, records: &[Vec<u8>]) -> Arc<Zone> {
    Arc::new(Zone::from_wire(&name(registered), &records.concat()).expect("a zone"))
}

/// One record of each type that may be beside others; NS and CNAME have owners of their own.
fn each_type() -> Vec<Vec<u8>> {
    let at = "types.alice.chronym";
    let sha256 = [7; 32];
    vec![
        record(at, 1, 300, &[192, 0, 2, 9]),
        record(at, 28, 300, &[0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]),
        record(at, 12, 300, &name("Host.Example.Com")),
        record(at, 15, 300, &numbered(&[10], "Mail.alice.chronym")),
        record(at, 15, 300, &numbered(&[5], "mx.example.com")),
        record(at, 16, 300, b"\x05hello\x05world"),
        record(at, 33, 300, &numbered(&[1, 2, 443], "SRV.alice.chronym")),
        record(at, 43, 300, &[&[0x12, 0x34, 13, 2][..], &sha256].concat()),
        record(at, 44, 300, &[&[4, 2][..], &sha256].concat()),
        record(at, 52, 300, &[&[3, 1, 1][..], &sha256].concat()),
        record(at, 64, 300, &[&numbered(&[1], "svc.alice.chronym")[..], &[0, 3, 0, 2, 1, 187]].concat()),
        record(at, 65, 300, &[&numbered(&[1], "")[..], &[0, 1, 0, 3, 2, b'h', b'2']].concat()),
        record(at, 256, 300, &[&[0, 10, 0, 1][..], b"https://example.com/"].concat()),
        record(at, 257, 300, b"\x00\x05issueca.example"),
    ]
}

/// The records of `alice.chronym`, which is vouched for.
pub fn alice() -> Vec<Vec<u8>> {
    let below = |label: &str| format!("{label}.alice.chronym");
    let mut records = vec![
        record("alice.chronym", 1, 300, &[192, 0, 2, 1]),
        record("alice.chronym", 1, 600, &[192, 0, 2, 2]),
        record("alice.chronym", 16, 3600, b"\x03one"),
        record(&below("www"), 5, 300, &name("Alice.chronym")),
        record(&below("_did"), 16, 300, b"\x0bdid:key:z6M"),
        record(&below("deep.empty"), 1, 300, &[192, 0, 2, 3]),
        record(&below("*.wild"), 1, 300, &[192, 0, 2, 4]),
        record(&below("host.wild"), 28, 300, &[0; 16]),
        record(&below("*.alias"), 5, 300, &name("alice.chronym")),
        record(&below("sub"), 2, 300, &name("ns1.sub.alice.chronym")),
        record(&below("sub"), 2, 300, &name("ns.example.com")),
        record(&below("sub"), 43, 300, &[&[0, 1, 13, 2][..], &[1; 32]].concat()),
        record(&below("sub"), 16, 300, b"\x06hidden"),
        record(&below("ns1.sub"), 1, 300, &[192, 0, 2, 53]),
        record(&below("plain"), 2, 300, &name("ns.example.com")),
        record(&below("ring1"), 5, 300, &name("ring2.alice.chronym")),
        record(&below("ring2"), 5, 300, &name("ring1.alice.chronym")),
        record(&below("out"), 5, 300, &name("www.example.com")),
        record(&below("to-tld"), 5, 300, &name("chronym")),
        record(&below("to-sub"), 5, 300, &name("x.sub.alice.chronym")),
    ];
    for target in ["bob", "gone", "unknown", "failed", "old"] {
        records.push(record(&below(&format!("to-{target}")), 5, 300, &name(&format!("{target}.chronym"))));
    }
    for link in 0..12 {
        let target = name(&below(&format!("link{}", link + 1)));
        records.push(record(&below(&format!("link{link}")), 5, 300, &target));
    }
    for number in 0..7 {
        // More than UDP takes.
        records.push(record(&below("big"), 16, 300, &[&[1, number, 200][..], &[b'x'; 200]].concat()));
    }
    records.extend(each_type());
    records
}

/// What the tests' server knows.
pub struct Registry {
    pub apex: Apex,
    known: HashMap<Vec<u8>, Known>,
}

impl Look for Registry {
    fn look(&self, registered_name: &[u8]) -> Option<Known> {
        self.known.get(registered_name).cloned()
    }
}

impl Registry {
    pub fn new() -> Self {
        let key = SigningKey::from_pkcs8(&SigningKey::generate_pkcs8()).expect("a key");
        let apex = Apex::new("chronym", key, SERIAL).expect("a zone's name");
        let mut registry = Self { apex, known: HashMap::new() };
        let address = |owner: &str| record(owner, 1, 300, &[192, 0, 2, 7]);
        let ds = [&[0, 1, 13, 2][..], &[2; 32]].concat();
        let delegated = |owner: &str| vec![record(owner, 2, 300, &name("ns.example.com")), record(owner, 43, 300, &ds)];
        registry.secure("alice.chronym", &alice());
        registry.secure("carol.chronym", &delegated("carol.chronym"));
        registry.secure("old.chronym", &[address("old.chronym")]);
        registry.change("old.chronym", |known| known.age = 100);
        registry.secure("stale.chronym", &[address("stale.chronym")]);
        registry.change("stale.chronym", |known| known.stale = true);
        let bob = [vec![address("bob.chronym"), address("to.bob.chronym")], delegated("sub.bob.chronym")].concat();
        registry.insecure("bob.chronym", &bob);
        registry.insecure("bare.chronym", &[address("www.bare.chronym")]);
        registry.insecure("dave.chronym", &delegated("dave.chronym"));
        registry.set("gone.chronym", Knowledge::Absent);
        registry.set("failed.chronym", Knowledge::Failed { ede: 22, text: "no peer answers".into() });
        registry
    }

    pub fn set(&mut self, registered: &str, knowledge: Knowledge) {
        self.known.insert(name(registered), Known { knowledge, age: 0, stale: false });
    }

    pub fn secure(&mut self, registered: &str, records: &[Vec<u8>]) {
        self.set(registered, Knowledge::Zone { zone: zone(registered, records), trust: Trust::Secure });
    }

    pub fn change(&mut self, registered: &str, change: impl FnOnce(&mut Known)) {
        change(self.known.get_mut(&name(registered)).expect("a known name"));
    }

    fn insecure(&mut self, registered: &str, records: &[Vec<u8>]) {
        let trust = Trust::Insecure { ede_text: "not settled yet".into() };
        self.set(registered, Knowledge::Zone { zone: zone(registered, records), trust });
    }
}

/// TCP without anything else.
pub fn tcp() -> Envelope {
    Envelope { limit: 65_535, cookie: None, padding_block: None, keepalive: None, ra: false }
}

/// A query with ID 0x1234 and RD. `options`: the data of an OPT record, if there is one; `dnssec_ok` needs one.
pub fn packet(qname: &str, qtype: u16, options: Option<&[u8]>, dnssec_ok: bool) -> Vec<u8> {
    let mut packet = vec![0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, u8::from(options.is_some())];
    packet.extend(name(qname));
    packet.extend(qtype.to_be_bytes());
    packet.extend(1_u16.to_be_bytes());
    if let Some(options) = options {
        packet.extend([0, 0, 41, 0x04, 0xd0, 0, 0, if dnssec_ok { 0x80 } else { 0 }, 0]);
        packet.extend(u16::try_from(options.len()).expect("options").to_be_bytes());
        packet.extend(options);
    }
    packet
}

/// An option of EDNS in wire form.
pub fn option(code: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).expect("an option");
    [&code.to_be_bytes()[..], &length.to_be_bytes(), data].concat()
}
