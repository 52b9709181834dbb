//! The kernel and the beacon behind the line protocol of bench/.

mod evaluating;
mod verifying;

use chronym_vdf::{Backend, Discriminant, Form};
use evaluating::Evaluating;
use line::serde_json::json;
use line::{Request, hex, serve, timed};
use std::collections::HashMap;

/// Bits of a discriminant.
const BITS: usize = 1024;

fn derive(seed: &[u8]) -> Discriminant {
    Discriminant::from_seed(seed, BITS).expect("a seed of 32 bytes")
}

fn backend(name: &str) -> Backend {
    Backend::available()
        .into_iter()
        .find(|backend| backend.name() == name)
        .unwrap_or_else(|| panic!("{name}: this processor has no such backend"))
}

/// Rows of squarings from the generator, one a backend, each going on where it stopped.
#[derive(Default)]
struct Rows(HashMap<&'static str, (Discriminant, Form)>);

impl Rows {
    fn start(&mut self, discriminant: &Discriminant) {
        self.0 = Backend::available()
            .into_iter()
            .map(|backend| {
                (backend.name(), (discriminant.clone().with_backend(backend), Form::generator(discriminant)))
            })
            .collect();
    }

    fn get(&mut self, request: &Request) -> &mut (Discriminant, Form) {
        self.0.get_mut(backend(request.text("backend")).name()).expect("started")
    }
}

fn main() {
    let mut rows = Rows::default();
    let mut evaluation = None;
    let mut verifier = verifying::Verifier::default();
    serve(|request| match request.verb() {
        "hello" => {
            let backends: Vec<_> = Backend::available().into_iter().map(Backend::name).collect();
            json!({ "backend": Backend::in_use().expect("a backend that exists").name(), "backends": backends })
        }
        "start" => {
            rows.start(&derive(&request.bytes("seed")));
            json!({})
        }
        "squarings" => {
            let (discriminant, form) = rows.get(request);
            timed(|| *form = form.square_times(request.count("count"), discriminant)).1
        }
        "form" => {
            let (discriminant, form) = rows.get(request);
            json!({ "form": hex(&form.encode(discriminant)) })
        }
        "evaluate" => {
            let (begun, times) = Evaluating::begin(request);
            evaluation = Some(begun);
            times
        }
        "advance" => evaluation.as_mut().expect("begun").advance(request),
        "proof" => evaluation.as_ref().expect("begun").proof(),
        "prove-again" => evaluation.as_ref().expect("begun").prove_again(request),
        _ => verifier.answer(request),
    });
}
