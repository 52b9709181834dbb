//! The published chiavdf crate behind the line protocol of bench/.

// Linked for its GMP, built for this processor; chiavdf would take the system's.
use gmp_mpfr_sys as _;

use line::{Request, hex, serde_json::json, serve, timed};

/// Bytes of |D|.
const DISCRIMINANT_BYTES: usize = 128;

/// chiavdf's encoding of the form (2, 1, (1 - D) / 8).
const GENERATOR: [u8; 100] = {
    let mut form = [0; 100];
    form[0] = 8;
    form
};

fn discriminant(seed: &[u8]) -> [u8; DISCRIMINANT_BYTES] {
    let mut discriminant = [0; DISCRIMINANT_BYTES];
    assert!(chiavdf::create_discriminant(seed, &mut discriminant), "chiavdf derives a discriminant");
    discriminant
}

fn verify(discriminant: &[u8], request: &Request, proof: &[u8]) {
    let holds = chiavdf::verify_n_wesolowski(discriminant, &GENERATOR, proof, request.count("iterations"), 0);
    assert!(holds, "chiavdf accepts the proof");
}

fn main() {
    serve(|request| match request.verb() {
        // The discriminant is derived in it: a thousandth of the time of a million squarings.
        "prove" => {
            let (seed, iterations) = (request.bytes("seed"), request.count("iterations"));
            let (proof, times) = timed(|| chiavdf::prove(&seed, &GENERATOR, 8 * DISCRIMINANT_BYTES, iterations));
            json!({ "proof": hex(&proof.expect("chiavdf proves")), "times": times })
        }
        "discriminant" => {
            let seed = request.bytes("seed");
            let (discriminant, times) = timed(|| discriminant(&seed));
            json!({ "discriminant": hex(&discriminant), "times": times })
        }
        "verify" => {
            let (discriminant, proof) = (discriminant(&request.bytes("seed")), request.bytes("proof"));
            timed(|| (0..request.count("times")).for_each(|_| verify(&discriminant, request, &proof))).1
        }
        "verify-from-seed" => {
            let (seed, proof) = (request.bytes("seed"), request.bytes("proof"));
            timed(|| verify(&discriminant(&seed), request, &proof)).1
        }
        verb => panic!("{verb}: unknown"),
    });
}
