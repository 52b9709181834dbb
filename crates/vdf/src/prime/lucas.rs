//! The Lucas-V probable-prime test: `V_(n+1) = 2 Q mod n`, with Selfridge's parameters, method A*.

#[cfg(target_arch = "x86_64")]
use super::{ifma, strong_tests};
use crate::backend::Backend;
use crate::uint::Uint;
use crate::uint::montgomery::Montgomery;

/// A number for which no `D` below this has `(D / n) = -1` counts as composite: only squares get there. chiavdf's
/// bound.
const MAX_D: i64 = 1000;

/// Whether an odd number passes.
pub(super) fn is_probable_prime<const N: usize>(n: &Uint<N>, backend: Backend) -> bool {
    let Some((p, q)) = parameters(n) else {
        return false;
    };
    let field = Montgomery::with_backend(n, backend);
    #[cfg(target_arch = "x86_64")]
    if let Some(has) = backend.ifma()
        && N == 16
        && q.unsigned_abs() <= ifma::MAX_Q
    {
        let one = strong_tests::power_of_two(ifma::RADIX_BITS, n);
        let small = [1, 2, p].map(|small| field.multiple(&one, small));
        return ifma::lucas_v(has, n, (p.unsigned_abs(), q), small, exponent_bits(n)) == field.multiple(&one, 2 * q);
    }
    v_is_twice_q(n, &field, (p, q))
}

fn v_is_twice_q<const N: usize>(n: &Uint<N>, field: &Montgomery<N>, (p, q): (i64, i64)) -> bool {
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

// The Jacobi symbol.

/// `(d / n)` for odd positive `n` and small odd `d`.
pub(super) fn jacobi<const N: usize>(d: i64, n: &Uint<N>) -> i8 {
    let magnitude = d.unsigned_abs();
    debug_assert!(magnitude & 1 == 1 && n.is_odd());
    let mut sign = 1;
    // (-1 / n) = -1 when n = 3 mod 4
    if d < 0 && n.0[0] & 3 == 3 {
        sign = -sign;
    }
    // reciprocity: (m / n) = (n / m), negated when both are 3 mod 4
    if magnitude & 3 == 3 && n.0[0] & 3 == 3 {
        sign = -sign;
    }
    let (mut top, mut bottom) = (n.rem_word(magnitude), magnitude);
    while top != 0 {
        let twos = top.trailing_zeros();
        top >>= twos;
        // (2 / m) = -1 when m = 3 or 5 mod 8
        if twos & 1 == 1 && matches!(bottom & 7, 3 | 5) {
            sign = -sign;
        }
        if top & 3 == 3 && bottom & 3 == 3 {
            sign = -sign;
        }
        (top, bottom) = (bottom % top, top);
    }
    if bottom == 1 { sign } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{exponent_bits, is_probable_prime, parameters};
    use crate::backend::Backend;
    use crate::prime::tests::{big, moduli};
    use crate::uint::Uint;
    use num_bigint::{BigInt, BigUint};
    use num_integer::Integer;

    /// `V_(n+1)` modulo n by its definition, `V_(k+1) = P V_k - Q V_(k-1)`, with matrices squared and multiplied.
    fn v(n: &BigUint, p: i64, q: i64) -> BigInt {
        let n = BigInt::from(n.clone());
        let multiply = |a: &[BigInt; 4], b: &[BigInt; 4]| -> [BigInt; 4] {
            core::array::from_fn(|i| (&a[i & 2] * &b[i & 1] + &a[i | 1] * &b[2 | (i & 1)]).mod_floor(&n))
        };
        let step = [p, -q, 1, 0].map(BigInt::from);
        let mut power = [1, 0, 0, 1].map(BigInt::from);
        let exponent = BigInt::from(1) + &n;
        for bit in (0..exponent.bits()).rev() {
            power = multiply(&power, &power);
            if exponent.bit(bit) {
                power = multiply(&power, &step);
            }
        }
        // (V_(k+1), V_k) is this power times (V_1, V_0) = (P, 2)
        let v: BigInt = &power[2] * p + &power[3] * 2;
        v.mod_floor(&n)
    }

    #[test]
    fn every_backend_agrees_with_the_definition() {
        let (mut signs, mut passed) = ([0; 2], 0);
        for bits in [40, 64, 89, 521, 607, 1024] {
            let mut numbers = moduli::<16>(bits);
            // all ones are primes for three of the sizes, 2^1024 - 105 is another
            numbers.push(
                Uint::<16>::ONE.shl(bits - 1).sub(&Uint::from_word(105)).carrying_add(&Uint::ONE.shl(bits - 1)).0,
            );
            for n in numbers {
                let Some((p, q)) = parameters(&n) else { continue };
                signs[usize::from(q < 0)] += 1;
                let expected = v(&big(&n), p, q) == BigInt::from(2 * q).mod_floor(&BigInt::from(big(&n)));
                passed += u32::from(expected);
                for backend in Backend::available() {
                    assert_eq!(is_probable_prime(&n, backend), expected, "{backend:?}, {n:x?}");
                }
            }
        }
        assert!(signs[0] > 10 && signs[1] > 10 && passed >= 4);
    }

    #[test]
    fn bits_begin_with_the_highest() {
        let bits = |n: u64| exponent_bits(&Uint([n])).map(u8::from).collect::<Vec<_>>();
        assert_eq!(bits(5), [1, 1, 0]);
        assert_eq!(bits(u64::MAX), [vec![1], vec![0; 64]].concat());
    }
}
