//! The prototype behind the line protocol of bench/.
#![allow(dead_code)]

mod big;
mod fast;

use big::{reduce, square_ref, BForm, Big};
use fast::{square, Ctx, Form, Stats};
use line::{serde_json::json, serve, timed};

/// A form, small as at the start of an evaluation or of the size that the fast squaring takes.
enum State {
    Small(BForm),
    Usual(Form),
}

struct Row {
    context: Ctx,
    state: State,
    stats: Stats,
}

impl Row {
    /// The form (2, 1, (1 - D) / 8).
    fn new(magnitude: &str) -> Self {
        let d = Big::from_hex(magnitude).neg();
        let c = Big::from_u(1).sub(&d).shr(3);
        let generator = reduce(&BForm { a: Big::from_u(2), b: Big::from_u(1), c });
        Row { context: Ctx::new(d), state: State::Small(generator), stats: Stats::default() }
    }

    fn square(&mut self, count: u64) {
        for _ in 0..count {
            match &mut self.state {
                State::Small(form) => {
                    let next = square_ref(form, &self.context.d);
                    // Full-sized once a has its eight limbs, as in the prototype's own measurement.
                    self.state = match Form::from_big(&next) {
                        Some(usual) if usual.a[7] >> 32 != 0 => State::Usual(usual),
                        _ => State::Small(next),
                    };
                }
                State::Usual(form) => {
                    if !square(form, &self.context, &mut self.stats) {
                        let next = square_ref(&form.to_big(), &self.context.d);
                        *form = Form::from_big(&next).expect("a square of the usual size");
                    }
                }
            }
        }
    }

    fn a(&self) -> String {
        match &self.state {
            State::Small(form) => form.a.to_hex(),
            State::Usual(form) => form.to_big().a.to_hex(),
        }
    }
}

fn main() {
    let mut row = None;
    serve(|request| match request.verb() {
        "start" => {
            let discriminant = request.text("discriminant");
            row = Some(Row::new(discriminant));
            json!({})
        }
        "squarings" => {
            let row = row.as_mut().expect("started");
            timed(|| row.square(request.count("count"))).1
        }
        "a" => json!({ "a": row.as_ref().expect("started").a() }),
        verb => panic!("{verb}: unknown"),
    });
}
