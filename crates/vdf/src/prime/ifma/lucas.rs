//! The Lucas-V test with the three products of a step side by side, and the powers of Q also negated, so that all is
//! added.

use super::lanes::{LANES, load, split, store};
use super::lanes::{LIMB_BITS, each_row, reduce_row};
use crate::backend::Ifma;
use crate::prime::limbs::join;
use crate::uint::{Uint, word};
use core::arch::x86_64::{
    __m512i as Lanes, _mm512_add_epi64, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_mullo_epi64,
    _mm512_permutexvar_epi64, _mm512_setzero_si512, _mm512_srli_epi64,
};

const LIMBS: usize = 20;
const COLUMNS: usize = 2 * LIMBS;

/// Bits of R, the radix of Montgomery forms.
pub(crate) const RADIX_BITS: usize = LIMB_BITS * LIMBS;

/// Largest |Q|: the bounds of `advance` rest on it.
pub(crate) const MAX_Q: u64 = 15;

// Lanes of the state, for an exponent k: the one with the odd index of V_k and V_(k+1), the other one; |Q|^k and its
// negative.
const ODD: usize = 0;
const EVEN: usize = 1;
const POWER: usize = 2;
const NEGATED: usize = 3;

/// `V_k R mod n` for an even k, of which the bits are given, highest first. The last three are R, 2 R and P R modulo n;
/// P is 1 to 5, |Q| at most `MAX_Q`, and n odd, of at most 1024 bits.
pub(crate) fn lucas_v<const N: usize>(
    _processor_has: Ifma,
    n: &Uint<N>,
    (p, q): (u64, i64),
    [one, two, p_form]: [Uint<N>; 3],
    bits: impl Iterator<Item = bool>,
) -> Uint<N> {
    // SAFETY: an `Ifma` exists where the processor has AVX-512 F, DQ and IFMA.
    unsafe { chain(n, (p, q), [one, two, p_form], bits) }
}

#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn chain<const N: usize>(
    n: &Uint<N>,
    (p, q): (u64, i64),
    [one, two, p_form]: [Uint<N>; 3],
    bits: impl Iterator<Item = bool>,
) -> Uint<N> {
    debug_assert!(n.bit_length() + 16 <= RADIX_BITS && (1..=5).contains(&p) && q.unsigned_abs() <= MAX_Q);
    let mut start = [Uint::ZERO; LANES];
    (start[ODD], start[EVEN], start[POWER], start[NEGATED]) = (p_form, two, one, n.sub(&one));
    let mut state = split::<N, LIMBS>(&start);
    let m = split::<N, LIMBS>(&[*n; LANES]);
    let negated_inverse = load([word::inverse(n.0[0]).wrapping_neg(); LANES]);
    let mut odd = false;
    for bit in bits {
        advance(&mut state, &m, negated_inverse, &Step::new(p, q, odd, bit));
        odd = bit;
    }
    debug_assert!(!odd, "the exponent is even");
    let limbs = state.map(|limb| store(limb));
    let (above, v) = join::<N>(limbs.iter().map(|limb| limb[EVEN]), LIMB_BITS);
    let mut wide = Uint::<20>(core::array::from_fn(|i| v.0.get(i).copied().unwrap_or(0)));
    wide.0[N] = above;
    debug_assert!(wide.shr(9) <= n.resize(), "below 2^9 n");
    wide.rem(n)
}

/// What the lanes do in one step, from k to 2 k + bit.
struct Step {
    first: Lanes,
    second: Lanes,
    added: Lanes,
    coefficients: Lanes,
    factors: Lanes,
}

impl Step {
    /// `odd`: whether k is.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn new(p: u64, q: i64, odd: bool, bit: bool) -> Self {
        // V_(2k+2) comes from V_(k+1), V_2k from V_k
        let squared = if odd == bit { EVEN } else { ODD };
        // minus Q^j, in terms of |Q|^j
        let minus_power = |is_odd: bool| if q < 0 && is_odd { POWER } else { NEGATED };
        // once more by |Q| for an odd exponent
        let times_q = |factor: u64| if bit { q.unsigned_abs() * factor } else { factor };
        let indices = |lanes: [usize; 4]| words(lanes.map(|lane| lane as u64));
        Self {
            first: indices([ODD, squared, POWER, NEGATED]),
            second: indices([EVEN, squared, POWER, POWER]),
            added: indices([minus_power(odd), minus_power(odd != bit), POWER, POWER]),
            coefficients: words([p, times_q(2), 0, 0]),
            factors: words([1, 1, times_q(1), times_q(1)]),
        }
    }
}

/// The words of the lanes in use.
#[inline]
#[target_feature(enable = "avx512f")]
fn words([odd, even, power, negated]: [u64; 4]) -> Lanes {
    load([odd, even, power, negated, 0, 0, 0, 0])
}

/// `first second / R factors + coefficients added`, lane by lane.
///
/// With m < R / 2^16, V below 2^9 m and powers below 2^4 m: products of two V come out below
/// `(2^18 / 2^16 + 1) m = 5 m`, those of powers below `(2^8 / 2^16 + 1) m`, 15 times that is below 2^4 m; and
/// `5 m + 2 15 2^4 m < 2^9 m`. Everything is below 2^(9 + 1024) < R.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn advance(state: &mut [Lanes; LIMBS], m: &[Lanes; LIMBS], negated_inverse: Lanes, step: &Step) {
    let mut first = *state;
    let mut second = *state;
    for j in 0..LIMBS {
        first[j] = _mm512_permutexvar_epi64(step.first, state[j]);
        second[j] = _mm512_permutexvar_epi64(step.second, state[j]);
    }
    // A column gathers at most 40 halves of the product and 40 of multiples of m, each below 2^52, and a carry. That is
    // less than 81 2^52 < 2^59. 15 times that fits, with the two halves of a product by a coefficient.
    let mut columns = [_mm512_setzero_si512(); COLUMNS];
    each_row!(add_product_row::<LIMBS, COLUMNS>(&mut columns, &first, &second):
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
    each_row!(reduce_row::<LIMBS, COLUMNS>(&mut columns, m, negated_inverse):
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19);
    let mut carry = _mm512_setzero_si512();
    for j in 0..LIMBS {
        let added = _mm512_permutexvar_epi64(step.added, state[j]);
        let column = _mm512_add_epi64(_mm512_mullo_epi64(columns[LIMBS + j], step.factors), carry);
        let column = _mm512_madd52lo_epu64(column, step.coefficients, added);
        // what goes to the next limb: carry and upper half. None is left at the end
        carry = _mm512_madd52hi_epu64(_mm512_srli_epi64::<52>(column), step.coefficients, added);
        state[j] = column;
    }
}

/// Adds the products of limb I of `a` with all of `b`.
#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn add_product_row<const I: usize, const L: usize, const COLUMNS: usize>(
    columns: &mut [Lanes; COLUMNS],
    a: &[Lanes; L],
    b: &[Lanes; L],
) {
    for j in 0..L {
        columns[I + j] = _mm512_madd52lo_epu64(columns[I + j], a[I], b[j]);
        columns[I + j + 1] = _mm512_madd52hi_epu64(columns[I + j + 1], a[I], b[j]);
    }
}
