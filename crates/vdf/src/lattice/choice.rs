//! Which steps are faster in this process.
//!
//! Whole squarings are measured. Steps in a loop of their own are up to 8% faster ordered where the kernel is slower
//! with them, and where the linker puts the kernel moves a squaring by as much.

use super::arithmetic::coordinate::limbs_to_f64;
use super::arithmetic::steps::Steps;
use super::context::{Instructions, NativeKernel};
use super::{FORM_LIMBS, FastForm, LatticeContext};
use crate::backend::Native;
use crate::error::Error;
use crate::instruction_set::STEPS_VARIABLE;
use std::env;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const COMPILED: &str = "compiled";
const ORDERED: &str = "ordered";

/// Turns of each; the shortest counts, since other work on the machine only ever adds.
const TURNS: u32 = 60;
/// Squarings in a turn: 10 to 20 microseconds, so all turns take one to three milliseconds.
pub(super) const SQUARINGS: u32 = 8;
/// Begins the sample's words. D has no divisor below 20,000 from here, so that hardly a square of the sample shares one
/// with it, which the kernel would refuse.
const FIRST_WORD: u64 = 4;
/// The ordered steps must gain 1% at least: less is within what a measurement errs.
const GAIN: f64 = 0.99;

/// The steps of this process: the faster, or those that [`STEPS_VARIABLE`] names. Measured once, in milliseconds.
pub(super) fn steps_in_use(token: Native) -> Steps {
    static CHOICE: OnceLock<bool> = OnceLock::new();
    let ordered = *CHOICE.get_or_init(|| match forced() {
        Ok(Some(ordered)) => ordered,
        Ok(None) | Err(_) => is_ordered_faster(token),
    });
    if ordered { Steps::Ordered(token) } else { Steps::Compiled }
}

/// Whether the variable asks for ordered steps; None where it is not set.
pub(super) fn forced() -> Result<Option<bool>, Error> {
    match env::var_os(STEPS_VARIABLE) {
        None => Ok(None),
        Some(name) if name == COMPILED => Ok(Some(false)),
        Some(name) if name == ORDERED => Ok(Some(true)),
        Some(_) => Err(Error::StepsUnknown),
    }
}

impl Steps {
    /// How users know them.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Compiled => COMPILED,
            Self::Ordered(_) => ORDERED,
        }
    }
}

fn is_ordered_faster(token: Native) -> bool {
    let mut sides = NativeKernel::both(token).map(|kernel| (sample(Instructions::Native(kernel)), Duration::MAX));
    for _ in 0..TURNS {
        for ((context, form), shortest) in &mut sides {
            let begun = Instant::now();
            *form = square_times(context, *form, SQUARINGS);
            *shortest = begun.elapsed().min(*shortest);
        }
    }
    let [(_, compiled), (_, ordered)] = sides;
    ordered.as_secs_f64() < GAIN * compiled.as_secs_f64()
}

/// A form that the kernel refuses stays as it is.
pub(super) fn square_times(context: &LatticeContext, form: FastForm, times: u32) -> FastForm {
    (0..times).fold(form, |form, _| context.square(&form).unwrap_or(form))
}

/// A reduced form of the usual size whose numbers no predictor knows, and the context of its discriminant D, which need
/// not be prime for this.
///
/// `2^507 <= a < 2^508`, `|b| < 2^506`, `2^509 <= c < 2^510`, so `2^1017 < |D| < 2^1020`. Odd a and b and even c make
/// |D| 7 modulo 8.
pub(super) fn sample(instructions: Instructions) -> (LatticeContext, FastForm) {
    let mut word = FIRST_WORD;
    // Words below 2^(64 - short), the highest of eight at least half of that where `full`.
    let mut number = |short: u32, full: bool, odd: bool| {
        let mut limbs = [0; FORM_LIMBS];
        for limb in &mut limbs[..FORM_LIMBS - 1] {
            // splitmix64's multiplier spreads a count over all bits, squared over the low ones too.
            word += 1;
            let spread = word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *limb = spread.wrapping_mul(spread ^ (spread >> 32));
        }
        let top = &mut limbs[FORM_LIMBS - 2];
        *top = (*top >> short) | (u64::from(full) << (63 - short));
        limbs[0] = limbs[0] & !1 | u64::from(odd);
        limbs
    };
    let (a, b, c) = (number(4, true, true), number(6, false, true), number(2, true, false));
    let [a_double, b_double, c_double] = [a, b, c].map(|limbs| limbs_to_f64(&limbs));
    let discriminant = 4.0 * a_double * c_double - b_double * b_double;
    let context = LatticeContext {
        discriminant_low: (a[0].wrapping_mul(c[0]) << 2).wrapping_sub(b[0].wrapping_mul(b[0])),
        // The exponent of a double in [2^(n - 1), 2^n) is n - 1.
        discriminant_bits: (discriminant.to_bits() >> 52) as u32 - 1022,
        sqrt_discriminant: discriminant.sqrt(),
        instructions,
    };
    (context, FastForm { a, b, b_negative: false, c })
}
