//! Delegations within a registered name, or of it: RFC 1034, 4.2 and 4.3.2; RFC 4035, 3.1.4.

use crate::fixture::Registry;

#[test]
fn names_at_and_below_a_delegation_get_a_referral_with_addresses() {
    for (qname, qtype) in [("sub", 1), ("sub", 2), ("sub", 16), ("x.sub", 1), ("ns1.sub", 1)] {
        let seen = Registry::new().ask(&format!("{qname}.alice.chronym"), qtype);
        assert_eq!((seen.rcode, &*seen.flags, seen.answer.len()), (0, "RD", 0), "{qname}");
        assert_eq!(
            seen.authority,
            ["sub.alice.chronym. 300 NS ns.example.com.", "sub.alice.chronym. 300 NS ns1.sub.alice.chronym."]
        );
        assert_eq!(seen.additional, ["ns1.sub.alice.chronym. 300 A 192.0.2.53"]);
    }
}

#[test]
fn a_referral_signs_ds_records_and_nothing_else() {
    let seen = Registry::new().ask_dnssec("x.sub.alice.chronym", 1);
    assert_eq!(seen.authority.len(), 4);
    assert_eq!(seen.authority[2], format!("sub.alice.chronym. 300 DS 1 13 2 {}", "01".repeat(32)));
    assert_eq!(seen.authority[3], "sub.alice.chronym. 300 RRSIG DS");
    assert_eq!(seen.flags, "RD");
}

#[test]
fn a_referral_without_ds_records_proves_that_there_are_none() {
    let seen = Registry::new().ask_dnssec("x.plain.alice.chronym", 1);
    assert_eq!(
        seen.authority,
        [
            "plain.alice.chronym. 300 NS ns.example.com.",
            "plain.alice.chronym. 60 NSEC \\000.plain.alice.chronym. NS RRSIG NSEC",
            "plain.alice.chronym. 60 RRSIG NSEC",
        ]
    );
}

#[test]
fn ds_records_at_a_delegation_are_answered_or_denied_from_this_side() {
    let registry = Registry::new();
    let there = registry.ask_dnssec("sub.alice.chronym", 43);
    assert_eq!((there.answer.len(), &*there.flags), (2, "AA RD AD"));
    let denied = registry.ask_dnssec("plain.alice.chronym", 43);
    assert_eq!((denied.answer.len(), &*denied.flags), (0, "AA RD AD"));
    assert_eq!(denied.authority[2], "plain.alice.chronym. 60 NSEC \\000.plain.alice.chronym. NS RRSIG NSEC");
    // Below the delegation there is no such answer.
    assert_eq!(registry.ask_dnssec("x.sub.alice.chronym", 43).flags, "RD");
}

#[test]
fn a_registered_name_may_be_delegated_itself() {
    let registry = Registry::new();
    let referral = registry.ask_dnssec("www.carol.chronym", 1);
    assert_eq!(referral.flags, "RD");
    assert_eq!(referral.authority[0], "carol.chronym. 300 NS ns.example.com.");
    assert_eq!(referral.authority[2], "carol.chronym. 300 RRSIG DS");
    assert_eq!(registry.ask_dnssec("carol.chronym", 43).answer.len(), 2);
}
