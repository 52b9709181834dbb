use super::Steps;
use super::state::{State, Words};
use crate::backend::Backend;

const ROUNDS: u64 = 2_000_000;

/// splitmix64.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[test]
fn ordered_steps_are_the_compiled_ones() {
    let Some(token) = Backend::available()[0].native() else { return };
    let mut seed = 1;
    for round in 0..ROUNDS {
        let mut word = || random(&mut seed);
        let mut low = [word() | 1, word() | 1];
        let mut high = [word(), word()];
        match round % 8 {
            // Equal words: a shift by 64, a difference of zero.
            0 => low[1] = low[0],
            1 => high[1] = high[0],
            // Differences with many trailing zeros, or none in the high words.
            2 => low[1] = low[0].wrapping_add(word() << 50),
            3 => high = [high[0] | 1 << 63, high[0] | 1 << 63 | 1],
            _ => {}
        }
        let mut states = [State::new(Words { low, high }); 2];
        for _ in 0..7 {
            states = [Steps::Compiled.four(states[0]), Steps::Ordered(token).four(states[1])];
            // Beyond 63 bits a state is not used.
            if states[0].shift > 63 {
                break;
            }
            assert_eq!(states[0], states[1], "{low:x?} {high:x?}");
        }
    }
}
