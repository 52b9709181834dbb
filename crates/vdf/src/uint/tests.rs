//! Every operation against num-bigint, on structured and random values of every length.

use super::Uint;
use crate::backend::Backend;
use crate::uint::int::{Int, extended_gcd, inverse_mod};
use crate::uint::montgomery::Montgomery;
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

const WIDTH: usize = 6;
type Number = Uint<WIDTH>;

fn big<const N: usize>(value: &Uint<N>) -> BigUint {
    value.0.iter().rev().fold(BigUint::zero(), |sum, &limb| (sum << 64) + limb)
}

fn signed<const N: usize>(value: &Int<N>) -> BigInt {
    BigInt::from_biguint(if value.negative { Sign::Minus } else { Sign::Plus }, big(&value.magnitude))
}

/// Zero, all ones, single bits, only one limb, alternating limbs, and random values, of every bit length that a limb's
/// edge is near.
fn samples() -> Vec<Number> {
    let mut samples = vec![Uint::ZERO, Uint([u64::MAX; WIDTH]), Uint([1 << 63; WIDTH])];
    samples.push(Uint(core::array::from_fn(|i| if i % 2 == 0 { u64::MAX } else { 0 })));
    samples.push(Uint(core::array::from_fn(|i| if i % 2 == 1 { u64::MAX } else { 0 })));
    let mut state = 0x1234_5678_9abc_def0_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for limb in 0..WIDTH {
        for edge in [1, 2, 32, 63, 64] {
            let bits = 64 * limb + edge;
            samples.push(Uint::ONE.shl(bits - 1));
            samples.push(Uint([u64::MAX; WIDTH]).shr(64 * WIDTH - bits));
            samples.push(Uint::ONE.shl(bits - 1).borrowing_sub(&Uint::ONE).0.borrowing_sub(&Uint::ONE).0);
            samples.push(Uint(core::array::from_fn(|_| random())).shr(64 * WIDTH - bits));
        }
        samples.push(Uint(core::array::from_fn(|i| if i == limb { u64::MAX } else { 0 })));
        samples.push(Uint(core::array::from_fn(|i| if i == limb { random() } else { 0 })));
    }
    samples
}

fn pairs() -> impl Iterator<Item = (Number, Number)> {
    let samples = samples();
    samples.clone().into_iter().flat_map(move |a| samples.clone().into_iter().map(move |b| (a, b)))
}

#[test]
fn sums_and_differences_agree() {
    let modulus = BigUint::one() << (64 * WIDTH);
    for (a, b) in pairs() {
        let (sum, carry) = a.carrying_add(&b);
        assert_eq!(big(&sum) + if carry { modulus.clone() } else { BigUint::zero() }, big(&a) + big(&b));
        let (difference, borrow) = a.borrowing_sub(&b);
        assert_eq!(borrow, a < b);
        assert_eq!((big(&difference) + big(&b)) % &modulus, big(&a));
        assert_eq!(a.cmp(&b), big(&a).cmp(&big(&b)));
    }
}

#[test]
fn products_agree() {
    for (a, b) in pairs() {
        let product: Uint<{ 2 * WIDTH }> = a.mul(&b);
        assert_eq!(big(&product), big(&a) * big(&b));
        let (low, high) = a.mul_word(b.0[0]);
        assert_eq!(big(&low) + (BigUint::from(high) << (64 * WIDTH)), big(&a) * b.0[0]);
        // a narrower result, when the value fits it
        if a.limb_count() + b.limb_count() <= WIDTH {
            assert_eq!(big(&a.mul::<WIDTH, WIDTH>(&b)), big(&a) * big(&b));
        }
    }
}

#[test]
fn quotients_and_remainders_agree() {
    for (a, b) in pairs().filter(|(_, b)| !b.is_zero()) {
        let (quotient, remainder) = a.div_rem(&b);
        assert_eq!((big(&quotient), big(&remainder)), big(&a).div_rem(&big(&b)), "{a:?} / {b:?}");
        assert_eq!(a.checked_div_exact::<WIDTH, WIDTH>(&b), remainder.is_zero().then_some(quotient), "{a:?} / {b:?}");
        // a dividend twice as wide, and one just below a multiple, where estimated digits are too large
        let product: Uint<{ 2 * WIDTH }> = a.mul(&b);
        for dividend in [product, product.add(&b.sub(&Uint::ONE).resize()), product.borrowing_sub(&Uint::ONE).0] {
            let (quotient, remainder) = dividend.div_rem(&b);
            assert_eq!((big(&quotient), big(&remainder)), big(&dividend).div_rem(&big(&b)), "{dividend:?} / {b:?}");
        }
        assert_eq!(product.checked_div_exact::<WIDTH, WIDTH>(&b), Some(a));
        assert_eq!(product.checked_div_exact::<WIDTH, 2>(&b), a.try_resize());
        if b != Uint::ONE {
            assert_eq!(product.add(&Uint::ONE).checked_div_exact::<WIDTH, WIDTH>(&b), None);
        }
        let word = b.0[0] | 1;
        assert_eq!(BigUint::from(a.rem_word(word)), big(&a) % word);
    }
}

#[test]
fn shifts_bits_and_resizing_agree() {
    for a in samples() {
        for bits in [0, 1, 31, 63, 64, 65, 127, 128, 200, 383, 384, 500] {
            assert_eq!(big(&a.shr(bits)), big(&a) >> bits);
            assert_eq!(big(&a.shl(bits)), (big(&a) << bits) % (BigUint::one() << (64 * WIDTH)));
            assert_eq!(a.bit(bits), big(&a).bit(bits as u64));
        }
        assert_eq!(a.bit_length() as u64, big(&a).bits());
        assert_eq!(a.limb_count(), a.bit_length().div_ceil(64));
        assert_eq!(a.trailing_zeros() as u64, big(&a).trailing_zeros().unwrap_or(64 * WIDTH as u64));
        assert_eq!(a.try_resize::<3>().is_some(), a.bit_length() <= 192);
        assert_eq!(a.resize::<9>().try_resize::<WIDTH>(), Some(a));
        assert_eq!(big(&a.truncate::<2>()), big(&a) % (BigUint::one() << 128));
    }
}

#[test]
fn bytes_agree() {
    for a in samples() {
        let mut bytes = [0; 8 * WIDTH];
        a.write_le(&mut bytes);
        assert_eq!(BigUint::from_bytes_le(&bytes), big(&a));
        assert_eq!(Number::from_le_bytes(&bytes), a);
        a.write_be(&mut bytes);
        assert_eq!(BigUint::from_bytes_be(&bytes), big(&a));
        assert_eq!(Number::from_be_bytes(&bytes), a);
        let length = a.bit_length().div_ceil(8);
        assert_eq!(Number::from_be_bytes(&bytes[bytes.len() - length..]), a);
    }
}

#[test]
fn square_roots_agree() {
    for a in samples() {
        assert_eq!(big(&a.isqrt()), big(&a).sqrt());
        let half = a.shr(32 * WIDTH);
        let square = half.mul::<WIDTH, WIDTH>(&half);
        assert_eq!(square.isqrt(), half);
        if !square.is_zero() {
            assert_eq!(square.sub(&Uint::ONE).isqrt(), half.sub(&Uint::ONE));
        }
    }
}

#[test]
fn gcds_cofactors_and_inverses_agree() {
    for (a, b) in pairs() {
        let (gcd, u, v) = extended_gcd(&a.resize::<{ 2 * WIDTH }>(), &b.resize());
        assert_eq!(big(&gcd), big(&a).gcd(&big(&b)));
        assert_eq!(signed(&u) * BigInt::from(big(&a)) + signed(&v) * BigInt::from(big(&b)), BigInt::from(big(&gcd)));
        if !b.is_zero() {
            let inverse = inverse_mod(&a.resize::<{ 2 * WIDTH }>(), &b.resize());
            assert_eq!(inverse.is_some(), gcd == Uint::ONE);
            if let Some(inverse) = inverse {
                assert!(big(&inverse) < big(&b));
                assert_eq!(big(&inverse) * big(&a) % big(&b), BigUint::one() % big(&b));
            }
        }
    }
}

#[test]
fn signed_arithmetic_agrees() {
    type Wide = Int<{ 2 * WIDTH + 1 }>;
    for (a, b) in pairs() {
        for signs in 0..4 {
            let (x, y) = (Wide::from_uint(signs & 1 == 1, &a), Wide::from_uint(signs & 2 == 2, &b));
            let (p, q) = (signed(&x), signed(&y));
            assert_eq!(signed(&x.add(&y)), &p + &q);
            assert_eq!(signed(&x.sub(&y)), &p - &q);
            assert_eq!(signed(&x.mul(&y)), &p * &q);
            assert_eq!(signed(&x.shl(1).half()), p);
            assert_eq!(signed(&x.neg()), -&p);
            assert!(!x.is_zero() || !x.negative);
            if !y.is_zero() {
                let (quotient, remainder) = x.div_rem_floor(&y.magnitude);
                assert_eq!((signed(&quotient), big(&remainder).into()), p.div_mod_floor(&q.abs()));
                assert_eq!(x.mul(&y).div_exact(&y.magnitude).magnitude, x.magnitude);
            }
        }
    }
}

/// Moduli of 3 limbs, where reduction is interleaved, and longer ones. Some have rows of the processor's own.
#[test]
fn montgomery_arithmetic_agrees() {
    check_montgomery::<3>();
    check_montgomery::<WIDTH>();
    check_montgomery::<8>();
    check_montgomery::<13>();
    check_montgomery::<16>();
    check_montgomery::<20>();
}

/// Samples of another width: shorter ones cut, longer ones with the same limbs again.
fn stretched<const N: usize>() -> Vec<Uint<N>> {
    samples().iter().map(|sample| Uint(core::array::from_fn(|i| sample.0[i % WIDTH]))).collect()
}

fn check_montgomery<const N: usize>() {
    let moduli = stretched::<N>().into_iter().filter(|m| m.is_odd() && *m > Uint::from_word(2)).step_by(2);
    for modulus in moduli {
        let m = big(&modulus);
        let radix = (BigUint::one() << (64 * N)) % &m;
        let edge = modulus.sub(&Uint::ONE);
        for field in Backend::available().into_iter().map(|backend| Montgomery::with_backend(&modulus, backend)) {
            assert_eq!(big(field.one()), radix);
            let samples = stretched::<N>().into_iter().map(|a| a.rem(&modulus)).step_by(3);
            for (a, b) in samples.flat_map(|a| [(a, a), (a, edge), (edge, a)]) {
                let product = field.mul(&a, &b);
                assert!(product < modulus);
                assert_eq!(big(&product) * &radix % &m, big(&a) * big(&b) % &m);
                assert_eq!(field.square(&a), field.mul(&a, &a));
                assert_eq!(big(&field.add(&a, &b)), (big(&a) + big(&b)) % &m);
                assert_eq!(big(&field.sub(&a, &b)), (big(&a) + &m - big(&b)) % &m);
            }
            for exponent in [0_u64, 1, 63, 64, 1000, u64::MAX] {
                let power = field.leave(&field.pow_of_two(&Uint::from_word(exponent)));
                assert_eq!(big(&power), BigUint::from(2_u32).modpow(&exponent.into(), &m));
            }
            for small in [-500_i64, -1, 0, 1, 2, 999] {
                let value = BigInt::from(big(&field.leave(&field.small(small))));
                assert_eq!(value, BigInt::from(small).mod_floor(&BigInt::from(m.clone())));
            }
        }
    }
}
