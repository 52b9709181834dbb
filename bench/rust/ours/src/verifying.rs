//! Verification of proofs and of pulses.

use crate::derive;
use chronym_beacon::PublicKey;
use chronym_vdf::{Discriminant, Evaluation, EvaluationOptions, FORM_BYTES, Form, Step};
use core::sync::atomic::AtomicU32;
use line::serde_json::{Value, json};
use line::{Request, hex, timed};

/// What was prepared for the last request, so that it isn't timed.
#[derive(Default)]
pub struct Verifier {
    discriminant: Option<(Vec<u8>, Discriminant)>,
    key: Option<(Vec<u8>, PublicKey)>,
}

impl Verifier {
    pub fn answer(&mut self, request: &Request) -> Value {
        match request.verb() {
            "discriminant" => {
                let seed = request.bytes("seed");
                let (discriminant, times) = timed(|| derive(&seed));
                json!({ "discriminant": hex(&discriminant.to_be_bytes()), "times": times })
            }
            "prove" => prove(request),
            "verify" => {
                let (discriminant, proof) = (self.discriminant(request.bytes("seed")), request.bytes("proof"));
                timed(|| (0..request.count("times")).for_each(|_| verify(discriminant, request, &proof))).1
            }
            "verify-from-seed" => {
                let (seed, proof) = (request.bytes("seed"), request.bytes("proof"));
                timed(|| verify(&derive(&seed), request, &proof)).1
            }
            "pulse" => {
                let (round, signature) = (request.count("round"), request.bytes("signature"));
                let key = self.key(request.bytes("key"));
                let pulse = || key.verify(round, &signature).expect("the pulse is the chain's");
                timed(|| (0..request.count("times")).for_each(|_| pulse())).1
            }
            verb => panic!("{verb}: unknown"),
        }
    }

    fn discriminant(&mut self, seed: Vec<u8>) -> &Discriminant {
        if self.discriminant.as_ref().is_none_or(|(derived, _)| *derived != seed) {
            let discriminant = derive(&seed);
            self.discriminant = Some((seed, discriminant));
        }
        &self.discriminant.as_ref().expect("just derived").1
    }

    fn key(&mut self, bytes: Vec<u8>) -> &PublicKey {
        if self.key.as_ref().is_none_or(|(decoded, _)| *decoded != bytes) {
            let key = PublicKey::from_bytes(&bytes).expect("a chain's key");
            self.key = Some((bytes, key));
        }
        &self.key.as_ref().expect("just decoded").1
    }
}

/// One proof from the generator, all at once, untimed.
fn prove(request: &Request) -> Value {
    let discriminant = derive(&request.bytes("seed"));
    let x = Form::generator(&discriminant);
    let mut evaluation =
        Evaluation::new(discriminant, x, request.count("iterations"), EvaluationOptions::default()).expect("no split");
    assert!(evaluation.advance(u64::MAX, &AtomicU32::new(0)) == Step::Done, "the proof is made");
    json!({ "proof": hex(&evaluation.proof().expect("done")) })
}

fn verify(discriminant: &Discriminant, request: &Request, proof: &[u8]) {
    let x: [u8; FORM_BYTES] = Form::generator(discriminant).encode(discriminant);
    chronym_vdf::verify(discriminant, &x, request.count("iterations"), proof, 0).expect("our own proof");
}
