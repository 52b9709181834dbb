//! What the tests of the crate check too.

#[path = "../../tests/rules/check.rs"]
pub mod check;
#[path = "../../tests/rules/fixture.rs"]
#[allow(dead_code, reason = "shared with the tests")]
pub mod fixture;
#[path = "../../tests/rules/mutation.rs"]
#[allow(dead_code, reason = "shared with the tests")]
pub mod mutation;
