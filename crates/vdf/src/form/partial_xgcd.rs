//! The partial extended Euclid that chooses the cofactor `t` of a form's encoding.
//!
//! The encoding depends on the cofactor, so this follows chiavdf's Lehmer steps exactly. They compare a truncated
//! bound, so they may go one quotient further than a plain Euclid.

use crate::sizes::HALF_LIMBS;
use crate::uint::Uint;
use crate::uint::int::Int;

/// Remainders start below 2^512 and cofactors stay below them; a Lehmer step multiplies by 63-bit words before the
/// terms cancel.
const LIMBS: usize = HALF_LIMBS + 2;

/// `t` with `|t|` about `sqrt(a)` and `t b mod a` small, for `0 < b <= a`.
pub(super) fn cofactor(a: &Uint<HALF_LIMBS>, b: &Uint<HALF_LIMBS>) -> Int<LIMBS> {
    let limit: Uint<LIMBS> = a.isqrt().resize();
    let (mut r2, mut r1) = (Int::from_uint(false, a), Int::from_uint(false, b));
    let (mut co2, mut co1) = (Int::ZERO, Int::ONE.neg());
    while !r1.is_zero() && r1.magnitude > limit {
        let longest = r2.magnitude.bit_length().max(r1.magnitude.bit_length());
        let shift = longest.saturating_sub(63);
        let top = |value: &Uint<LIMBS>| value.shr(shift).0[0] as i64;
        match lehmer_steps(top(&r2.magnitude), top(&r1.magnitude), top(&limit)) {
            None => {
                let (quotient, remainder) = r2.magnitude.div_rem(&r1.magnitude);
                (r2, r1) = (r1, Int::new(false, remainder));
                (co2, co1) = (co1, co2.sub(&Int::new(false, quotient).mul(&co1)));
            }
            Some(m) => {
                (r2, r1) = (combine(m.b2, &r2, m.a2, &r1), combine(m.a1, &r1, m.b1, &r2));
                (co2, co1) = (combine(m.b2, &co2, m.a2, &co1), combine(m.a1, &co1, m.b1, &co2));
                if r1.negative {
                    (r1, co1) = (r1.neg(), co1.neg());
                }
                if r2.negative {
                    (r2, co2) = (r2.neg(), co2.neg());
                }
            }
        }
    }
    co1.neg()
}

/// What a run of Lehmer steps does: `r2 <- b2 r2 + a2 r1`, `r1 <- a1 r1 + b1 r2`.
struct Matrix {
    a1: i64,
    a2: i64,
    b1: i64,
    b2: i64,
}

/// Euclid's steps on the leading 63 bits, as long as the quotients are certain (Collins' condition, as in Flint);
/// `None` if not even the first is.
///
/// Entries stay below the first remainder, so below 2^63.
fn lehmer_steps(mut x2: i64, mut x1: i64, limit: i64) -> Option<Matrix> {
    let mut m = Matrix { a1: 1, a2: 0, b1: 0, b2: 1 };
    let mut steps = 0;
    while x1 != 0 && x1 > limit {
        let quotient = x2 / x1;
        let t1 = x2 - quotient * x1;
        let t2 = m.a2 - quotient * m.a1;
        let t3 = m.b2 - quotient * m.b1;
        let uncertain = if steps % 2 == 1 { t1 < -t3 || x1 - t1 < t2 - m.a1 } else { t1 < -t2 || x1 - t1 < t3 - m.b1 };
        if uncertain {
            break;
        }
        (x2, x1) = (x1, t1);
        (m.a2, m.a1) = (m.a1, t2);
        (m.b2, m.b1) = (m.b1, t3);
        steps += 1;
    }
    (steps > 0).then_some(m)
}

/// `f x + g y`.
fn combine(f: i64, x: &Int<LIMBS>, g: i64, y: &Int<LIMBS>) -> Int<LIMBS> {
    let scale = |factor: i64, value: &Int<LIMBS>| {
        let (product, carry) = value.magnitude.mul_word(factor.unsigned_abs());
        debug_assert!(carry == 0, "LIMBS leaves two limbs of room");
        Int::new(value.negative != (factor < 0), product)
    };
    scale(f, x).add(&scale(g, y))
}
