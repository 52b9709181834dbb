//! What AD says, and names that are not vouched for: RFC 4035, 3.1.4 and 5.2; RFC 6840, 5.7.

use crate::fixture::{Registry, packet, tcp};

#[test]
fn ad_is_set_when_it_is_asked_for_by_ad_or_do() {
    let registry = Registry::new();
    assert_eq!(registry.ask("alice.chronym", 1).flags, "AA RD");
    assert_eq!(registry.ask_edns("alice.chronym", 1).flags, "AA RD");
    assert_eq!(registry.ask_dnssec("alice.chronym", 1).flags, "AA RD AD");
    let mut with_ad = packet("alice.chronym", 1, None, false);
    with_ad[3] |= 0x20;
    assert_eq!(registry.reply(&with_ad, 0, |_| tcp()).flags, "AA RD AD");
}

#[test]
fn a_name_that_is_not_vouched_for_has_no_signatures_no_ad_and_a_reason() {
    let registry = Registry::new();
    for (qname, qtype) in [("bob.chronym", 1), ("bob.chronym", 16), ("x.bob.chronym", 1), ("sub.bob.chronym", 43)] {
        let seen = registry.ask_dnssec(qname, qtype);
        assert_eq!(seen.flags, "AA RD", "{qname}");
        assert_eq!(seen.errors(), [(0, "not settled yet".to_owned())]);
        let lines = [seen.answer, seen.authority].concat();
        assert!(lines.iter().all(|line| !line.contains("RRSIG") && !line.contains("NSEC")), "{lines:?}");
    }
}

#[test]
fn its_negative_answers_carry_a_soa_record_of_its_own() {
    let registry = Registry::new();
    let soa = "bob.chronym. 60 SOA localhost. nobody.invalid. 1700000000 3600 600 86400 60";
    assert_eq!(registry.ask_dnssec("bob.chronym", 16).authority, [soa]);
    let absent = registry.ask_dnssec("x.bob.chronym", 1);
    assert_eq!((absent.rcode, absent.authority), (3, vec![soa.to_owned()]));
    assert_eq!(registry.ask("bob.chronym", 6).answer, [soa]);
}

#[test]
fn it_has_no_ns_record_that_leads_a_resolver_away() {
    let registry = Registry::new();
    let soa = "bob.chronym. 60 SOA localhost. nobody.invalid. 1700000000 3600 600 86400 60";
    for dnssec in [false, true] {
        let ask = |qname, qtype| if dnssec { registry.ask_dnssec(qname, qtype) } else { registry.ask(qname, qtype) };
        for (qname, qtype) in [("bob.chronym", 2), ("to.bob.chronym", 2)] {
            let seen = ask(qname, qtype);
            assert_eq!((seen.rcode, &*seen.flags, seen.answer.len()), (0, "AA RD", 0), "{qname}");
            assert_eq!(seen.authority, [soa]);
        }
        // RFC 8482: one set, which is none of NS records.
        assert_eq!(ask("bob.chronym", 255).answer, ["bob.chronym. 300 A 192.0.2.7"]);
        assert_eq!(ask("bare.chronym", 255).answer, [soa.replace("bob", "bare")]);
        // The owner's own delegations stay.
        assert_eq!(ask("dave.chronym", 2).authority[0], "dave.chronym. 300 NS ns.example.com.");
        assert_eq!(ask("sub.bob.chronym", 2).authority[0], "sub.bob.chronym. 300 NS ns.example.com.");
    }
}

#[test]
fn the_zone_proves_that_it_has_no_ds_record() {
    let registry = Registry::new();
    for qname in ["bob.chronym", "dave.chronym"] {
        let seen = registry.ask_dnssec(qname, 43);
        assert_eq!((seen.rcode, &*seen.flags, seen.answer.len()), (0, "AA RD", 0));
        assert!(seen.authority[0].starts_with("chronym. 60 SOA"));
        let nsec = format!("{qname}. 60 NSEC \\000.{qname}. NS RRSIG NSEC");
        assert_eq!(seen.authority[1..], ["chronym. 60 RRSIG SOA", &nsec, &format!("{qname}. 60 RRSIG NSEC")]);
    }
}

#[test]
fn its_own_delegation_comes_without_the_ds_records_that_nobody_vouches_for() {
    let registry = Registry::new();
    for qtype in [1, 2, 6] {
        let seen = registry.ask_dnssec("dave.chronym", qtype);
        assert_eq!(
            seen.authority,
            [
                "dave.chronym. 300 NS ns.example.com.",
                "dave.chronym. 60 NSEC \\000.dave.chronym. NS RRSIG NSEC",
                "dave.chronym. 60 RRSIG NSEC",
            ]
        );
    }
    // Deeper delegations are within what is not vouched for.
    let deeper = registry.ask_dnssec("x.sub.bob.chronym", 1);
    assert_eq!(deeper.authority.len(), 2);
}

#[test]
fn one_alias_into_such_a_name_clears_ad_for_all() {
    let seen = Registry::new().ask_dnssec("to-bob.alice.chronym", 1);
    assert_eq!(
        seen.answer,
        [
            "to-bob.alice.chronym. 300 CNAME bob.chronym.",
            "to-bob.alice.chronym. 300 RRSIG CNAME",
            "bob.chronym. 300 A 192.0.2.7",
        ]
    );
    assert_eq!(seen.flags, "AA RD");
    assert_eq!(seen.errors(), [(0, "not settled yet".to_owned())]);
}

#[test]
fn a_name_that_cannot_be_resolved_gets_servfail_with_the_reason() {
    let registry = Registry::new();
    let seen = registry.ask_edns("www.failed.chronym", 1);
    assert_eq!((seen.rcode, &*seen.flags), (2, "RD"));
    assert_eq!(seen.errors(), [(22, "no peer answers".to_owned())]);
    let unknown = registry.ask_edns("unknown.chronym", 1);
    assert_eq!((unknown.rcode, unknown.errors()), (2, vec![(14, String::new())]));
}
