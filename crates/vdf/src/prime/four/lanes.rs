//! Montgomery squaring of four numbers at once, one a lane, with products of 32 bits.
//!
//! A number is `L` limbs of 28 bits, least significant first; limb `j` of all four is one vector.
//!
//! What is reduced by is a multiple of the modulus n: `m = k n`, with `k < 2^28` such that `m = -1 mod 2^28`. With
//! `M = (m + 1) / 2^28` a row of the reduction is `(x + q m) / 2^28 = floor(x / 2^28) + q M`, for `q = x mod 2^28`. So q
//! takes no product, and the chain from one to the next is half as long.

#[cfg(target_arch = "x86_64")]
use super::avx2 as vector;
use super::blocks::{ROWS, Vector, add_square, reduce};
#[cfg(target_arch = "aarch64")]
use super::neon as vector;
use super::sizes::{LANES, LIMB_BITS};
use crate::prime::limbs::limb;
use crate::uint::Uint;
use vector::{Column, Limb, add, add_product, load, reduced, shift_left, zero, zero_limb};

/// The numbers in `L` limbs; what lies beyond `28 L` bits is cut off.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
pub(super) fn split<const N: usize, const L: usize>(numbers: &[Uint<N>; LANES]) -> [Limb; L] {
    let mut limbs = [zero_limb(); L];
    for (j, vector) in limbs.iter_mut().enumerate() {
        *vector = load(core::array::from_fn(|lane| limb(&numbers[lane], j, LIMB_BITS)));
    }
    limbs
}

/// Replaces `a` by `a^2 2^(doubling - 28 L)` modulo m, below 3 m if `a` is. `doubling` is 0 or 1, `reducer` is M, whose
/// highest limb is zero, and `m < 2^(28 L) / 18`. `COLUMNS` is 2 L.
///
/// With R = 2^(28 L): `(a^2 + R m) / R 2^doubling < (9 m / R + 1) 2 m <= 3 m`.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
pub(super) fn square<const L: usize, const COLUMNS: usize, const REST: usize>(
    a: &mut [Limb; L],
    reducer: &[Limb; L],
    doubling: Limb,
) {
    // A column gathers at most L products of a square, where doubled ones count twice, and L of multiples of M, each
    // below 2^56, and a carry below 2^36. With L <= 38 that is less than 77 2^56 < 2^63, twice of which fits.
    const { assert!(COLUMNS == 2 * L && L <= 38 && L % ROWS == REST % ROWS && REST >= 3 && REST < L) };
    // A zero that the compiler does not know: it would call `memset`, which takes longer than stores among products.
    let zero = add_product(zero(), doubling, zero_limb());
    let mut columns = [zero; COLUMNS];
    add_square::<Integers, REST>(&mut columns, a);
    let last = reduce::<Integers, L, COLUMNS, REST>(&mut columns, reducer);
    finish(a, &columns[L..], &last, &reducer[..L - 1], doubling);
}

/// Columns of 64 bits.
enum Integers {}

#[cfg_attr(target_arch = "aarch64", allow(unused_unsafe, reason = "all of them have NEON"))]
// SAFETY of all: only code that has AVX2 or NEON calls them.
impl Vector for Integers {
    type Limb = Limb;
    type Column = Column;
    type Carry = Column;

    #[inline(always)]
    fn zero_limb() -> Limb {
        unsafe { zero_limb() }
    }

    #[inline(always)]
    fn no_carry() -> Column {
        unsafe { zero() }
    }

    #[inline(always)]
    fn add_product(sum: Column, a: Limb, b: Limb) -> Column {
        unsafe { add_product(sum, a, b) }
    }

    #[inline(always)]
    fn add(column: Column, carry: Column) -> Column {
        unsafe { add(column, carry) }
    }

    #[inline(always)]
    fn double(limb: Limb) -> Limb {
        unsafe { vector::double(limb) }
    }

    #[inline(always)]
    fn reduced(column: Column) -> (Limb, Column) {
        unsafe { reduced(column) }
    }
}

/// Sets `limbs` to the columns with the products of the last rows and M, shifted by `doubling`, in limbs of 28 bits.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn finish<const L: usize, const REST: usize>(
    limbs: &mut [Limb; L],
    columns: &[Column],
    factors: &[Limb; REST],
    m: &[Limb],
    doubling: Limb,
) {
    let mut carry = zero();
    let columns = &columns[..L];
    for j in 0..L {
        let mut column = columns[j];
        for i in 0..REST {
            if j + REST - 1 - i < m.len() {
                column = add_product(column, factors[i], m[j + REST - 1 - i]);
            }
        }
        (limbs[j], carry) = reduced(add(shift_left(column, doubling), carry));
    }
}
