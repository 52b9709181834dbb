//! Rows on x86-64 processors with BMI2 and ADX (since Broadwell and Zen). MULX leaves the flags alone, and ADCX and
//! ADOX carry two additions in parallel. A primality test takes 0.7 of the time; the compiler does not generate such
//! code.

use crate::backend::Adx;
use core::arch::asm;

/// Length of the rows: a discriminant's.
pub(super) const LIMBS: usize = 16;

impl Adx {
    /// Adds `factor` times `limbs` to `sum` and returns the limb carried out; None for a length other than `LIMBS`.
    #[allow(clippy::unused_self, reason = "it is the proof that the processor has the instructions")]
    #[inline(always)]
    pub(super) fn add_multiple(self, sum: &mut [u64], limbs: &[u64], factor: u64) -> Option<u64> {
        let sum: &mut [u64; LIMBS] = sum.try_into().ok()?;
        let limbs: &[u64; LIMBS] = limbs.try_into().ok()?;
        // SAFETY: `self` says that the processor has BMI2 and ADX.
        Some(unsafe { add_multiple(sum, limbs, factor) })
    }
}

/// One limb: the low half of its product joins the chain of CF, the high half of the one before that of OF.
macro_rules! limb {
    ($offset:literal, $high:literal, $before:literal) => {
        concat!(
            "mulx {",
            $high,
            "}, {low}, qword ptr [{limbs} + ",
            $offset,
            "]\n",
            "adcx {low}, qword ptr [{sum} + ",
            $offset,
            "]\n",
            "adox {low}, {",
            $before,
            "}\n",
            "mov qword ptr [{sum} + ",
            $offset,
            "], {low}"
        )
    };
}

/// Two limbs: the high halves alternate between two registers.
macro_rules! pair {
    ($first:literal, $second:literal) => {
        concat!(limb!($first, "even", "odd"), "\n", limb!($second, "odd", "even"))
    };
}

/// The carry out fits a limb: `(2^64 - 1) limbs + sum < 2^64 2^(64 LIMBS)`.
///
/// # Safety
/// The processor must have BMI2 and ADX.
#[inline(always)]
unsafe fn add_multiple(sum: &mut [u64; LIMBS], limbs: &[u64; LIMBS], factor: u64) -> u64 {
    let carry;
    // SAFETY: reads `limbs`, reads and writes `sum`, both for 128 bytes, and leaves the stack alone.
    unsafe {
        asm!(
            // clears CF and OF, and the high half before the first limb
            "xor {odd:e}, {odd:e}",
            pair!(0, 8),
            pair!(16, 24),
            pair!(32, 40),
            pair!(48, 56),
            pair!(64, 72),
            pair!(80, 88),
            pair!(96, 104),
            pair!(112, 120),
            "mov {low:e}, 0",
            "adcx {odd}, {low}",
            "adox {odd}, {low}",
            sum = in(reg) sum.as_mut_ptr(),
            limbs = in(reg) limbs.as_ptr(),
            low = out(reg) _,
            even = out(reg) _,
            odd = out(reg) carry,
            in("rdx") factor,
            options(nostack)
        );
    }
    carry
}

#[cfg(test)]
mod tests {
    use super::LIMBS;
    use crate::backend::Backend;
    use crate::uint::montgomery::rows::Rows;

    #[test]
    fn rows_equal_the_portable_ones() {
        let available = Backend::available();
        let (fastest, portable) = (available[0], available[available.len() - 1]);
        let Some(adx) = fastest.adx() else { return };
        let mut state = 3_u64;
        for round in 0..2000_u64 {
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // long runs of ones and zeros as often as random words
                match state >> 61 {
                    0 | 1 => 0,
                    2 | 3 => u64::MAX,
                    _ => state ^ state >> 31,
                }
            };
            for length in 0..=20 {
                let limbs: Vec<u64> = (0..length).map(|_| random()).collect();
                let sum: Vec<u64> = (0..length).map(|_| random()).collect();
                let factor = if round == 0 { u64::MAX } else { random() };
                let (mut ours, mut expected) = (sum.clone(), sum);
                let carry = adx.add_multiple(&mut ours, &limbs, factor);
                let expected_carry = Rows::new(portable).add_multiple(&mut expected, &limbs, factor);
                assert_eq!(carry.is_some(), length == LIMBS);
                if let Some(carry) = carry {
                    assert_eq!((carry, &ours), (expected_carry, &expected));
                }
            }
        }
    }
}
