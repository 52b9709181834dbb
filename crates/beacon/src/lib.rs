//! Randomness-beacon pulses and commitment stamps.
