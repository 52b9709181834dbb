//! The zone's own name, and names outside.

use crate::fixture::Registry;
use chronym_dns::{Apex, ApexError, Position, SigningKey};

const SOA: &str = "chronym. 60 SOA localhost. nobody.invalid. 1700000000 3600 600 86400 60";

#[test]
fn the_zone_has_soa_ns_and_dnskey_records_which_are_signed() {
    let registry = Registry::new();
    assert_eq!(registry.ask("chronym", 6).answer, [SOA]);
    assert_eq!(registry.ask("chronym", 2).answer, ["chronym. 3600 NS localhost."]);
    let keys = registry.ask_dnssec("chronym", 48).answer;
    assert!(keys[0].starts_with("chronym. 3600 DNSKEY 257 3 13 "), "{keys:?}");
    assert_eq!(keys[1..], ["chronym. 3600 RRSIG DNSKEY"]);
    // Each set once, so that a signature which is kept is read again.
    for _ in 0..2 {
        assert_eq!(registry.ask_dnssec("chronym", 6).answer.len(), 2);
    }
}

#[test]
fn other_types_are_denied_ds_too() {
    // RFC 4035, 3.1.4.1: the parent's, which this server is not.
    for qtype in [1, 43] {
        let seen = Registry::new().ask_dnssec("chronym", qtype);
        assert_eq!((seen.rcode, seen.answer.len()), (0, 0));
        assert_eq!(
            seen.authority,
            [
                SOA,
                "chronym. 60 RRSIG SOA",
                "chronym. 60 NSEC \\000.chronym. NS SOA RRSIG NSEC DNSKEY",
                "chronym. 60 RRSIG NSEC"
            ]
        );
    }
}

#[test]
fn names_outside_are_refused_with_the_reason() {
    for outside in ["example.com", "", "xchronym", "chronym.example"] {
        let seen = Registry::new().ask_edns(outside, 1);
        assert_eq!((seen.rcode, &*seen.flags), (5, "RD"));
        assert_eq!(seen.errors(), [(20, String::new())]);
    }
}

#[test]
fn a_registered_name_is_the_label_left_of_the_zone() {
    let key = SigningKey::from_pkcs8(&SigningKey::generate_pkcs8()).unwrap();
    let apex = Apex::new("Chronym.", key, 1).unwrap();
    assert_eq!(apex.registered_name(b"\x01a\x05alice\x07chronym\x00"), Position::Below(b"\x05alice\x07chronym\x00"));
    assert_eq!(apex.registered_name(b"\x07chronym\x00"), Position::Apex);
    assert_eq!(apex.registered_name(b"\x00"), Position::Outside);
    // One label that holds the bytes of a name below the zone.
    assert_eq!(apex.registered_name(b"\x0ealice\x07chronym\x00"), Position::Outside);
}

#[test]
fn a_zone_must_have_a_name() {
    let key = || SigningKey::from_pkcs8(&SigningKey::generate_pkcs8()).unwrap();
    for wrong in ["", ".", "a..b", "a b"] {
        assert_eq!(Apex::new(wrong, key(), 1).unwrap_err(), ApexError::NoName(wrong.to_owned()));
    }
}
