//! Each target's first inputs.

use crate::shared::{fixture, mutation};

/// Name and content of the first inputs of a target.
///
/// # Panics
/// When there is no such target.
#[must_use]
pub fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    match target {
        // A prime step, so that each kind of name, type and option is among them.
        "query" => mutation::seeds()
            .into_iter()
            .step_by(7)
            .enumerate()
            .map(|(at, seed)| (format!("seed-{at}"), seed))
            .collect(),
        "zone" => {
            let records = fixture::alice();
            let parts = records.chunks(8).enumerate();
            parts
                .map(|(at, part)| {
                    (format!("part-{at}"), [vec![if at % 2 == 0 { 0 } else { 255 }], part.concat()].concat())
                })
                .collect()
        }
        _ => panic!("no target '{target}'"),
    }
}
