//! The textbook's operations on num-bigint, and forms to try them on.

use super::super::context::Instructions;
use super::super::{FastForm, LatticeContext};
use crate::backend::Backend;
use crate::discriminant::Discriminant;
use crate::sizes::D_LIMBS;
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// A form of any size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BigForm {
    pub(super) a: BigInt,
    pub(super) b: BigInt,
    pub(super) c: BigInt,
}

impl BigForm {
    pub(super) fn discriminant(&self) -> BigInt {
        &self.b * &self.b - ((&self.a * &self.c) << 2)
    }

    /// The reduced form (2, 1, (1 - D) / 8).
    pub(super) fn generator(discriminant: &BigInt) -> Self {
        Self { a: BigInt::from(2), b: BigInt::one(), c: (BigInt::one() - discriminant) >> 3 }
    }

    /// The form with this a and b.
    pub(super) fn with_ab(a: BigInt, b: BigInt, discriminant: &BigInt) -> Self {
        let (c, remainder) = (&b * &b - discriminant).div_rem(&(&a << 2));
        assert!(remainder.is_zero());
        Self { a, b, c }
    }

    pub(super) fn reduce(mut self) -> Self {
        let discriminant = self.discriminant();
        loop {
            // b in (-a, a]
            let b = self.b.mod_floor(&(&self.a << 1));
            self.b = if b > self.a { b - (&self.a << 1) } else { b };
            self.c = (&self.b * &self.b - &discriminant) / (&self.a << 2);
            if self.a < self.c || (self.a == self.c && !self.b.is_negative()) {
                return self;
            }
            (self.a, self.b, self.c) = (self.c, -self.b, self.a);
        }
    }

    /// Cohen, A Course in Computational Algebraic Number Theory, algorithm 5.4.7.
    pub(super) fn compose(&self, other: &Self) -> Self {
        let half_sum: BigInt = (&self.b + &other.b) >> 1;
        let first = self.a.extended_gcd(&other.a);
        let second = half_sum.extended_gcd(&first.gcd);
        let divisor = second.gcd.abs();
        let sign = if second.gcd.is_negative() { -BigInt::one() } else { BigInt::one() };
        let (x, y) = (second.x * &sign, second.y * &sign);
        let (v1, v2) = (&self.a / &divisor, &other.a / &divisor);
        let half_difference: BigInt = (&self.b - &other.b) >> 1;
        let r: BigInt = y * first.y * half_difference - x * &other.c;
        let b = &other.b + ((&v2 * r.mod_floor(&v1)) << 1);
        Self::with_ab(v1 * v2, b, &self.discriminant()).reduce()
    }

    pub(super) fn inverse(&self) -> Self {
        Self { a: self.a.clone(), b: -&self.b, c: self.c.clone() }.reduce()
    }

    pub(super) fn square(&self) -> Self {
        self.compose(self)
    }

    pub(super) fn to_fast(&self) -> Option<FastForm> {
        Some(FastForm { a: limbs(&self.a)?, b: limbs(&self.b)?, b_negative: self.b.is_negative(), c: limbs(&self.c)? })
    }

    pub(super) fn contexts(&self) -> Contexts {
        Contexts::new(&self.discriminant()).expect("a supported discriminant")
    }
}

impl From<&FastForm> for BigForm {
    fn from(form: &FastForm) -> Self {
        let b = to_big(&form.b);
        Self { a: to_big(&form.a), b: if form.b_negative { -b } else { b }, c: to_big(&form.c) }
    }
}

/// The kernel of one discriminant, for every backend this processor has and each kind of steps.
pub(super) struct Contexts(pub(super) Vec<LatticeContext>);

impl Contexts {
    pub(super) fn new(discriminant: &BigInt) -> Option<Self> {
        let magnitude = limbs::<D_LIMBS>(discriminant)?;
        let all = Backend::available().into_iter().flat_map(Instructions::of);
        all.map(|instructions| LatticeContext::new(&magnitude, instructions)).collect::<Option<_>>().map(Self)
    }

    /// The square, on which all backends must agree.
    pub(super) fn square(&self, form: &FastForm) -> Option<FastForm> {
        Self::agreed(self.0.iter().map(|context| context.square(form)))
    }

    /// The product, on which all backends must agree.
    pub(super) fn compose(&self, x: &FastForm, y: &FastForm) -> Option<FastForm> {
        Self::agreed(self.0.iter().map(|context| context.compose(x, y)))
    }

    fn agreed(mut results: impl Iterator<Item = Option<FastForm>>) -> Option<FastForm> {
        let first = results.next().expect("the portable one");
        results.for_each(|other| assert_eq!(first, other));
        first
    }
}

/// The magnitude's limbs.
pub(super) fn limbs<const N: usize>(value: &BigInt) -> Option<[u64; N]> {
    let digits = value.magnitude().to_u64_digits();
    let mut limbs = [0; N];
    limbs.get_mut(..digits.len())?.copy_from_slice(&digits);
    Some(limbs)
}

pub(super) fn to_big(limbs: &[u64]) -> BigInt {
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    BigInt::from_biguint(Sign::Plus, BigUint::from_bytes_le(&bytes))
}

/// `SplitMix64`: random enough, and the same on every run.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.word() % bound
    }

    /// A number of exactly `bits` bits: random, or with long runs of ones and zeros, which random numbers never have.
    pub(super) fn number(&mut self, bits: u64) -> BigInt {
        let mut number = BigInt::one();
        if self.below(2) == 0 {
            while number.bits() < bits {
                number = (number << 1) + self.below(2);
            }
        } else {
            while number.bits() < bits {
                let run = (1 + self.below(100)).min(bits - number.bits());
                let ones = (BigInt::one() << run) - 1;
                number = (number << run) + if self.below(2) == 0 { ones } else { BigInt::zero() };
            }
        }
        number
    }

    /// A form of a prime discriminant of `bits` bits: a random walk from the generator.
    pub(super) fn walk(&mut self, bits: usize) -> BigForm {
        let generator = BigForm::generator(&self.discriminant(bits));
        (0..16).fold(generator.clone(), |form, _| {
            let square = form.square();
            if self.below(2) == 0 { square } else { square.compose(&generator) }
        })
    }

    /// The negative of a prime that is 7 modulo 8.
    pub(super) fn discriminant(&mut self, bits: usize) -> BigInt {
        let seed = self.word().to_le_bytes();
        -to_big(&Discriminant::from_seed(&seed, bits).expect("a multiple of 8").magnitude.0)
    }

    /// A reduced form, a of `a_bits` bits, of some discriminant of 1024 bits that is 1 modulo 8, prime or not.
    pub(super) fn form(&mut self, a_bits: u64) -> BigForm {
        loop {
            let a = self.number(a_bits);
            let b: BigInt = match self.below(6) {
                0 => BigInt::one(),
                1 => &a - 1 - self.below(4),
                2 => (&a >> 1) + self.below(4),
                _ => {
                    let bits = 1 + self.below(a_bits);
                    self.number(bits)
                }
            };
            let b = if b.is_even() { b + 1 } else { b };
            let b = if self.below(2) == 0 { -b } else { b };
            // 4ac = |D| + b^2: |D| anywhere in [2^1023, 2^1024).
            let size = (BigInt::one() << 1023) + (self.number(1023) >> self.below(3));
            let c: BigInt = (size + &b * &b) / (&a << 2) + self.below(2);
            let form = BigForm { a, b, c };
            let discriminant = form.discriminant();
            if form.b.abs() < form.a
                && form.a < form.c
                && form.a.is_even() | form.c.is_even()
                && discriminant.bits() == 1024
            {
                return form;
            }
        }
    }
}
