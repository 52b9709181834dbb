//! Forms before reduction, and reduction (Cohen, algorithm 5.4.2).

use super::Form;
use crate::uint::Uint;
use crate::uint::int::Int;

/// Any form, not necessarily reduced.
#[derive(Clone, Copy)]
pub(crate) struct WideForm<const N: usize> {
    pub(crate) a: Int<N>,
    pub(crate) b: Int<N>,
    pub(crate) c: Int<N>,
}

impl<const N: usize> From<&Form> for WideForm<N> {
    fn from(form: &Form) -> Self {
        Self {
            a: Int::from_uint(false, &form.a),
            b: Int::from_uint(form.b_negative, &form.b),
            c: Int::from_uint(false, &form.c),
        }
    }
}

/// The reduced form of a positive definite form's class.
pub(crate) fn reduce<const N: usize>(form: &WideForm<N>) -> Form {
    let mut form = normalise(form);
    while form.a.magnitude > form.c.magnitude {
        form = normalise(&WideForm { a: form.c, b: form.b.neg(), c: form.a });
    }
    if form.a == form.c && form.b.negative {
        form.b = form.b.neg();
    }
    Form {
        a: form.a.magnitude.resize(),
        b: form.b.magnitude.resize(),
        b_negative: form.b.negative,
        c: form.c.magnitude.resize(),
    }
}

/// The equivalent form (a, b - 2aq, c - q (b + b') / 2) with `-a < b' <= a`.
fn normalise<const N: usize>(form: &WideForm<N>) -> WideForm<N> {
    let WideForm { a, b, c } = form;
    let (quotient, remainder) = b.div_rem_floor(&a.magnitude.shl(1));
    // remainder in 0..2a, to -a < r <= a
    let (quotient, remainder): (Int<N>, Int<N>) = if remainder > a.magnitude {
        (quotient.add(&Int::ONE), Int::new(true, a.magnitude.shl(1).sub(&remainder)))
    } else {
        (quotient, Int::new(false, remainder))
    };
    debug_assert!(remainder.magnitude <= a.magnitude && a.magnitude > Uint::ZERO);
    WideForm { a: *a, b: remainder, c: c.sub(&quotient.mul(&b.add(&remainder).half())) }
}
