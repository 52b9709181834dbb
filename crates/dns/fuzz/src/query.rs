//! Packets: every reply is whole, within its limit, and repeats the number and the question.

use crate::shared::check::exercise;
use crate::shared::fixture::Registry;
use std::sync::LazyLock;

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::new);

/// The bytes are a packet.
///
/// # Panics
/// When a reply is wrong.
pub fn run(data: &[u8]) {
    exercise(&REGISTRY, data, &mut Vec::new());
}
