//! CNAME records: RFC 1034, 3.6.2 and 4.3.2.

use crate::fixture::Registry;

#[test]
fn an_alias_comes_with_what_it_leads_to() {
    let seen = Registry::new().ask("www.alice.chronym", 1);
    assert_eq!(
        seen.answer,
        [
            "www.alice.chronym. 300 CNAME alice.chronym.",
            "alice.chronym. 300 A 192.0.2.1",
            "alice.chronym. 300 A 192.0.2.2",
        ]
    );
    assert_eq!((seen.rcode, &*seen.flags), (0, "AA RD"));
}

#[test]
fn an_alias_asked_for_itself_is_not_followed() {
    for qtype in [5, 255] {
        let seen = Registry::new().ask("www.alice.chronym", qtype);
        assert_eq!(seen.answer, ["www.alice.chronym. 300 CNAME alice.chronym."]);
    }
}

#[test]
fn an_alias_whose_target_lacks_the_type_ends_in_a_denial_at_the_target() {
    let seen = Registry::new().ask_dnssec("www.alice.chronym", 33);
    assert_eq!(seen.answer, ["www.alice.chronym. 300 CNAME alice.chronym.", "www.alice.chronym. 300 RRSIG CNAME"]);
    assert_eq!(
        seen.authority[2..],
        ["alice.chronym. 60 NSEC \\000.alice.chronym. A TXT RRSIG NSEC", "alice.chronym. 60 RRSIG NSEC"]
    );
}

#[test]
fn aliases_are_followed_eight_links_far_and_circles_end() {
    let registry = Registry::new();
    let chain = registry.ask("link0.alice.chronym", 1);
    assert_eq!((chain.answer.len(), chain.rcode), (8, 0));
    let circle = registry.ask("ring1.alice.chronym", 1);
    assert_eq!((circle.answer.len(), circle.rcode), (2, 0));
}

#[test]
fn an_alias_to_outside_or_to_an_unknown_name_is_the_whole_answer() {
    for (alias, target) in [("out", "www.example.com"), ("to-unknown", "unknown.chronym")] {
        let seen = Registry::new().ask_dnssec(&format!("{alias}.alice.chronym"), 1);
        assert_eq!(seen.answer[0], format!("{alias}.alice.chronym. 300 CNAME {target}."));
        assert_eq!((seen.rcode, seen.answer.len(), seen.authority.len()), (0, 2, 0));
    }
}

#[test]
fn the_code_is_that_of_the_last_name() {
    // RFC 6604, 3; signed, it is a denial of data (RFC 9824, 3.1).
    let registry = Registry::new();
    let seen = registry.ask("to-gone.alice.chronym", 1);
    assert_eq!((seen.rcode, seen.answer.len(), seen.authority.len()), (3, 1, 1));
    let signed = registry.ask_dnssec("to-gone.alice.chronym", 1);
    assert_eq!((signed.rcode, signed.answer.len(), signed.authority.len()), (0, 2, 4));
}

#[test]
fn an_alias_to_a_name_that_cannot_be_resolved_fails() {
    let seen = Registry::new().ask_edns("to-failed.alice.chronym", 1);
    assert_eq!((seen.rcode, seen.answer.len()), (2, 0));
    assert_eq!(seen.errors(), [(22, "no peer answers".to_owned())]);
}

#[test]
fn an_alias_to_the_zone_itself_and_into_a_delegation_is_followed() {
    let registry = Registry::new();
    assert!(registry.ask("to-tld.alice.chronym", 6).answer[1].starts_with("chronym. 60 SOA"));
    let referral = registry.ask("to-sub.alice.chronym", 1);
    assert_eq!(referral.answer.len(), 1);
    assert!(referral.authority[0].starts_with("sub.alice.chronym. 300 NS"));
    // RFC 1035, 4.1.1: AA is for the first name.
    assert_eq!(referral.flags, "AA RD");
}
