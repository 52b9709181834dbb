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
    let (p_m, q_m) = (field.small(p), field.small(q));
    // V_k, V_(k+1) and Q^k for the leading bits k of n + 1, from k = 0
    let (mut v, mut v_next, mut q_k) = (field.small(2), p_m, *field.one());
    for bit in exponent_bits(n) {
        // V_(2k+1) = V_k V_(k+1) - P Q^k
        let middle = field.sub(&field.mul(&v, &v_next), &field.mul(&p_m, &q_k));
        if bit {
            // V_(2k+2) = V_(k+1)^2 - 2 Q^(k+1)
            let q_next = field.mul(&q_k, &q_m);
            v_next = field.sub(&field.square(&v_next), &field.add(&q_next, &q_next));
            v = middle;
            q_k = field.mul(&q_k, &q_next);
        } else {
            v = field.sub(&field.square(&v), &field.add(&q_k, &q_k));
            v_next = middle;
            q_k = field.square(&q_k);
        }
    }
    v == field.add(&q_m, &q_m)
}

/// `(P, Q)` for the first `D` of 5, -7, 9, -11, ... with `(D / n) = -1`.
fn parameters<const N: usize>(n: &Uint<N>) -> Option<(i64, i64)> {
    (5..MAX_D)
        .step_by(2)
        .map(|d| if d % 4 == 1 { d } else { -d })
        .find(|&d| jacobi(d, n) == -1)
        .map(|d| if d == 5 { (5, 5) } else { (1, (1 - d) / 4) })
}

/// The bits of `n + 1`, highest first. n is odd, so adding one only carries through its trailing ones.
fn exponent_bits<const N: usize>(n: &Uint<N>) -> impl Iterator<Item = bool> {
    let (sum, carry) = n.carrying_add(&Uint::ONE);
    core::iter::once(carry).chain((0..64 * N).rev().map(move |bit| sum.bit(bit)))
}
