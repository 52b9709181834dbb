//! Numbers tested several at a time, handed on one by one.

use crate::uint::Uint;

/// Those whose bit `test` sets, in order; bit i is number i of a batch.
pub(super) fn batched<const N: usize, const LANES: usize>(
    mut numbers: impl Iterator<Item = Uint<N>>,
    test: impl Fn(&[Uint<N>; LANES]) -> u8,
) -> impl Iterator<Item = Uint<N>> {
    let mut batch = [Uint::ZERO; LANES];
    let mut passed = 0_u8;
    core::iter::from_fn(move || {
        while passed == 0 {
            for number in &mut batch {
                *number = numbers.next()?;
            }
            passed = test(&batch);
        }
        let lane = passed.trailing_zeros() as usize;
        passed &= passed - 1;
        Some(batch[lane])
    })
}

#[cfg(test)]
mod tests {
    use super::batched;
    use crate::uint::Uint;

    #[test]
    fn batches_keep_the_order() {
        fn multiples_of_three<const LANES: usize>() -> impl Iterator<Item = u64> {
            let threes = batched((1..).map(Uint::<1>::from_word), |batch: &[_; LANES]| {
                (0..LANES).filter(|&i| batch[i].0[0].is_multiple_of(3)).fold(0, |bits, i| bits | 1 << i)
            });
            threes.map(|n| n.0[0])
        }
        assert!(multiples_of_three::<8>().take(50).eq((1..=50).map(|i| 3 * i)));
        assert!(multiples_of_three::<4>().take(50).eq((1..=50).map(|i| 3 * i)));
    }
}
