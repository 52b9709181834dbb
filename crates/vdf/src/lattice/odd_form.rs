//! An equivalent form with odd first coefficient. `b^2 - 4ac = 1 mod 8` makes ac even and b odd, so exactly one of a, c
//! and a + b + c is odd.

use super::FORM_LIMBS;
use super::FastForm;
use super::word::{borrowing_sub, carrying_add};

/// A form `(A, B, C)` with A odd and `|B| <= A`; not reduced.
#[derive(Clone, Copy)]
pub(super) struct OddForm {
    pub(super) a: [u64; FORM_LIMBS],
    /// |B|.
    pub(super) b: [u64; FORM_LIMBS],
    pub(super) b_negative: bool,
    pub(super) c: [u64; FORM_LIMBS],
}

/// `(a, b, c)`, or `(c, -b, a)`, or `(a - |b| + c, +-(2a - |b|), a)`, B with the sign of b: the first whose A is odd.
///
/// Needs `|b| <= a <= c < 2^560`: then `|B| <= A < 2^561`, for in the last `A - |B| = c - a`.
#[inline(always)]
pub(super) fn odd_form(form: &FastForm) -> OddForm {
    if form.a[0] & 1 == 1 {
        OddForm { a: form.a, b: form.b, b_negative: form.b_negative, c: form.c }
    } else if form.c[0] & 1 == 1 {
        OddForm { a: form.c, b: form.b, b_negative: !form.b_negative, c: form.a }
    } else {
        // (1, -sign b) and (1, 0) for a basis: f(1, -+1) = a - |b| + c, and B = sign b (2a - |b|), 2a - |b| > 0.
        let rest = subtract(&form.a, &form.b);
        OddForm { a: add(&rest, &form.c), b: add(&rest, &form.a), b_negative: form.b_negative, c: form.a }
    }
}

/// Another odd form, for when the first has a common divisor with what it is to be composed with: `(a - 2|b| + 4c, ..,
/// c)`, `(4a - 2|b| + c, .., a)` or `(a + |b| + c, .., a)`.
///
/// Needs `|b| <= a <= c < 2^560`: then `|B| <= A < 2^563`, for `A - |B|` is `a - |b|`, `c - |b|` or `c - a`.
#[cold]
#[inline(never)]
pub(super) fn other_odd_form(form: &FastForm) -> OddForm {
    let FastForm { a, b, b_negative, c } = form;
    let times_four = |x: &[u64; FORM_LIMBS]| add(&add(x, x), &add(x, x));
    if a[0] & 1 == 1 {
        // (1, -2 sign b), (0, 1)
        let big = subtract(&times_four(c), b);
        OddForm { a: subtract(&add(&big, a), b), b: big, b_negative: !b_negative, c: *c }
    } else if c[0] & 1 == 1 {
        // (-2 sign b, 1), (-1, 0)
        let big = subtract(&times_four(a), b);
        OddForm { a: subtract(&add(&big, c), b), b: big, b_negative: *b_negative, c: *a }
    } else {
        // (1, sign b), (-1, 0)
        let big = add(a, b);
        OddForm { a: add(&big, c), b: add(&big, a), b_negative: !b_negative, c: *a }
    }
}

#[inline(always)]
pub(super) fn add(x: &[u64; FORM_LIMBS], y: &[u64; FORM_LIMBS]) -> [u64; FORM_LIMBS] {
    let mut sum = [0; FORM_LIMBS];
    let mut carry = false;
    for limb in 0..FORM_LIMBS {
        (sum[limb], carry) = carrying_add(x[limb], y[limb], carry);
    }
    debug_assert!(!carry);
    sum
}

/// `x - y` for `y <= x`.
#[inline(always)]
pub(super) fn subtract(x: &[u64; FORM_LIMBS], y: &[u64; FORM_LIMBS]) -> [u64; FORM_LIMBS] {
    let mut difference = [0; FORM_LIMBS];
    let mut borrow = false;
    for limb in 0..FORM_LIMBS {
        (difference[limb], borrow) = borrowing_sub(x[limb], y[limb], borrow);
    }
    debug_assert!(!borrow);
    difference
}
