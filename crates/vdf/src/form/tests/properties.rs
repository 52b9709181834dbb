//! Squares and products of forms with structure, at every size and by every backend, against the textbook.

use crate::form::{Form, nucomp};
use crate::sizes::{D_LIMBS, HALF_LIMBS};
use crate::uint::Uint;
use crate::uint::int::extended_gcd;
use crate::{Backend, Discriminant, reference};

/// From 64 bits on, at the edges of limbs and of what the fast kernel takes.
const SIZES: [usize; 18] = [64, 72, 120, 128, 136, 256, 320, 384, 504, 512, 640, 768, 896, 920, 928, 968, 1016, 1024];

const ROUNDS: usize = 24;

/// Primes of which prime forms are made.
const SMALL_PRIMES: [u64; 14] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43];

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }

    /// A number of exactly `bits` bits, at least 1: random, or with long runs of ones and zeros.
    fn number<const N: usize>(&mut self, bits: usize) -> Uint<N> {
        let mut number = Uint::ZERO;
        for limb in &mut number.0 {
            *limb = self.word();
        }
        if self.below(2) == 0 {
            let (mut bit, mut ones) = (0, true);
            number = Uint::ZERO;
            while bit < bits {
                let run = (1 + self.below(100)).min(bits - bit);
                if ones {
                    number = number.add(&Uint::ONE.shl(run).sub(&Uint::ONE).shl(bit));
                }
                (bit, ones) = (bit + run, !ones);
            }
        }
        let top = Uint::<N>::ONE.shl(bits - 1);
        // cut to the bits below the top one
        let excess = 64 * N - (bits - 1);
        let low = if bits == 1 { Uint::ZERO } else { number.shl(excess).shr(excess) };
        low.add(&top)
    }
}

/// Returns by how many of the backends' fast kernels the form is squared; the others decline.
fn assert_squares(form: &Form, discriminant: &Discriminant) -> usize {
    let expected = reference::square(form);
    assert_eq!(nucomp::square(form, discriminant.bits()), expected, "{form:?}");
    let squares = Backend::available().into_iter().filter_map(|backend| {
        let (square, left) = form.square_fast(1, &discriminant.clone().with_backend(backend));
        assert_eq!(square, if left == 0 { expected } else { *form }, "{form:?} by {}", backend.name());
        (left == 0).then_some(square)
    });
    squares.count()
}

fn assert_products(first: &Form, second: &Form, discriminant: &Discriminant) {
    let expected = reference::compose(first, second);
    for (first, second) in [(first, second), (second, first)] {
        assert_eq!(nucomp::compose(first, second, discriminant.bits()), expected, "{first:?} and {second:?}");
        for backend in Backend::available() {
            let product = first.compose_fast(second, &discriminant.clone().with_backend(backend));
            assert!(
                product.is_none_or(|product| product == expected),
                "{first:?} and {second:?} by {}",
                backend.name()
            );
        }
    }
}

/// Prime forms, whose a is a small prime.
fn prime_forms(discriminant: &Discriminant) -> Vec<Form> {
    let form = |prime: u64| {
        let b = (1..=prime).step_by(2);
        b.into_iter().find_map(|b| Form::from_ab(&Uint::from_word(prime), &Uint::from_word(b), false, discriminant))
    };
    SMALL_PRIMES.into_iter().filter_map(form).collect()
}

/// a is a product of small primes for as long as it is below the square root of |D|; then any number.
#[test]
fn products_of_prime_forms_are_the_textbooks() {
    for bits in SIZES {
        let discriminant = Discriminant::from_seed(b"prime forms", bits).unwrap();
        let primes = prime_forms(&discriminant);
        assert!(primes.len() > 2, "{bits}");
        let mut random = Random(bits as u64);
        let mut product = primes[0];
        for _ in 0..8 * ROUNDS {
            let prime = primes[random.below(primes.len())];
            let prime = if random.below(2) == 0 { prime } else { prime.inverse() };
            assert_products(&product, &prime, &discriminant);
            assert_squares(&product, &discriminant);
            product = if random.below(4) == 0 {
                product.square(&discriminant)
            } else {
                product.compose(&prime, &discriminant)
            };
        }
    }
}

/// Forms far along the chain of squares, with their neighbours, inverses and powers, which have their prime factors in
/// common.
#[test]
fn powers_of_the_generator_are_the_textbooks() {
    for bits in SIZES {
        let discriminant = Discriminant::from_seed(b"powers", bits).unwrap();
        let generator = Form::generator(&discriminant);
        let mut random = Random(bits as u64);
        let mut fast = 0;
        for _ in 0..ROUNDS {
            let mut exponent = [0; 32];
            for byte in &mut exponent[random.below(28)..] {
                *byte = random.word() as u8;
            }
            let power = generator.pow(&exponent, &discriminant);
            fast += assert_squares(&power, &discriminant);
            let square = reference::square(&power);
            for other in
                [power, power.inverse(), square, square.inverse(), reference::compose(&square, &power), generator]
            {
                assert_products(&power, &other, &discriminant);
            }
        }
        // of 32 bits and more, an exponent leads to a form of the usual size
        let all = if bits < 928 { 0 } else { ROUNDS * Backend::available().len() };
        assert!(fast <= all && 2 * fast >= all, "{fast} of {all} with {bits} bits");
    }
}

/// How b of a chosen form lies to a, and a to c.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// b = +-1
    Flat,
    /// |b| just below a
    Edge,
    /// |b| near a / 2
    Half,
    /// any b
    Any,
    /// c = a, so b > 0
    Square,
    /// c just above a
    NearlySquare,
}

const SHAPES: [Shape; 6] = [Shape::Flat, Shape::Edge, Shape::Half, Shape::Any, Shape::Square, Shape::NearlySquare];

/// A reduced form with gcd(a, b) = 1 of the discriminant it leads to, prime or not, of about `bits` bits; `None` if the
/// choices do not fit.
fn chosen(random: &mut Random, bits: usize, shape: Shape) -> Option<(Form, Discriminant)> {
    // |D| = 4ac - b^2 is from 3a^2 to 4ac
    let round = matches!(shape, Shape::Square | Shape::NearlySquare);
    let shorter = if round { 1 } else { [0, 1, 2, 20, bits / 8, bits / 2 - 2][random.below(6)] };
    let a: Uint<HALF_LIMBS> = random.number(bits / 2 - shorter.min(bits / 2 - 2));
    let near = Uint::from_word(random.below(8) as u64);
    let b = match shape {
        Shape::Flat => Uint::ONE,
        Shape::Edge => a.borrowing_sub(&near).0,
        Shape::Half => a.shr(1).add(&near),
        Shape::Any | Shape::Square | Shape::NearlySquare => {
            let length = 1 + random.below(a.bit_length());
            random.number(length)
        }
    };
    let b = if b.is_odd() { b } else { b.add(&Uint::ONE) };
    let c: Uint<D_LIMBS> = match shape {
        Shape::Square => a.resize(),
        Shape::NearlySquare => a.resize().add(&near.resize()),
        _ => {
            let size: Uint<D_LIMBS> = random.number(bits - 2);
            size.div_rem(&a).0.add(&near.resize())
        }
    };
    let b_negative = random.below(2) == 0 && a.resize() != c;
    // 4ac - b^2 in at most D_LIMBS + 2 limbs
    let product: Uint<{ D_LIMBS + 2 }> = a.mul::<D_LIMBS, { D_LIMBS + 2 }>(&c).shl(2);
    let (magnitude, negative) = product.borrowing_sub(&b.mul(&b));
    let magnitude = magnitude.try_resize::<D_LIMBS>()?;
    let fits = !negative
        && magnitude.bit_length().next_multiple_of(8) == bits
        && magnitude.0[0] & 7 == 7
        && extended_gcd(&a, &b).0 == Uint::ONE;
    let discriminant = Discriminant::new(magnitude, bits, Backend::in_use().unwrap());
    let form = fits.then(|| Form::from_ab(&a, &b, b_negative, &discriminant))??;
    assert_eq!(form.c, c);
    Some((form, discriminant))
}

#[test]
fn forms_of_every_shape_are_squared_and_composed_as_by_the_textbook() {
    let mut random = Random(99);
    for bits in SIZES {
        for shape in SHAPES {
            let mut found = 0;
            for _ in 0..64 * ROUNDS {
                let Some((form, discriminant)) = chosen(&mut random, bits, shape) else { continue };
                assert_squares(&form, &discriminant);
                assert_products(&form, &form.inverse(), &discriminant);
                assert_products(&form, &reference::square(&form), &discriminant);
                found += 1;
                if found == ROUNDS {
                    break;
                }
            }
            assert_eq!(found, ROUNDS, "{shape:?} at {bits}");
        }
    }
}
