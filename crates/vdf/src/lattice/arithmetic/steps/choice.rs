//! Which steps are faster on this processor.

use super::blocks::Steps;
use super::state::{State, Words};
use crate::backend::Native;
use crate::error::Error;
use crate::instruction_set::STEPS_VARIABLE;
use core::hint::black_box;
use std::env;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const COMPILED: &str = "compiled";
const ORDERED: &str = "ordered";

/// Turns of each; the shortest counts, since other work on the machine only ever adds.
const TURNS: u32 = 60;
/// Runs in a turn: 5 to 10 microseconds, so all turns take a millisecond.
const RUNS: u64 = 64;
/// Blocks of four steps in a run.
const BLOCKS: u32 = 7;
/// The ordered steps must gain 3% at least: less is within what a measurement errs.
const GAIN: f64 = 0.97;

/// The steps of this process: the faster, or those that [`STEPS_VARIABLE`] names. Measured once, in a millisecond.
pub(in crate::lattice) fn steps_in_use(token: Native) -> Steps {
    static CHOICE: OnceLock<bool> = OnceLock::new();
    let ordered = *CHOICE.get_or_init(|| match forced() {
        Ok(Some(ordered)) => ordered,
        Ok(None) | Err(_) => is_ordered_faster(token),
    });
    if ordered { Steps::Ordered(token) } else { Steps::Compiled }
}

/// Whether the variable asks for ordered steps; None where it is not set.
pub(in crate::lattice) fn forced() -> Result<Option<bool>, Error> {
    match env::var_os(STEPS_VARIABLE) {
        None => Ok(None),
        Some(name) if name == COMPILED => Ok(Some(false)),
        Some(name) if name == ORDERED => Ok(Some(true)),
        Some(_) => Err(Error::StepsUnknown),
    }
}

impl Steps {
    /// How users know them.
    pub(in crate::lattice) fn name(self) -> &'static str {
        match self {
            Self::Compiled => COMPILED,
            Self::Ordered(_) => ORDERED,
        }
    }
}

fn is_ordered_faster(token: Native) -> bool {
    let shortest = |steps: Steps, so_far: Duration| {
        let begun = Instant::now();
        for seed in 0..RUNS {
            black_box(run(black_box(seed), steps, token));
        }
        so_far.min(begun.elapsed())
    };
    let (mut compiled, mut ordered) = (Duration::MAX, Duration::MAX);
    for _ in 0..TURNS {
        compiled = shortest(Steps::Compiled, compiled);
        ordered = shortest(Steps::Ordered(token), ordered);
    }
    ordered.as_secs_f64() < GAIN * compiled.as_secs_f64()
}

/// A run of 28 steps, compiled as in the kernel. The token proves that the processor has its instructions.
fn run(seed: u64, steps: Steps, _: Native) -> State {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi1,bmi2,lzcnt")]
    #[inline(never)]
    fn native(seed: u64, steps: Steps) -> State {
        run_of_28(seed, steps)
    }
    #[cfg(target_arch = "aarch64")]
    #[inline(never)]
    unsafe fn native(seed: u64, steps: Steps) -> State {
        run_of_28(seed, steps)
    }
    // SAFETY: the token is the proof.
    unsafe { native(seed, steps) }
}

/// On words that no predictor knows.
#[inline(always)]
fn run_of_28(seed: u64, steps: Steps) -> State {
    // Odd multipliers spread the seed over all bits (splitmix64's).
    let spread = |index: u64| (seed * 4 + index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let words = Words { low: [spread(0) | 1, spread(1) | 1], high: [spread(2) | 1 << 63, spread(3) | 1 << 63] };
    (0..BLOCKS).fold(State::new(words), |state, _| steps.four(state))
}
