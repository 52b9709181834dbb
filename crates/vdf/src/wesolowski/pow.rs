//! Simultaneous powers, by signed windows: inverses cost nothing in a class group.

use crate::discriminant::Discriminant;
use crate::form::Form;
use crate::hash_prime::B_LIMBS;
use crate::uint::Uint;
use crate::uint::montgomery::Montgomery;

/// Width of a window. 5 gives the fewest compositions for exponents of 264 bits: 7 for the table and 44 in the loop.
const WINDOW: usize = 5;

/// Positions for digits; an exponent's recoding can carry one bit beyond it.
const DIGITS: usize = 64 * B_LIMBS;

/// `f^m g^n`, for exponents of at most 264 bits.
///
/// 264 squarings, and 52 compositions for each of f and g that is not of norm 2.
pub(super) fn double_pow(
    f: &Form,
    m: &Uint<B_LIMBS>,
    g: &Form,
    n: &Uint<B_LIMBS>,
    discriminant: &Discriminant,
) -> Form {
    let terms = [Term::new(f, m, discriminant), Term::new(g, n, discriminant)];
    let mut power: Option<Form> = None;
    for position in (0..DIGITS).rev() {
        power = power.map(|power| power.square(discriminant));
        for term in &terms {
            term.multiply(&mut power, position, discriminant);
        }
    }
    power.unwrap_or_else(|| Form::identity(discriminant))
}

/// A power that is a factor of the product.
struct Term {
    digits: [i8; DIGITS],
    /// `f, f^3, f^5, ...`, as many as the digits need.
    odd_powers: Vec<Form>,
    /// A form of norm 2 is multiplied with at next to no cost, its powers are not: digits are -1, 0 and 1.
    norm_two: Option<bool>,
}

impl Term {
    fn new(form: &Form, exponent: &Uint<B_LIMBS>, discriminant: &Discriminant) -> Self {
        let norm_two = form.norm_two();
        let width = if norm_two.is_some() { 2 } else { WINDOW };
        Self { digits: digits(exponent, width), odd_powers: odd_powers(form, 1 << (width - 2), discriminant), norm_two }
    }

    /// Multiplies `power` by the base to the digit at a position; `None` is 1.
    fn multiply(&self, power: &mut Option<Form>, position: usize, discriminant: &Discriminant) {
        let digit = self.digits[position];
        if digit == 0 {
            return;
        }
        let factor = &self.odd_powers[usize::from(digit.unsigned_abs() / 2)];
        let factor = if digit < 0 { factor.inverse() } else { *factor };
        *power = Some(match (*power, self.norm_two) {
            (None, _) => factor,
            (Some(power), Some(positive)) => power.times_norm_two(positive == (digit > 0)),
            (Some(power), None) => power.compose(&factor, discriminant),
        });
    }
}

/// The first of `f, f^3, f^5, ...`.
fn odd_powers(f: &Form, count: usize, discriminant: &Discriminant) -> Vec<Form> {
    let mut powers = vec![*f];
    if count == 1 {
        return powers;
    }
    let square = f.square(discriminant);
    while powers.len() < count {
        powers.push(powers[powers.len() - 1].compose(&square, discriminant));
    }
    powers
}

/// Digits d with `sum of d_i 2^i = exponent`, each zero or odd and below `2^(width - 1)`, no two others within a window
/// (wNAF).
fn digits(exponent: &Uint<B_LIMBS>, width: usize) -> [i8; DIGITS] {
    debug_assert!((2..8).contains(&width) && exponent.bit_length() + width <= DIGITS);
    let mut digits = [0; DIGITS];
    let (mut position, mut carry) = (0, 0);
    while position < DIGITS {
        if u8::from(exponent.bit(position)) == carry {
            // the bit and the carry make 0, or 0 and a carry
            position += 1;
            continue;
        }
        let window = (0..width).fold(0, |window, i| window | i8::from(exponent.bit(position + i)) << i) + carry as i8;
        carry = u8::from(window >= 1 << (width - 1));
        // below 2^width - 2^width, so in range whatever the width
        digits[position] = if carry == 1 { window.wrapping_sub(1 << width) } else { window };
        position += width;
    }
    debug_assert!(carry == 0);
    digits
}

// Powers of two modulo the Fiat-Shamir prime.

/// `2^exponent mod b`, for odd `b`.
pub(crate) fn power_of_two_mod(exponent: u64, b: &Uint<B_LIMBS>) -> Uint<B_LIMBS> {
    let field = Montgomery::new(b);
    let power = field.pow_of_two(&Uint::from_word(exponent));
    field.leave(&power)
}

#[cfg(test)]
mod tests {
    use super::{WINDOW, digits, double_pow};
    use crate::uint::Uint;
    use crate::{Discriminant, Form};

    fn exponents() -> Vec<Uint<5>> {
        let ones = |bits: usize| Uint::ONE.shl(bits).sub(&Uint::ONE);
        let mut exponents = vec![Uint::ZERO, Uint::ONE, ones(264), Uint::ONE.shl(263), ones(64), ones(65)];
        let mut state = 5_u64;
        for length in (1..=264).step_by(7) {
            let mut random = Uint::ZERO;
            for limb in &mut random.0 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *limb = state ^ state >> 29;
            }
            exponents.push(random.shr(320 - length));
        }
        exponents
    }

    #[test]
    fn signed_windows_add_up_to_the_exponent() {
        for (exponent, width) in exponents().into_iter().flat_map(|exponent| [(exponent, 2), (exponent, WINDOW)]) {
            let (mut positive, mut negative) = (Uint::<5>::ZERO, Uint::ZERO);
            for (position, &digit) in digits(&exponent, width).iter().enumerate() {
                assert!(digit == 0 || digit & 1 == 1 && digit.unsigned_abs() < 1 << (width - 1));
                let value = Uint::from_word(u64::from(digit.unsigned_abs())).shl(position);
                let side = if digit < 0 { &mut negative } else { &mut positive };
                *side = side.add(&value);
            }
            assert_eq!(positive.sub(&negative), exponent);
        }
    }

    #[test]
    fn a_double_power_is_the_product_of_two_powers() {
        let d = Discriminant::from_seed(b"double powers", 256).unwrap();
        let x = Form::generator(&d);
        let (f, g) = (x.pow(&[0x3b; 40], &d), x.pow(&[0x7f; 40], &d));
        let exponents = exponents();
        for (m, n) in exponents.iter().zip(exponents.iter().rev()) {
            let power = |form: &Form, exponent: &Uint<5>| {
                let mut bytes = [0; 40];
                exponent.write_be(&mut bytes);
                form.pow(&bytes, &d)
            };
            for (f, g) in [(f, g), (f, x), (x.inverse(), g), (x, x), (f, Form::identity(&d))] {
                assert_eq!(double_pow(&f, m, &g, n, &d), power(&f, m).compose(&power(&g, n), &d));
            }
        }
    }
}
