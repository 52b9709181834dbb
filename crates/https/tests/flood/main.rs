//! Heads, greetings and TLSA records with changes through real sockets; `examples/flood-https` sends more of them. Alone
//! in its process, whose memory it measures.

#[path = "../../examples/flood-https/drive.rs"]
mod drive;
#[path = "../../../dns/tests/rules/fixture.rs"]
#[allow(dead_code, reason = "shared with the DNS server")]
mod fixture;
#[path = "../../../dns/examples/flood/drive.rs"]
#[allow(dead_code, reason = "shared with the DNS server")]
mod flood;
#[path = "../../../dns/tests/rules/mutation.rs"]
#[allow(dead_code, reason = "shared with the DNS server")]
mod mutation;

#[test]
fn what_reaches_the_proxy_with_changes_neither_ends_nor_fills_it() {
    let scene = drive::Scene::new();
    let mut random = mutation::Random::new(4);
    let mut all = |count: usize| {
        for send in [drive::Scene::heads, drive::Scene::hellos, drive::Scene::sets] {
            let answered = send(&scene, count, &mut random);
            assert!((count / 20..count).contains(&answered), "{answered} of {count}");
        }
    };
    all(200);
    let before = flood::resident_bytes();
    all(1_000);
    let after = flood::resident_bytes();
    // The caches may fill meanwhile.
    assert!(after <= before + (16 << 20), "{before} bytes before, {after} after");
    assert_eq!(scene.wrong(), None);
}
