//! Four steps in an order of instructions that suits processors with few units for integers.
//!
//! A step is bound by two chains: shift, subtract, count zeros of the low words; shift, subtract, select of the high
//! ones. Where a processor has few more units than a step has instructions a cycle, what is not on these chains
//! must not come first, and each instruction that is not needed costs. Compilers order by other rules. Wider processors
//! are no faster with these steps, so which are used is measured (`lattice::choice`).

use super::state::State;
use crate::backend::Native;
use core::arch::asm;

/// Four steps, as [`State::step`] does them.
///
/// Every processor of the target has the instructions; the token keeps the function like that of x86-64.
///
/// Fourteen instructions a step; compilers take fifteen, since they negate one of the differences by a subtraction more.
///
/// *Bound.* Low words: LSR, SUB, RBIT, CLZ, four cycles. High words: LSR, SUBS, CNEG, three. Fourteen instructions take
/// 4.7 cycles on three units for integers (Neoverse N1), 3.5 on four: then the chain of four counts.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub(super) fn four(state: State, _: Native) -> State {
    let State { low: [mut low, mut other_low], high: [mut high, mut other_high], f: [mut f, mut other_f], .. } = state;
    let State { mut difference, mut zeros, mut shift, .. } = state;
    // SAFETY: registers and flags alone. LSR and LSL take the lowest six bits of their count: the upper half of `zeros`,
    // which nothing defines at the beginning, plays no part, and 64 zeros shift by 0, as in `step`.
    unsafe {
        asm!(
            ".rept 4",
            // The high difference. Its borrow (LO) says that the first number is the smaller: then both are negated.
            "subs {high_difference}, {high}, {other_high}",
            "cneg {difference}, {difference}, lo",
            "csel {other_low}, {low}, {other_low}, lo",
            "cneg {high_difference}, {high_difference}, lo",
            "lsr {low}, {difference}, {zeros:x}",
            "csel {other_high}, {high}, {other_high}, lo",
            "sub {difference}, {low}, {other_low}",
            "lsr {high}, {high_difference}, {zeros:x}",
            // The column, while the next shift is found. `lsl` reads the count that `clz` replaces.
            "rbit {reversed}, {difference}",
            "csel {smaller_f}, {f}, {other_f}, lo",
            "add {f}, {f}, {other_f}",
            "lsl {other_f}, {smaller_f}, {zeros:x}",
            "clz {zeros:x}, {reversed}",
            "add {shift:w}, {shift:w}, {zeros:w}",
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
            high_difference = out(reg) _,
            reversed = out(reg) _,
            smaller_f = out(reg) _,
            options(pure, nomem, nostack),
        );
    }
    State { low: [low, other_low], high: [high, other_high], f: [f, other_f], difference, zeros, shift }
}

/// Four steps, as [`State::step`] does them.
///
/// The token proves that the processor has BMI1 and BMI2.
///
/// For processors with four units for integers: on Zen 4 compiled steps take 5 to 6 cycles, and these 4 to 4.5.
///
/// *Bound.* Both chains have three instructions of one cycle each, where TZCNT takes one (three on Intel).
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn four(state: State, _: Native) -> State {
    let State { low: [mut low, mut other_low], high: [mut high, mut other_high], f: [mut f, mut other_f], .. } = state;
    let State { mut difference, mut zeros, mut shift, .. } = state;
    // SAFETY: registers and flags alone; the token is the proof of SHLX, SHRX and TZCNT. Shifts take the lowest six bits
    // of their count: the upper half of `zeros`, which nothing defines at the beginning, plays no part, and 64 zeros
    // shift by 0, as in `step`.
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
            "shrx {low}, {difference}, {zeros:r}",
            "cmovc {high}, {u}",
            "cmovc {other_high}, {v}",
            "shrx {high}, {high}, {zeros:r}",
            // The column, while the next shift is found.
            "mov {difference}, {low}",
            "mov {t}, {f}",
            "lea {f}, [{f} + {other_f}]",
            "cmovc {other_f}, {t}",
            "shlx {other_f}, {other_f}, {zeros:r}",
            "sub {difference}, {other_low}",
            "tzcnt {zeros:r}, {difference}",
            "add {shift:e}, {zeros:e}",
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
    State { low: [low, other_low], high: [high, other_high], f: [f, other_f], difference, zeros, shift }
}
