//! Products with the two classes of norm 2, the usual generator and its inverse: additions and halvings instead of a
//! composition.

use super::Form;
use crate::sizes::D_LIMBS;
use crate::uint::Uint;

type Wide = Uint<D_LIMBS>;

impl Form {
    /// Whether `b` is positive in (2, b, ..); `None` for any other form.
    pub(crate) fn norm_two(&self) -> Option<bool> {
        // |b| <= 2 and odd, so |b| = 1
        (self.a == Uint::from_word(2)).then_some(!self.b_negative)
    }

    /// The product with (2, 1, ..) if `positive`, else with (2, -1, ..).
    ///
    /// Forms with the same b multiply by their first coefficients: `(a, b, c) (2, b, ..) = (2a, b, c / 2)` for an even
    /// c, and (2, b, ..) depends on b modulo 4 alone. `b^2 - 4ac = 1 mod 8` makes ac even and b odd, so of a, c and a
    /// +- b + c exactly one is odd, and one of the equivalent forms (a, b, c), (c, -b, a), (a, b -+ 2a, a -+ b + c) has
    /// an even last coefficient and the wanted b.
    pub(crate) fn times_norm_two(&self, positive: bool) -> Self {
        let (a, b, c): (Wide, Wide, _) = (self.a.resize(), self.b.resize(), self.c);
        // b = 1 mod 4, or (2, b, ..) = (2, 1, ..)
        let is_wanted = ((b.0[0] & 2 == 0) != self.b_negative) == positive;
        // 2a < 2 sqrt(|D| / 3), and for an even a >= 2 it is 2c <= 2 (a^2 + |D|) / 4a < |D|
        if is_wanted && !c.is_odd() {
            reduce_nearly(a.shl(1), b, self.b_negative, c.shr(1))
        } else if !is_wanted && !a.is_odd() {
            reduce_nearly(a.shr(1), b, self.b_negative, c.shl(1))
        } else {
            // f(1, -+1) = a - |b| + c, and 2a - |b| >= a
            let last = c.sub(&b).add(&a);
            debug_assert!(!last.is_odd());
            reduce_nearly(a.shl(1), a.shl(1).sub(&b), !self.b_negative, last.shr(1))
        }
    }
}

/// Reduces a form with `|b| <= 2a` and `|b| <= 2c`: two or three steps of a few additions.
fn reduce_nearly(mut a: Wide, mut b: Wide, mut b_negative: bool, mut c: Wide) -> Form {
    debug_assert!(b <= a.shl(1) && b <= c.shl(1));
    loop {
        while b > a {
            // f(1, -+1) > 0, and |b| - 2a or 2a - |b| for b
            c = c.add(&a).sub(&b);
            let twice = a.shl(1);
            let (difference, borrow) = b.borrowing_sub(&twice);
            if borrow {
                (b, b_negative) = (twice.sub(&b), !b_negative);
            } else {
                b = difference;
            }
        }
        if a <= c {
            break;
        }
        (a, c, b_negative) = (c, a, !b_negative);
    }
    let is_own_inverse = b == a || a == c;
    Form { a: a.resize(), b: b.resize(), b_negative: b_negative && !is_own_inverse, c }
}
