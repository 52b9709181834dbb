//! Records of a name: they are refused, or every owner among them can be asked for.

use crate::shared::check::exercise;
use crate::shared::fixture::{Registry, name, packet};
use chronym_dns::{Knowledge, Trust, Zone};
use std::cell::RefCell;
use std::sync::Arc;

thread_local! {
    static REGISTRY: RefCell<Registry> = RefCell::new(Registry::new());
}

/// What is asked for besides owners' own records.
const TYPES: [u16; 6] = [1, 2, 5, 43, 47, 255];

/// The first byte chooses whether the name is vouched for; records follow.
///
/// # Panics
/// When a reply is wrong.
pub fn run(data: &[u8]) {
    let Some((&choice, records)) = data.split_first() else { return };
    let Ok(zone) = Zone::from_wire(&name("alice.chronym"), records) else { return };
    let trust = if choice < 128 { Trust::Secure } else { Trust::Insecure { ede_text: "thin".into() } };
    REGISTRY.with_borrow_mut(|registry| {
        registry.set("alice.chronym", Knowledge::Zone { zone: Arc::new(zone), trust });
        let mut out = Vec::new();
        let mut rest = records;
        for qtype in TYPES {
            // The records were accepted, so each begins with a whole owner.
            let owner = rest.iter().position(|&byte| byte == 0).map_or(&b"\x00"[..], |end| &rest[..=end]);
            for qname in [owner, b"\x01x\x05alice\x07chronym\x00"] {
                exercise(registry, &asking(qname, qtype), &mut out);
            }
            let next = owner.len() + 10;
            let length = rest.get(next - 2..next).map_or(0, |bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
            rest = rest.get(next + usize::from(length)..).unwrap_or_default();
        }
    });
}

fn asking(qname: &[u8], qtype: u16) -> Vec<u8> {
    let mut asking = packet("", qtype, Some(b""), true);
    asking.splice(12..13, qname.iter().copied());
    asking
}
