//! Four steps in an order of instructions that suits processors with four units for integers.
//!
//! A step is bound by two chains of three instructions: shift, subtract, count zeros of the low words; shift, subtract,
//! select of the high ones. Where a processor has few more units than a step has instructions a cycle, what is not
//! on these chains must not come first. Compilers order by other rules: on Zen 4 their steps take 5 to 6 cycles, and
//! these 4 to 4.5. Wider processors are no faster with them, so which are used is measured (`choice`).

use super::state::State;
use core::arch::asm;

/// Four steps, as [`State::step`] does them.
///
/// # Safety
/// The processor must have BMI1 and BMI2.
#[inline(always)]
pub(super) unsafe fn four(state: State) -> State {
    let State { low: [mut low, mut other_low], high: [mut high, mut other_high], f: [mut f, mut other_f], .. } = state;
    let (mut difference, mut zeros) = (state.difference, u64::from(state.zeros));
    let mut shift = u64::from(state.shift);
    // SAFETY: registers alone; SHLX, SHRX and TZCNT are the caller's promise. Shifts by 64 shift by 0, as in `step`.
    unsafe {
        asm!(
            ".rept 4",
            // Both differences of the low words and of the high ones; the last sets the carry: the first is smaller.
            "mov {t}, {other_low}",
            "mov {u}, {other_high}",
            "mov {v}, {high}",
            "sub {t}, {low}",
            "sub {u}, {high}",
            "sub {high}, {other_high}",
            // The magnitudes, and the smaller words.
            "cmovc {difference}, {t}",
            "cmovc {other_low}, {low}",
            "shrx {low}, {difference}, {zeros}",
            "cmovc {high}, {u}",
            "cmovc {other_high}, {v}",
            "shrx {high}, {high}, {zeros}",
            // The column, while the next shift is found.
            "mov {difference}, {low}",
            "mov {t}, {f}",
            "lea {f}, [{f} + {other_f}]",
            "cmovc {other_f}, {t}",
            "shlx {other_f}, {other_f}, {zeros}",
            "sub {difference}, {other_low}",
            "tzcnt {zeros}, {difference}",
            "add {shift}, {zeros}",
            ".endr",
            low = inout(reg) low,
            other_low = inout(reg) other_low,
            high = inout(reg) high,
            other_high = inout(reg) other_high,
            f = inout(reg) f,
            other_f = inout(reg) other_f,
            difference = inout(reg) difference,
            zeros = inout(reg) zeros,
            shift = inout(reg) shift,
            t = out(reg) _,
            u = out(reg) _,
            v = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    // Four steps shift by at most 256 bits, a run by 28 64: below 2^32.
    #[expect(clippy::cast_possible_truncation, reason = "counts of zeros, and a sum of 29 of them")]
    let (zeros, shift) = (zeros as u32, shift as u32);
    State { low: [low, other_low], high: [high, other_high], f: [f, other_f], difference, zeros, shift }
}
