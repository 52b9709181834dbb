//! Records that a zone takes, and those that it does not.

use crate::fixture::{Registry, alice, name, numbered, record};
use chronym_dns::{Zone, ZoneError};

fn error(records: &[Vec<u8>]) -> ZoneError {
    Zone::from_wire(&name("alice.chronym"), &records.concat()).expect_err("no zone")
}

#[test]
fn records_cut_short_anywhere_are_refused() {
    let whole = record("alice.chronym", 1, 300, &[1, 2, 3, 4]);
    for end in 1..whole.len() {
        assert_eq!(error(&[whole[..end].to_vec()]), ZoneError::Malformed(0), "{end}");
    }
    assert_eq!(error(&[whole, vec![0xc0, 0]]), ZoneError::Malformed(1));
}

#[test]
fn records_of_other_names_classes_and_types_are_refused() {
    let good = || record("alice.chronym", 1, 300, &[1, 2, 3, 4]);
    assert_eq!(error(&[good(), record("bob.chronym", 1, 300, &[1, 2, 3, 4])]), ZoneError::OutOfZone(1));
    assert_eq!(error(&[record("chronym", 1, 300, &[1, 2, 3, 4])]), ZoneError::OutOfZone(0));
    let mut chaos = good();
    chaos[18] = 3;
    assert_eq!(error(&[chaos]), ZoneError::WrongClass(0));
    for rtype in [0, 6, 39, 41, 46, 47, 48, 128, 255, 65_535] {
        assert_eq!(error(&[record("alice.chronym", rtype, 0, &name("a"))]), ZoneError::WrongType { record: 0, rtype });
    }
}

#[test]
fn data_that_is_not_of_its_type_is_refused() {
    let wrong: [(u16, &[u8]); 17] = [
        (1, &[1, 2, 3]),
        (28, &[0; 15]),
        (5, b"\x01a"),
        (5, b"\xc0\x00"),
        (2, b"\x01a\x00more"),
        (12, b""),
        (15, b"\x00"),
        (15, b"\x00\x0a\xc0\x00"),
        (16, b"\x05four"),
        (16, b""),
        (33, &[0; 6]),
        (43, &[0, 1, 13]),
        (52, &[3]),
        (64, b"\x00\x01\xc0\x00"),
        (65, b"\x00\x01\x00\x00\x03\x00\x02\x01"),
        (256, &[0, 1, 0, 1]),
        (257, b"\x00\x09issue"),
    ];
    for (rtype, data) in wrong {
        let expected = ZoneError::WrongData { record: 0, rtype };
        assert_eq!(error(&[record("alice.chronym", rtype, 0, data)]), expected, "{data:?}");
    }
}

#[test]
fn an_alias_has_no_other_records_beside_it() {
    // RFC 2181, 10.1.
    let alias = |target: &str| record("www.alice.chronym", 5, 300, &name(target));
    let other = record("www.alice.chronym", 1, 300, &[1, 2, 3, 4]);
    assert_eq!(error(&[alias("a"), other.clone()]), ZoneError::CnameAndOther(1));
    assert_eq!(error(&[other, alias("a")]), ZoneError::CnameAndOther(1));
    assert_eq!(error(&[alias("a"), alias("b")]), ZoneError::CnameAndOther(1));
    Zone::from_wire(&name("alice.chronym"), &[alias("a"), alias("a")].concat()).expect("one record, twice");
}

#[test]
fn equal_records_count_once_and_large_ttls_mean_zero() {
    let mut registry = Registry::new();
    let mail = |target: &str| record("dup.chronym", 15, 1 << 31, &numbered(&[1], target));
    registry.secure("dup.chronym", &[mail("mx.example"), mail("MX.example"), mail("mx.example")]);
    // RFC 2181, 5 and 8.
    assert_eq!(registry.ask_dnssec("dup.chronym", 15).answer.len(), 2);
    assert!(registry.ask("dup.chronym", 15).answer[0].starts_with("dup.chronym. 0 MX 1 "));
}

#[test]
fn sets_are_signed_in_the_order_of_their_canonical_form() {
    // RFC 4034, 6.2 and 6.3: as bytes, B comes before a.
    let mut registry = Registry::new();
    let mail = |target: &str| record("mail.chronym", 15, 60, &numbered(&[1], target));
    registry.secure("mail.chronym", &[mail("B.example"), mail("a.example"), mail("C.example")]);
    assert_eq!(registry.ask_dnssec("mail.chronym", 15).answer.len(), 4);
}

#[test]
fn owners_are_found_in_any_case() {
    let mut registry = Registry::new();
    registry.secure("case.chronym", &[record("WWW.Case.Chronym", 1, 300, &[1, 2, 3, 4])]);
    assert_eq!(registry.ask("www.case.chronym", 1).answer.len(), 1);
}

#[test]
fn zones_are_bounded() {
    let none = Zone::from_wire(&name("alice.chronym"), b"").expect("a name without records").size();
    let some = Zone::from_wire(&name("alice.chronym"), &alice().concat()).expect("a zone").size();
    assert!(none < 100 && some > 2000, "{none} {some}");
    assert_eq!(Zone::from_wire(b"\x05alice", b"").unwrap_err(), ZoneError::NoName);
    let many = vec![record("alice.chronym", 1, 0, &[1, 2, 3, 4]); 10_001];
    assert_eq!(error(&many), ZoneError::TooLarge);
    // Deep owners bring a node for each label above them.
    let deep: Vec<_> = (0..1000)
        .map(|number| record(&format!("{}x{number}.alice.chronym", "a.".repeat(100)), 1, 0, &[1, 2, 3, 4]))
        .collect();
    assert_eq!(error(&deep), ZoneError::TooLarge);
    let large = vec![record("alice.chronym", 16, 0, &vec![0; 60_000]); 80];
    assert_eq!(error(&large), ZoneError::TooLarge);
}

#[test]
fn errors_say_what_is_wrong() {
    let text = error(&[record("alice.chronym", 6, 0, b"")]).to_string();
    assert_eq!(text, "record 0 has type 6, which no zone holds");
}
