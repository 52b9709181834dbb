//! The Jacobi symbol.

use crate::uint::Uint;

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
