//! Denial: RFC 2308, RFC 4592, RFC 8020, RFC 9824.

use crate::fixture::Registry;

const SOA: &str = "chronym. 60 SOA localhost. nobody.invalid. 1700000000 3600 600 86400 60";

#[test]
fn an_absent_name_is_denied_with_the_zones_soa_record() {
    for qname in ["gone.chronym", "www.gone.chronym", "nothing.alice.chronym", "a.b.nothing.alice.chronym"] {
        let seen = Registry::new().ask(qname, 1);
        assert_eq!((seen.rcode, &*seen.flags), (3, "AA RD"), "{qname}");
        assert_eq!((seen.answer.len(), seen.authority), (0, vec![SOA.to_owned()]));
    }
}

#[test]
fn a_signed_denial_of_a_name_is_one_of_data_with_a_mark() {
    // RFC 9824, 3.1: validators take no NXDOMAIN here.
    for qname in ["gone.chronym", "www.gone.chronym", "nothing.alice.chronym"] {
        let seen = Registry::new().ask_dnssec(qname, 1);
        assert_eq!((seen.rcode, &*seen.flags), (0, "AA RD AD"), "{qname}");
        let nsec = format!("{qname}. 60 NSEC \\000.{qname}. RRSIG NSEC NXNAME");
        assert_eq!(seen.authority, [SOA, "chronym. 60 RRSIG SOA", &nsec, &format!("{qname}. 60 RRSIG NSEC")]);
    }
}

#[test]
fn a_missing_type_is_denied_with_the_types_that_are_there() {
    let registry = Registry::new();
    let seen = registry.ask("alice.chronym", 28);
    assert_eq!((seen.rcode, seen.answer.len(), seen.authority), (0, 0, vec![SOA.to_owned()]));
    let signed = registry.ask_dnssec("alice.chronym", 28);
    assert_eq!(signed.authority[2], "alice.chronym. 60 NSEC \\000.alice.chronym. A TXT RRSIG NSEC");
    let all = registry.ask_dnssec("types.alice.chronym", 29);
    let types = "A PTR MX TXT AAAA SRV DS SSHFP RRSIG NSEC TLSA SVCB HTTPS URI CAA";
    assert_eq!(all.authority[2], format!("types.alice.chronym. 60 NSEC \\000.types.alice.chronym. {types}"));
}

#[test]
fn an_empty_non_terminal_is_there_without_data() {
    // RFC 8020, 2; RFC 9824, 3.2.
    for qname in ["empty.alice.chronym", "wild.alice.chronym"] {
        let registry = Registry::new();
        assert_eq!(registry.ask(qname, 1).rcode, 0);
        let nsec = format!("{qname}. 60 NSEC \\000.{qname}. RRSIG NSEC");
        assert_eq!(registry.ask_dnssec(qname, 1).authority[2], nsec);
    }
}

#[test]
fn a_wildcard_stands_in_for_names_below_it_at_any_depth() {
    // RFC 4592, 2.2.1 and 3.3.1.
    for qname in ["x.wild.alice.chronym", "a.b.c.wild.alice.chronym"] {
        let seen = Registry::new().ask_dnssec(qname, 1);
        assert_eq!(seen.answer, [format!("{qname}. 300 A 192.0.2.4"), format!("{qname}. 300 RRSIG A")]);
        let other = Registry::new().ask_dnssec(qname, 28);
        assert_eq!(other.authority[2], format!("{qname}. 60 NSEC \\000.{qname}. A RRSIG NSEC"));
    }
}

#[test]
fn a_wildcard_does_not_stand_in_for_names_that_are_there_or_below_them() {
    let registry = Registry::new();
    // The name is there, with another type.
    let there = registry.ask("host.wild.alice.chronym", 1);
    assert_eq!((there.rcode, there.answer.len()), (0, 0));
    // Its closest encloser is host.wild, which has no wildcard.
    assert_eq!(registry.ask("x.host.wild.alice.chronym", 1).rcode, 3);
    // The wildcard asked for by its own name is signed with one label less (RFC 4034, 3.1.3).
    assert_eq!(registry.ask_dnssec("*.wild.alice.chronym", 1).answer.len(), 2);
    assert_eq!(registry.ask("x.*.wild.alice.chronym", 1).rcode, 3);
}

#[test]
fn a_wildcard_alias_is_followed() {
    let seen = Registry::new().ask_dnssec("any.alias.alice.chronym", 1);
    assert_eq!(seen.answer[0], "any.alias.alice.chronym. 300 CNAME alice.chronym.");
    assert_eq!(seen.answer[4], "alice.chronym. 300 RRSIG A");
}

#[test]
fn a_denial_can_be_asked_for() {
    // RFC 4035, 3.1: NSEC records are data.
    let registry = Registry::new();
    for dnssec in [false, true] {
        let seen = if dnssec { registry.ask_dnssec("alice.chronym", 47) } else { registry.ask("alice.chronym", 47) };
        assert_eq!(seen.answer[0], "alice.chronym. 60 NSEC \\000.alice.chronym. A TXT RRSIG NSEC");
    }
    assert_eq!(registry.ask_dnssec("gone.chronym", 47).answer.len(), 2);
    assert_eq!(registry.ask("gone.chronym", 47).rcode, 3);
}

#[test]
fn the_longest_names_have_a_next_name() {
    let long = format!("{}.{}.{}.{}.alice.chronym", "a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(45));
    for cut in 0..4 {
        let seen = Registry::new().ask_dnssec(&long[cut..], 1);
        assert_eq!((seen.rcode, seen.authority.len()), (0, 4));
    }
}
