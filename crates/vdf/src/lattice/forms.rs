//! Forms on their way in and out of the kernel.

use crate::lattice::arithmetic::rows::MAX_LIMBS;
use crate::lattice::arithmetic::word::{borrowing_sub, carrying_add, carrying_mul};

/// Limbs of a coefficient.
pub(crate) const FORM_LIMBS: usize = 9;

/// A reduced form `(a, b, c)` of the context's discriminant, least significant limb first, c below `2^576`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FastForm {
    pub(crate) a: [u64; FORM_LIMBS],
    /// |b|.
    pub(crate) b: [u64; FORM_LIMBS],
    pub(crate) b_negative: bool,
    pub(crate) c: [u64; FORM_LIMBS],
}

impl FastForm {
    /// Whether b is odd and a and c are below `2^560`.
    #[inline(always)]
    pub(in crate::lattice) fn is_in_range(&self) -> bool {
        debug_assert!(!is_less(&self.a, &self.b) && !is_less(&self.c, &self.a), "|b| <= a <= c");
        (self.a[FORM_LIMBS - 1] | self.c[FORM_LIMBS - 1]) >> 48 == 0 && self.b[0] & 1 == 1
    }
}

/// `x < y`.
#[inline(always)]
pub(in crate::lattice) fn is_less(x: &[u64; FORM_LIMBS], y: &[u64; FORM_LIMBS]) -> bool {
    let mut borrow = false;
    for limb in 0..FORM_LIMBS {
        (_, borrow) = borrowing_sub(x[limb], y[limb], borrow);
    }
    borrow
}

const _: () = assert!(FORM_LIMBS == MAX_LIMBS);

// An equivalent form with odd first coefficient. `b^2 - 4ac = 1 mod 8` makes ac even and b odd, so exactly one of a, c
// and a + b + c is odd.

/// A form `(A, B, C)` with A odd and `|B| <= A`; not reduced.
#[derive(Clone, Copy)]
pub(in crate::lattice) struct OddForm {
    pub(in crate::lattice) a: [u64; FORM_LIMBS],
    /// |B|.
    pub(in crate::lattice) b: [u64; FORM_LIMBS],
    pub(in crate::lattice) b_negative: bool,
    pub(in crate::lattice) c: [u64; FORM_LIMBS],
}

/// `(a, b, c)`, or `(c, -b, a)`, or `(a - |b| + c, +-(2a - |b|), a)`, B with the sign of b: the first whose A is odd.
///
/// Needs `|b| <= a <= c < 2^560`: then `|B| <= A < 2^561`, for in the last `A - |B| = c - a`.
#[inline(always)]
pub(in crate::lattice) fn odd_form(form: &FastForm) -> OddForm {
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

/// How many forms [`other_odd_form`] knows.
pub(in crate::lattice) const OTHERS: usize = 2;

/// Other odd forms, for when the first has a common divisor with what it is to be composed with:
/// `(f + n g + n^2 h, g + 2 n h, h)`, where `(f, g, h)` is `(a, |b|, c)` if a is odd, else `(c, |b|, a)`, for n = -2
/// and 2 if f is odd, else for 1 and -3. [`odd_form`] has n = 0 or
/// -1, so the three of them are f at different points modulo 3: of which two at most have a multiple of 3.
///
/// Needs `|b| <= a <= c < 2^560`: then A is at most a + 2|b| + 4c or 9a + c, below `2^563`, and `|B| <= A`, for
/// `A - |B|` is `f + (n - 1) g + (n^2 - 2 n) h` for positive n, `f - (|n| - 1) g + (n^2 - 2 |n|) h` for negative ones.
#[cold]
#[inline(never)]
pub(in crate::lattice) fn other_odd_form(form: &FastForm, index: usize) -> OddForm {
    let FastForm { a, b, b_negative, c } = form;
    let turned = a[0] & 1 == 0;
    let (first, last) = if turned { (c, a) } else { (a, c) };
    let (n, negative) = [[(1, false), (3, true)], [(2, true), (2, false)]][(first[0] & 1) as usize][index];
    let combine = if negative { subtract } else { add };
    OddForm {
        a: combine(&add(first, &times(last, n * n)), &times(b, n)),
        b: combine(&times(last, 2 * n), b),
        b_negative: b_negative ^ turned ^ negative,
        c: *last,
    }
}

#[inline(always)]
fn times(x: &[u64; FORM_LIMBS], factor: u64) -> [u64; FORM_LIMBS] {
    let mut product = [0; FORM_LIMBS];
    let mut carry = 0;
    for limb in 0..FORM_LIMBS {
        (product[limb], carry) = carrying_mul(x[limb], factor, carry);
    }
    debug_assert!(carry == 0);
    product
}

#[inline(always)]
pub(in crate::lattice) fn add(x: &[u64; FORM_LIMBS], y: &[u64; FORM_LIMBS]) -> [u64; FORM_LIMBS] {
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
pub(in crate::lattice) fn subtract(x: &[u64; FORM_LIMBS], y: &[u64; FORM_LIMBS]) -> [u64; FORM_LIMBS] {
    let mut difference = [0; FORM_LIMBS];
    let mut borrow = false;
    for limb in 0..FORM_LIMBS {
        (difference[limb], borrow) = borrowing_sub(x[limb], y[limb], borrow);
    }
    debug_assert!(!borrow);
    difference
}
