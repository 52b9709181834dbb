//! Signatures checked by what RFC 4034 says, without the crate's own code: `domain` gives the canonical form of names
//! and data, `ring` the curve.

use crate::fixture::NOW;
use domain::base::iana::Class;
use domain::base::name::ToLabelIter;
use domain::base::rdata::ComposeRecordData;
use domain::base::{Message, ParsedName, RecordData, ToName};
use domain::rdata::{AllRecordData, Rrsig};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

type Name<'a> = ParsedName<&'a [u8]>;
type Data<'a> = AllRecordData<&'a [u8], Name<'a>>;
/// Section (1 to 3), owner and data.
type Row<'a> = (u8, Name<'a>, Data<'a>);

fn rows(message: &Message<[u8]>) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut section = message.answer().expect("an answer section");
    for number in 1.. {
        for record in section.by_ref() {
            let record = record.expect("a record");
            assert!(record.class() == Class::IN || record.rtype().to_int() == 41);
            let parsed = record.into_any_record::<Data<'_>>().expect("data of its type");
            rows.push((number, *parsed.owner(), parsed.into_data()));
        }
        match section.next_section().expect("a section") {
            Some(next) => section = next,
            None => break,
        }
    }
    rows
}

fn canonical(name: &impl ToName) -> Vec<u8> {
    let mut out = Vec::new();
    name.compose_canonical(&mut out).expect("a vector grows");
    out
}

/// RFC 4034, 3.1.8.1.
fn signed_data(rrsig: &Rrsig<&[u8], Name<'_>>, owner: &Name<'_>, set: &[&Data<'_>]) -> Vec<u8> {
    let mut signed = Vec::new();
    signed.extend(rrsig.type_covered().to_int().to_be_bytes());
    signed.extend([rrsig.algorithm().to_int(), rrsig.labels()]);
    signed.extend(rrsig.original_ttl().as_secs().to_be_bytes());
    signed.extend(rrsig.expiration().into_int().to_be_bytes());
    signed.extend(rrsig.inception().into_int().to_be_bytes());
    signed.extend(rrsig.key_tag().to_be_bytes());
    signed.extend(canonical(rrsig.signer_name()));
    // RFC 4034, 6.3: in the order of their data in canonical form.
    let mut datas: Vec<Vec<u8>> = set
        .iter()
        .map(|data| {
            let mut out = Vec::new();
            data.compose_canonical_rdata(&mut out).expect("a vector grows");
            out
        })
        .collect();
    datas.sort();
    for data in datas {
        signed.extend(canonical(owner));
        signed.extend(rrsig.type_covered().to_int().to_be_bytes());
        signed.extend(1_u16.to_be_bytes());
        signed.extend(rrsig.original_ttl().as_secs().to_be_bytes());
        signed.extend(u16::try_from(data.len()).expect("data").to_be_bytes());
        signed.extend(data);
    }
    signed
}

/// Whether the signature with this number in the message holds; `None` when there is no such number.
fn holds(rows: &[Row<'_>], number: usize, dnskey: &[u8]) -> Option<bool> {
    let is_rrsig = |row: &&Row<'_>| matches!(row.2, AllRecordData::Rrsig(_));
    let (section, owner, data) = rows.iter().filter(is_rrsig).nth(number)?;
    let AllRecordData::Rrsig(rrsig) = data else { unreachable!() };
    let set: Vec<_> = rows
        .iter()
        .filter(|row| row.0 == *section && row.1 == *owner && row.2.rtype() == rrsig.type_covered())
        .map(|row| &row.2)
        .collect();
    assert!(!set.is_empty(), "the set of a signature is beside it");
    assert!(rrsig.inception().into_int() <= NOW - 3600 && rrsig.expiration().into_int() >= NOW + 86_400);
    let labels = owner.iter_labels().filter(|label| !label.is_root() && !label.is_wildcard()).count();
    assert_eq!(usize::from(rrsig.labels()), labels, "RFC 4034, 3.1.3");
    assert_eq!(rrsig.algorithm().to_int(), 13);
    let point = [&[4], &dnskey[4..]].concat();
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &point);
    Some(key.verify(&signed_data(rrsig, owner, &set), rrsig.signature()).is_ok())
}

/// Checks every signature of a reply whose sets are there too, and returns how many there are.
pub fn signatures(reply: &[u8], dnskey: &[u8]) -> usize {
    let message = Message::from_slice(reply).expect("a message");
    let asks_for_signatures = message.qtype().is_some_and(|qtype| qtype.to_int() == 46);
    if asks_for_signatures {
        return 0;
    }
    let rows = rows(message);
    for number in 0.. {
        match holds(&rows, number, dnskey) {
            Some(held) => assert!(held, "signature {number} of {:?}", message.first_question()),
            None => return number,
        }
    }
    unreachable!()
}
