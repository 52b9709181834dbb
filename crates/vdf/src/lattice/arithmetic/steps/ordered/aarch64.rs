//! Fourteen instructions a step; compilers take fifteen, since they negate one of the differences by a subtraction more.
//!
//! *Bound.* Low words: LSR, SUB, RBIT, CLZ, four cycles. High words: LSR, SUBS, CNEG, three. Fourteen instructions take
//! 4.7 cycles on three units for integers (Neoverse N1), 3.5 on four: then the chain of four counts.

use super::super::state::State;
use crate::backend::Native;
use core::arch::asm;

/// Four steps, as [`State::step`] does them.
///
/// Every processor of the target has the instructions; the token keeps the function like that of x86-64.
#[inline(always)]
pub(in super::super) fn four(state: State, _: Native) -> State {
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
