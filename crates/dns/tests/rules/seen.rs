//! Replies as `domain` reads them, with every signature checked.

use crate::fixture::{NOW, Registry, packet, tcp};
use crate::verify;
use chronym_dns::{Envelope, Query, answer, finish, parse};
use domain::base::iana::{OptionCode, Rtype};
use domain::base::opt::UnknownOptData;
use domain::base::{Message, ParsedRecord};
use domain::rdata::AllRecordData;

/// A reply. Records are lines: owner, TTL, type, data; of an RRSIG record the type covered alone.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub id: u16,
    pub rcode: u16,
    /// Those of `AA TC RD RA AD CD` that are set.
    pub flags: String,
    pub answer: Vec<String>,
    pub authority: Vec<String>,
    pub additional: Vec<String>,
    /// Code and data of options; `None` without an OPT record.
    pub options: Option<Vec<(u16, Vec<u8>)>>,
    pub dnssec_ok: bool,
    pub bytes: Vec<u8>,
}

fn line(record: &ParsedRecord<'_, [u8]>) -> String {
    let data = record.to_any_record::<AllRecordData<_, _>>().expect("data of its type");
    let (owner, ttl, rtype) = (record.owner(), record.ttl().as_secs(), record.rtype());
    let text = match data.data() {
        AllRecordData::Rrsig(rrsig) => rrsig.type_covered().to_string(),
        data => data.to_string(),
    };
    format!("{owner}. {ttl} {rtype} {text}")
}

/// Reads a reply, to the last byte.
pub fn read(bytes: &[u8]) -> Seen {
    let message = Message::from_slice(bytes).expect("a message");
    let header = message.header();
    assert!(header.qr(), "a reply is a response");
    let flags = [
        ("AA", header.aa()),
        ("TC", header.tc()),
        ("RD", header.rd()),
        ("RA", header.ra()),
        ("AD", header.ad()),
        ("CD", header.cd()),
    ];
    let mut seen = Seen {
        id: header.id(),
        rcode: message.opt_rcode().to_int(),
        flags: flags.iter().filter(|flag| flag.1).map(|flag| flag.0).collect::<Vec<_>>().join(" "),
        bytes: bytes.to_vec(),
        ..Seen::default()
    };
    let mut section = message.answer().expect("an answer section");
    for lines in [&mut seen.answer, &mut seen.authority, &mut seen.additional] {
        for record in section.by_ref() {
            let record = record.expect("a record");
            if record.rtype() != Rtype::OPT {
                lines.push(line(&record));
            }
        }
        match section.next_section().expect("a section") {
            Some(next) => section = next,
            None => break,
        }
    }
    if let Some(opt) = message.opt() {
        let options = opt.opt().iter::<UnknownOptData<_>>().map(|option| option.expect("an option"));
        seen.options = Some(options.map(|option| (option.code().to_int(), option.data().to_vec())).collect());
        seen.dnssec_ok = opt.dnssec_ok();
    }
    seen
}

impl Seen {
    /// Codes and texts of extended errors.
    pub fn errors(&self) -> Vec<(u16, String)> {
        let options = self.options.iter().flatten().filter(|option| option.0 == OptionCode::EXTENDED_ERROR.to_int());
        options
            .map(|(_, data)| (u16::from_be_bytes([data[0], data[1]]), String::from_utf8(data[2..].to_vec()).unwrap()))
            .collect()
    }
}

impl Registry {
    /// The reply to a packet that is a query, kept for `aged` seconds.
    pub fn reply(&self, packet: &[u8], aged: u32, envelope: impl Fn(&Query) -> Envelope) -> Seen {
        let query = parse(packet).expect("a query");
        let answer = answer(&query, &self.apex, self, NOW);
        let mut out = Vec::new();
        finish(&query, packet, &answer, aged, &envelope(&query), &mut out);
        verify::signatures(&out, self.apex.key().dnskey_rdata());
        read(&out)
    }

    /// The reply over TCP to a query without EDNS.
    pub fn ask(&self, qname: &str, qtype: u16) -> Seen {
        self.reply(&packet(qname, qtype, None, false), 0, |_| tcp())
    }

    /// The reply over TCP to a query with EDNS and without DO, which shows extended errors.
    pub fn ask_edns(&self, qname: &str, qtype: u16) -> Seen {
        self.reply(&packet(qname, qtype, Some(b""), false), 0, |_| tcp())
    }

    /// The reply over TCP to a query with DO. Its signatures are checked.
    pub fn ask_dnssec(&self, qname: &str, qtype: u16) -> Seen {
        self.reply(&packet(qname, qtype, Some(b""), true), 0, |_| tcp())
    }
}
