//! Records of every type, and queries for more than one: RFC 1035, RFC 3597, RFC 8482.

use crate::fixture::{Registry, numbered, record};

#[test]
fn every_type_is_answered_and_signed() {
    let registry = Registry::new();
    let digest = "07".repeat(32);
    let expected = [
        (1, "A 192.0.2.9".to_owned()),
        (28, "AAAA 2001:db8::9".to_owned()),
        (12, "PTR Host.Example.Com.".to_owned()),
        (15, "MX 5 mx.example.com.".to_owned()),
        (16, "TXT \"hello\" \"world\"".to_owned()),
        (33, "SRV 1 2 443 SRV.alice.chronym".to_owned()),
        (43, format!("DS 4660 13 2 {digest}")),
        (44, format!("SSHFP 4 2 ( {digest} )")),
        (52, format!("TLSA 3 1 1 ( {digest} )")),
        (64, "SVCB 1 svc.alice.chronym. port=443".to_owned()),
        (65, "HTTPS 1 . alpn=h2".to_owned()),
        (256, "URI \\# 24 00 0a 00 01 68 74 74 70 73 3a 2f 2f 65 78 61 6d 70 6c 65 2e 63 6f 6d 2f".to_owned()),
        (257, "CAA 0 issue \"ca.example\"".to_owned()),
    ];
    for (qtype, data) in expected {
        let seen = registry.ask_dnssec("types.alice.chronym", qtype);
        assert_eq!(seen.answer[0], format!("types.alice.chronym. 300 {data}"));
        assert!(seen.answer.last().unwrap().contains(" RRSIG "), "{seen:?}");
    }
    assert_eq!(registry.ask("types.alice.chronym", 15).answer.len(), 2);
    // A DID is text at a name of its own.
    assert_eq!(registry.ask("_did.alice.chronym", 16).answer, ["_did.alice.chronym. 300 TXT \"did:key:z6M\""]);
}

#[test]
fn records_of_one_owner_and_type_have_the_lowest_ttl() {
    // RFC 2181, 5.2.
    let seen = Registry::new().ask("alice.chronym", 1);
    assert_eq!(seen.answer, ["alice.chronym. 300 A 192.0.2.1", "alice.chronym. 300 A 192.0.2.2"]);
}

#[test]
fn owners_point_at_the_question() {
    let seen = Registry::new().ask("alice.chronym", 1);
    // Header, question, and two records of 16 bytes.
    assert_eq!(seen.bytes.len(), 12 + 19 + 2 * 16);
}

#[test]
fn names_are_compressed_in_types_of_rfc_1035_alone() {
    // RFC 3597, 4; RFC 2782.
    let registry = Registry::new();
    let has = |qtype: u16, name: &[u8]| {
        registry.ask("types.alice.chronym", qtype).bytes[37..].windows(name.len()).any(|window| window == name)
    };
    assert!(has(33, b"\x03SRV\x05alice\x07chronym\x00"));
    assert!(has(64, b"\x03svc\x05alice\x07chronym\x00"));
    // The rest of the name is in the question, after its first label.
    assert!(has(15, b"\x04Mail\xc0\x12"));
}

#[test]
fn names_of_several_records_are_shared_among_them() {
    let mut registry = Registry::new();
    let targets = ["mx.example.com", "b.mx.example.com", "c.b.mx.example.com", "d.c.b.mx.example.com", "example.com"];
    let mail: Vec<_> = targets.iter().map(|target| record("mail.chronym", 15, 60, &numbered(&[1], target))).collect();
    registry.secure("mail.chronym", &mail);
    let seen = registry.ask("mail.chronym", 15);
    let mut lines: Vec<_> = targets.iter().map(|target| format!("mail.chronym. 60 MX 1 {target}.")).collect();
    lines.sort();
    let mut answer = seen.answer.clone();
    answer.sort();
    assert_eq!(answer, lines);
    // The first name whole, the others in four or six bytes less than 10 each.
    assert!(seen.bytes.len() < 30 + 5 * 14 + 16 + 4 * 10, "{}", seen.bytes.len());
}

#[test]
fn any_gets_one_set() {
    // RFC 8482, 4.1.
    let registry = Registry::new();
    assert_eq!(registry.ask("alice.chronym", 255).answer.len(), 2);
    assert_eq!(registry.ask_dnssec("alice.chronym", 255).answer[2], "alice.chronym. 300 RRSIG A");
    assert_eq!(registry.ask("empty.alice.chronym", 255).answer.len(), 0);
}

#[test]
fn signatures_can_be_asked_for() {
    let registry = Registry::new();
    assert_eq!(registry.ask("alice.chronym", 46).answer, ["alice.chronym. 300 RRSIG A"]);
    assert_eq!(registry.ask("empty.alice.chronym", 46).answer, ["empty.alice.chronym. 60 RRSIG NSEC"]);
    assert_eq!(registry.ask("bob.chronym", 46).answer.len(), 0);
}

#[test]
fn other_classes_transfers_and_types_that_are_none_get_an_error() {
    let registry = Registry::new();
    for (qtype, rcode) in [(252, 5), (251, 5), (128, 1), (41, 1)] {
        assert_eq!(registry.ask("alice.chronym", qtype).rcode, rcode);
    }
    // RFC 9824, 3.5.
    assert_eq!(registry.ask_edns("alice.chronym", 128).errors(), [(30, String::new())]);
    let mut chaos = crate::fixture::packet("alice.chronym", 1, None, false);
    let at = chaos.len() - 1;
    chaos[at] = 3;
    assert_eq!(registry.reply(&chaos, 0, |_| crate::fixture::tcp()).rcode, 5);
}
