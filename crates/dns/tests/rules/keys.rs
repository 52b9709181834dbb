//! The zone's key: RFC 4034, 5.1.4 and appendix B; RFC 4509; RFC 6605.

use chronym_dns::{KeyError, SigningKey};
use domain::base::iana::SecurityAlgorithm;
use domain::rdata::Dnskey;
use ring::digest::{SHA256, digest};

#[test]
fn the_key_tag_and_lines_are_those_of_the_dnskey_record() {
    let key = SigningKey::from_pkcs8(&SigningKey::generate_pkcs8()).unwrap();
    let point = key.dnskey_rdata()[4..].to_vec();
    assert_eq!(point.len(), 64);
    let record = Dnskey::new(257, 3, SecurityAlgorithm::ECDSAP256SHA256, point).unwrap();
    assert_eq!(key.key_tag(), record.key_tag());
    assert_eq!(key.dnskey("chronym").unwrap(), format!("chronym. IN DNSKEY {record}"));
    let hashed = digest(&SHA256, &[b"\x07chronym\x00", key.dnskey_rdata()].concat());
    let hex = domain::utils::base16::encode_string(&hashed).to_uppercase();
    assert_eq!(key.ds("chronym").unwrap(), format!("chronym. IN DS {} 13 2 {hex}", key.key_tag()));
}

#[test]
fn what_is_no_key_is_refused() {
    assert_eq!(SigningKey::from_pkcs8(b"no key").unwrap_err(), KeyError::NoKeyPair);
    let key = SigningKey::from_pkcs8(&SigningKey::generate_pkcs8()).unwrap();
    assert_eq!(key.ds("a..b").unwrap_err(), KeyError::NoName);
    assert_eq!(key.dnskey("").unwrap_err(), KeyError::NoName);
    assert!(!format!("{key:?}").contains("pair"), "a key's text shows nothing secret");
}
