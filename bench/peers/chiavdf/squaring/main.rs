//! chiavdf's squarings alone, on one thread, behind the line protocol of bench/.

#[cfg(not(squaring))]
compile_error!("chiavdf's squarings could not be built: the warning of the build script says why");

use line::{Request, hex, serde_json::json, serve, timed};
use std::ffi::c_void;

type Squarer = *mut c_void;

unsafe extern "C" {
    fn squarer_new(seed: *const u8, length: usize) -> Squarer;
    fn squarer_nudupl(squarer: Squarer, count: u64);
    fn squarer_phased(squarer: Squarer, count: u64) -> bool;
    fn squarer_form(squarer: Squarer, encoded: *mut u8);
}

/// Bytes of an encoded form.
const FORM_BYTES: usize = 100;
/// What this target has of `nudupl` (on GMP) and `phased` (in assembler).
const KINDS: &[&str] = if cfg!(target_arch = "x86_64") { &["nudupl", "phased"] } else { &["nudupl"] };

fn square(squarer: Squarer, request: &Request) {
    let count = request.count("count");
    // SAFETY: the squarer was made by `squarer_new`, and no other thread has it.
    match request.text("kind") {
        "nudupl" => unsafe { squarer_nudupl(squarer, count) },
        "phased" => assert!(unsafe { squarer_phased(squarer, count) }, "chiavdf finds its form corrupt"),
        kind => panic!("{kind}: unknown"),
    }
}

fn main() {
    let mut squarer = None;
    serve(|request| {
        let started = || squarer.expect("started");
        match request.verb() {
            "hello" => json!({ "kinds": KINDS }),
            "start" => {
                let seed = request.bytes("seed");
                // SAFETY: the bytes live while they are read. Earlier squarers stay until the program ends.
                squarer = Some(unsafe { squarer_new(seed.as_ptr(), seed.len()) });
                json!({})
            }
            "squarings" => timed(|| square(started(), request)).1,
            "form" => {
                let mut encoded = [0; FORM_BYTES];
                // SAFETY: as in `square`; the form has as many bytes.
                unsafe { squarer_form(started(), encoded.as_mut_ptr()) };
                json!({ "form": hex(&encoded) })
            }
            verb => panic!("{verb}: unknown"),
        }
    });
}
