//! Every prime of the table against plain remainders.

use super::{NUMBERS, stages_for};
use crate::backend::Backend;
use crate::prime::four::divisible;
use crate::prime::small_primes;
use crate::prime::tests::{odd, structured_words};
use crate::uint::Uint;

#[test]
fn every_prime_of_the_table_is_found_in_every_place() {
    if Backend::available().into_iter().find_map(Backend::four_lanes).is_none() {
        return;
    }
    let stages = stages_for(1024);
    let primes: Vec<u64> = small_primes::below(1 << 16).into_iter().filter(|&p| p > 200).collect();
    // what each group divides by, as the table is made
    let [first, second] = [1000, 12_000].map(|limit| primes.partition_point(|&p| p < limit));
    let pairs = [&primes[..first], &primes[first..second], &primes[second..]].map(|primes| {
        (0..primes.len() / 2).map(|index| [primes[index], primes[primes.len() - 1 - index]]).collect::<Vec<_>>()
    });
    assert_eq!(stages.map(<[_]>::len), pairs.each_ref().map(Vec::len));
    assert!(pairs[0].len() > 50 && primes.len() - 2 * pairs.concat().len() <= 3);
    let groups = stages.iter().flat_map(|stage| stage.chunks(1));
    let mut random = structured_words();
    for (index, (group, pair)) in groups.zip(pairs.concat()).enumerate() {
        for prime in pair {
            let mut batch: [Uint<16>; NUMBERS] = core::array::from_fn(|_| odd(&mut random, 1024));
            let place = index % NUMBERS;
            batch[place] = batch[place].sub(&Uint::from_word(batch[place].rem_word(prime)));
            let expected = (0..NUMBERS)
                .filter(|&place| pair.iter().any(|&prime| batch[place].rem_word(prime) == 0))
                .fold(0, |bits, place| bits | 1 << place);
            assert!(expected >> place & 1 == 1);
            assert_eq!(divisible(&batch, group), expected, "{prime}");
        }
    }
    // the largest sums and no sum at all
    let edges = [Uint([u64::MAX; 16]), Uint::ZERO, Uint::ONE, Uint::ONE.shl(1023)];
    let batch: [Uint<16>; NUMBERS] = core::array::from_fn(|place| edges[place % 4]);
    // no group undoes what one before it has found: 257 and 641 divide 2^1024 - 1
    assert_eq!(divisible(&batch, stages[0]), 0b0011_0011);
    for (group, pair) in stages[1].chunks(1).chain(stages[2].chunks(1)).zip(pairs[1..].concat()) {
        let expected = (0..NUMBERS)
            .filter(|&place| pair.iter().any(|&prime| batch[place].rem_word(prime) == 0))
            .fold(0, |bits, place| bits | 1 << place);
        assert_eq!(divisible(&batch, group), expected, "{pair:?}");
    }
}
