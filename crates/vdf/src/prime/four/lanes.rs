//! Montgomery squaring of four numbers at once, one a lane, with products of 32 bits.
//!
//! A number is `L` limbs of 28 bits, least significant first; limb `j` of all four is one vector.
//!
//! What is reduced by is a multiple of the modulus n: `m = k n`, with `k < 2^28` such that `m = -1 mod 2^28`. With
//! `M = (m + 1) / 2^28` a row of the reduction is `(x + q m) / 2^28 = floor(x / 2^28) + q M`, for `q = x mod 2^28`. So q
//! takes no product, and the chain from one to the next is half as long.

#[cfg(target_arch = "x86_64")]
use super::avx2 as vector;
#[cfg(target_arch = "aarch64")]
use super::neon as vector;
use super::sizes::{LANES, LIMB_BITS};
use crate::prime::limbs::limb;
use crate::uint::{Uint, word};
use vector::{Column, Limb, add, add_product, double, load, reduced, shift_left, zero, zero_limb};

/// Rows of a block. Their factors and as many limbs stay in registers, so that four products take two loads and a store.
const ROWS: usize = 4;

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

/// M of an odd number n, at most n.
///
/// `k n` ends with 28 ones, so adding one to it adds one to what lies above them.
pub(super) fn reducer<const N: usize>(n: &Uint<N>) -> Uint<N> {
    let k = word::inverse(n.0[0]).wrapping_neg() & LIMB_MASK;
    let (low, high) = n.mul_word(k);
    let mut shifted = low.shr(LIMB_BITS);
    shifted.0[N - 1] |= high << (64 - LIMB_BITS);
    shifted.add(&Uint::ONE)
}

const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;

/// Replaces `a` by `a^2 2^(doubling - 28 L)` modulo m, below 3 m if `a` is. `doubling` is 0 or 1, `reducer` is M, whose
/// highest limb is zero, and `m < 2^(28 L) / 18`. `COLUMNS` is 2 L.
///
/// With R = 2^(28 L): `(a^2 + R m) / R 2^doubling < (9 m / R + 1) 2 m <= 3 m`.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
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
    add_square::<REST>(&mut columns, a);
    let last = reduce::<L, COLUMNS, REST>(&mut columns, reducer);
    finish(a, &columns[L..], &last, &reducer[..L - 1], doubling);
}

/// Adds the square of `a`. The products of two different limbs are there twice: one of them is doubled, to 29 bits.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn add_square<const REST: usize>(mut columns: &mut [Column], mut a: &[Limb]) {
    // A block's rows: their products with each other, and those with all limbs above. The next block begins two columns
    // a row further.
    while let Some((rows, above)) = a.split_first_chunk::<ROWS>()
        && above.len() >= REST
    {
        add_small_square(columns, rows);
        let doubled = rows.map(|limb| double(limb));
        add_first_columns(&mut columns[ROWS..], &doubled, above);
        add_rows(&mut columns[2 * ROWS - 1..], &doubled, above);
        (columns, a) = (&mut columns[2 * ROWS..], above);
    }
    if let Some(rest) = a.first_chunk::<REST>() {
        add_small_square(columns, rest);
    }
}

/// Adds the square of a few limbs.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn add_small_square<const COUNT: usize>(columns: &mut [Column], a: &[Limb; COUNT]) {
    let columns = &mut columns[..2 * COUNT - 1];
    for i in 0..COUNT {
        columns[2 * i] = add_product(columns[2 * i], a[i], a[i]);
        let doubled = double(a[i]);
        for j in i + 1..COUNT {
            columns[i + j] = add_product(columns[i + j], doubled, a[j]);
        }
    }
}

/// Adds to the first three columns of the product of a block and some limbs, which have fewer than four products.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn add_first_columns(columns: &mut [Column], block: &[Limb; ROWS], limbs: &[Limb]) {
    let (columns, limbs) = (&mut columns[..ROWS - 1], &limbs[..ROWS - 1]);
    for k in 0..ROWS - 1 {
        for i in 0..=k {
            columns[k] = add_product(columns[k], block[i], limbs[k - i]);
        }
    }
}

/// Adds to all columns of the product of a block and some limbs but the first three. There are as many as limbs.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn add_rows(columns: &mut [Column], block: &[Limb; ROWS], limbs: &[Limb]) {
    let Some((&[mut x, mut y, mut z], limbs)) = limbs.split_first_chunk() else { return };
    let (full, last) = columns.split_at_mut(limbs.len());
    let ((fours, singles), (limb_fours, limb_singles)) = (full.as_chunks_mut::<4>(), limbs.as_chunks::<4>());
    for (columns, &[a, b, c, d]) in fours.iter_mut().zip(limb_fours) {
        columns[0] = add_column(columns[0], block, [a, z, y, x]);
        columns[1] = add_column(columns[1], block, [b, a, z, y]);
        columns[2] = add_column(columns[2], block, [c, b, a, z]);
        columns[3] = add_column(columns[3], block, [d, c, b, a]);
        (x, y, z) = (b, c, d);
    }
    for (column, &next) in singles.iter_mut().zip(limb_singles) {
        *column = add_column(*column, block, [next, z, y, x]);
        (x, y, z) = (y, z, next);
    }
    let [_, second, third, fourth] = *block;
    last[0] = add_product(add_product(add_product(last[0], second, z), third, y), fourth, x);
    last[1] = add_product(add_product(last[1], third, z), fourth, y);
    last[2] = add_product(last[2], fourth, z);
}

#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn add_column(column: Column, block: &[Limb; ROWS], limbs: [Limb; ROWS]) -> Column {
    let sum = add_product(add_product(column, block[0], limbs[0]), block[1], limbs[1]);
    add_product(add_product(sum, block[2], limbs[2]), block[3], limbs[3])
}

/// Adds L rows of the reduction, which leave the upper half of the columns, but for the products of the last rows,
/// whose factors are returned.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn reduce<const L: usize, const COLUMNS: usize, const REST: usize>(
    columns: &mut [Column; COLUMNS],
    reducer: &[Limb; L],
) -> [Limb; REST] {
    let m = &reducer[..L - 1];
    // The factors of the next block are known once its columns have their products: long before the last of this one,
    // which keep the processor busy while the chain of factors lasts.
    let mut block = factors::<ROWS>(columns, m);
    let mut at = ROWS;
    while at < L - REST {
        add_first_full_columns(&mut columns[at..], &block, m);
        let next = factors::<ROWS>(&mut columns[at..], m);
        add_rows(&mut columns[at + ROWS..at + L - 1], &block, &m[ROWS..]);
        (block, at) = (next, at + ROWS);
    }
    add_rows(&mut columns[at..at + L - 1], &block, m);
    factors(&mut columns[at..], m)
}

/// Adds to the first four columns that have four products of a block and M, as `add_rows` does.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn add_first_full_columns(columns: &mut [Column], block: &[Limb; ROWS], m: &[Limb]) {
    let (columns, m) = (&mut columns[..ROWS], &m[..2 * ROWS - 1]);
    for k in 0..ROWS {
        columns[k] = add_column(columns[k], block, [m[k + 3], m[k + 2], m[k + 1], m[k]]);
    }
}

/// The factors of the next rows, whose columns have all products but those of these rows. What they carry is added to
/// the column behind.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
fn factors<const COUNT: usize>(columns: &mut [Column], m: &[Limb]) -> [Limb; COUNT] {
    let (columns, m) = (&mut columns[..=COUNT], &m[..COUNT - 1]);
    let mut factors = [zero_limb(); COUNT];
    let mut carry = zero();
    for row in 0..COUNT {
        // what waits for the factor before comes last
        let mut column = columns[row];
        for i in 0..row {
            column = add_product(column, factors[i], m[row - 1 - i]);
        }
        (factors[row], carry) = reduced(add(column, carry));
    }
    columns[COUNT] = add(columns[COUNT], carry);
    factors
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
