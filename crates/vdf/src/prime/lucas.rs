//! The Lucas-V probable-prime test: `V_(n+1) = 2 Q mod n`, with Selfridge's parameters, method A*.

use super::jacobi::jacobi;
use crate::montgomery::Montgomery;
use crate::uint::Uint;

/// A number for which no `D` below this has `(D / n) = -1` counts as composite: only squares get there. chiavdf's bound.
const MAX_D: i64 = 1000;

pub(super) fn is_probable_prime<const N: usize>(n: &Uint<N>, field: &Montgomery<N>) -> bool {
    let Some((p, q)) = parameters(n) else {
        return false;
    };
    debug_assert!(p == 1 || p == q, "P Q^k is Q^k or Q^(k+1)");
    // V_k, V_(k+1) and Q^k for the leading bits k of n + 1, from k = 0
    let (mut v, mut v_next, mut q_k) = (field.small(2), field.small(p), *field.one());
    for bit in exponent_bits(n) {
        let q_next = if bit || p == q { field.multiple(&q_k, q) } else { q_k };
        let p_q = if p == q { q_next } else { q_k };
        // V_(2k+1) = V_k V_(k+1) - P Q^k
        let middle = field.sub(&field.mul(&v, &v_next), &p_q);
        if bit {
            // V_(2k+2) = V_(k+1)^2 - 2 Q^(k+1)
            v_next = field.sub(&field.square(&v_next), &field.add(&q_next, &q_next));
            v = middle;
            q_k = field.mul(&q_k, &q_next);
        } else {
            v = field.sub(&field.square(&v), &field.add(&q_k, &q_k));
            v_next = middle;
            q_k = field.square(&q_k);
        }
    }
    v == field.small(2 * q)
}

/// `(P, Q)` for the first `D` of 5, -7, 9, -11, ... with `(D / n) = -1`.
fn parameters<const N: usize>(n: &Uint<N>) -> Option<(i64, i64)> {
    (5..MAX_D)
        .step_by(2)
        .map(|d| if d % 4 == 1 { d } else { -d })
        .find(|&d| jacobi(d, n) == -1)
        .map(|d| if d == 5 { (5, 5) } else { (1, (1 - d) / 4) })
}

/// The bits of `n + 1` from the highest that is set. n is odd, so adding one only carries through its trailing ones.
fn exponent_bits<const N: usize>(n: &Uint<N>) -> impl Iterator<Item = bool> {
    let (sum, carry) = n.carrying_add(&Uint::ONE);
    core::iter::once(carry).chain((0..64 * N).rev().map(move |bit| sum.bit(bit))).skip_while(|bit| !bit)
}
