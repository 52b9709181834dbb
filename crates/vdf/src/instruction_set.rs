//! The sets of instructions that the crate has code for, and those of this processor.

/// The environment variable that forces a backend by its name. Read once.
pub const BACKEND_VARIABLE: &str = "CHRONYM_VDF_BACKEND";

/// The environment variable that forces the kind of steps of the kernel, `compiled` or `ordered`. Read once.
pub const STEPS_VARIABLE: &str = "CHRONYM_VDF_STEPS";

/// Every set there is, on any target; each contains those before it that have the same target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum InstructionSet {
    /// What the crate was compiled for, without anything found out at run time.
    Portable,
    /// The target's own instructions (CLZ and RBIT, CSEL, UMULH) are what the kernel wants. Beyond the portable code it
    /// has steps ordered by hand.
    Aarch64,
    /// The same, and products of 32 bits in four lanes: every such processor has NEON.
    Neon,
    /// Haswell, Excavator and later: BMI1, BMI2, LZCNT.
    Bmi2,
    /// Broadwell, Zen and later.
    Adx,
    /// The same processors but for a few without AVX2 or FMA: products of 32 bits, or of doubles, in four lanes.
    Avx2,
    /// Ice Lake, Zen 4 and later: products of 52 bits in eight lanes.
    Ifma,
}

impl InstructionSet {
    /// Highest first.
    pub(crate) const ALL: [Self; 7] =
        [Self::Ifma, Self::Avx2, Self::Adx, Self::Bmi2, Self::Neon, Self::Aarch64, Self::Portable];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Aarch64 => "aarch64",
            Self::Neon => "aarch64-neon",
            Self::Bmi2 => "x86-64-bmi2",
            Self::Adx => "x86-64-adx",
            Self::Avx2 => "x86-64-avx2",
            Self::Ifma => "x86-64-ifma",
        }
    }

    /// The highest that this processor has.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn detect() -> Self {
        let bmi2 =
            is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("lzcnt");
        let adx = bmi2 && is_x86_feature_detected!("adx");
        let avx2 = adx && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let ifma = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512ifma");
        match (bmi2, adx, avx2, ifma) {
            (_, _, _, true) => Self::Ifma,
            (_, _, true, _) => Self::Avx2,
            (_, true, _, _) => Self::Adx,
            (true, _, _, _) => Self::Bmi2,
            _ => Self::Portable,
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn detect() -> Self {
        if cfg!(target_arch = "aarch64") { Self::Neon } else { Self::Portable }
    }

    const fn is_of_this_target(self) -> bool {
        match self {
            Self::Portable => true,
            Self::Aarch64 | Self::Neon => cfg!(target_arch = "aarch64"),
            Self::Bmi2 | Self::Adx | Self::Avx2 | Self::Ifma => cfg!(target_arch = "x86_64"),
        }
    }

    /// Every set that this processor has, highest first.
    pub(crate) fn available() -> impl Iterator<Item = Self> {
        let highest = Self::detect();
        Self::ALL.into_iter().filter(move |&set| set.is_of_this_target() && set <= highest)
    }
}
