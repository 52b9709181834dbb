//! The 100-byte encoding of a form: chiavdf's, decoded strictly.
//!
//! Integers are little-endian; `d` is the bit length of |D| rounded up to a multiple of 32. Byte 0 holds the flags,
//! byte 1 the bytes of g less one (G); then follow `a / g` (d/16 - G bytes), `|t| / g` (d/32 - G), g (G + 1),
//! `b0 = floor(|b| / (a / g))` (G + 1; 0 when g = 1), and zeros. t is the cofactor of a partial Euclid on (a, |b|) and
//! g = gcd(a, t). b is found again from `b^2 = D mod a` and the small `t b mod a`. The two forms that occur often,
//! identity and generator, are a flag and zeros.

use super::{Form, partial_xgcd};
use crate::discriminant::Discriminant;
use crate::error::Error;
use crate::form::euclid::Euclid;
use crate::sizes::{FORM_BYTES, HALF_LIMBS};
use crate::uint::Uint;

const B_NEGATIVE: u8 = 1;
const T_NEGATIVE: u8 = 1 << 1;
const IDENTITY: u8 = 1 << 2;
const GENERATOR: u8 = 1 << 3;

/// Limbs for decoding: values below `a' 2^(8 (G + 1))`, at most 8 limbs and 8 bits, and products of two.
const LIMBS: usize = 2 * HALF_LIMBS + 2;
type Wide = Uint<LIMBS>;
type Half = Uint<HALF_LIMBS>;

/// Offsets of an encoding's fields.
struct Layout {
    /// Ends of a', t', g and b0.
    ends: [usize; 4],
}

impl Layout {
    /// For a discriminant of `bits` bits; `extra` is G. `None` unless it is below `d / 32`.
    fn new(bits: usize, extra: usize) -> Option<Self> {
        let words = bits.div_ceil(32);
        (extra < words).then(|| Self::of(words, extra))
    }

    /// For a discriminant of `words` 32-bit words.
    fn of(words: usize, extra: usize) -> Self {
        let mut end = 2;
        let ends = [2 * words - extra, words - extra, extra + 1, extra + 1].map(|length| {
            end += length;
            end
        });
        Self { ends }
    }

    fn fields<'a>(&self, bytes: &'a [u8; FORM_BYTES]) -> [&'a [u8]; 4] {
        let [a, t, g, b0] = self.ends;
        [&bytes[2..a], &bytes[a..t], &bytes[t..g], &bytes[g..b0]]
    }
}

impl Form {
    /// The form's encoding; `discriminant` is the one it was made with.
    #[must_use]
    pub fn encode(&self, discriminant: &Discriminant) -> [u8; FORM_BYTES] {
        let mut bytes = [0; FORM_BYTES];
        if self.b == Uint::ONE && !self.b_negative && self.a <= Uint::from_word(2) {
            bytes[0] = if self.a == Uint::ONE { IDENTITY } else { GENERATOR };
            return bytes;
        }
        let t = partial_xgcd::cofactor(&self.a, &self.b);
        // |t| < a: Euclid stops before the remainder 0, whose cofactor a is
        let t_magnitude: Half = t.magnitude.resize();
        let (g, _) = Euclid::gcd(&self.a, &t_magnitude);
        let (a_part, _) = self.a.div_rem(&g);
        let (t_part, _) = t_magnitude.div_rem(&g);
        let b0 = if g == Uint::ONE { Uint::ZERO } else { self.b.div_rem(&a_part).0 };
        let extra = g.bit_length().div_ceil(8) - 1;
        // |t| has at most d/32 bytes, and so has its divisor g
        let layout = Layout::of(discriminant.bits().div_ceil(32), extra);
        if self.b_negative {
            bytes[0] |= B_NEGATIVE;
        }
        if t.negative {
            bytes[0] |= T_NEGATIVE;
        }
        bytes[1] = extra as u8;
        let [a_end, t_end, g_end, b0_end] = layout.ends;
        a_part.write_le(&mut bytes[2..a_end]);
        t_part.write_le(&mut bytes[a_end..t_end]);
        g.write_le(&mut bytes[t_end..g_end]);
        b0.write_le(&mut bytes[g_end..b0_end]);
        bytes
    }

    /// Reads an encoded form, strictly: it must be reduced, and encode to the same bytes again.
    ///
    /// # Errors
    /// [`Error::FormLength`] or [`Error::FormEncoding`].
    pub fn decode(discriminant: &Discriminant, bytes: &[u8]) -> Result<Self, Error> {
        let bytes: &[u8; FORM_BYTES] = bytes.try_into().map_err(|_| Error::FormLength(bytes.len()))?;
        let form = match bytes[0] {
            IDENTITY => Some(Self::identity(discriminant)),
            GENERATOR => Some(Self::generator(discriminant)),
            _ => Fields::read(discriminant.bits(), bytes).and_then(|fields| fields.form(discriminant)),
        };
        form.filter(|form| form.encode(discriminant) == *bytes).ok_or(Error::FormEncoding)
    }
}

/// Whether bytes can be the encoding of a form, as far as that is known without its discriminant: a fraction of a
/// microsecond tells.
pub(crate) fn is_plausible(bits: usize, bytes: &[u8; FORM_BYTES]) -> bool {
    let is_special = matches!(bytes[0], IDENTITY | GENERATOR) && is_zero(&bytes[1..]);
    is_special || Fields::read(bits, bytes).is_some()
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

/// The fields of an encoding without a special flag.
struct Fields {
    a_part: Half,
    t_part: Half,
    t_negative: bool,
    g: Wide,
    b0: Wide,
    b_negative: bool,
}

impl Fields {
    /// The fields, if flags, padding and sizes are right for a discriminant of that size in bits.
    fn read(bits: usize, bytes: &[u8; FORM_BYTES]) -> Option<Self> {
        let flags = bytes[0];
        let layout = Layout::new(bits, usize::from(bytes[1]))?;
        if flags & !(B_NEGATIVE | T_NEGATIVE) != 0 || !is_zero(&bytes[layout.ends[3]..]) {
            return None;
        }
        let [a_part, t_part, g, b0] = layout.fields(bytes).map(Wide::from_le_bytes);
        // t = 0 would say a = b, which of all reduced forms only the identity has: it is encoded by its flag
        let t_fits = !t_part.is_zero() && t_part < a_part;
        // a = a' g <= sqrt(|D| / 3), and its length is that of its factors or one less
        let a_fits = !g.is_zero() && a_part.bit_length() + g.bit_length() <= bits / 2 + 1;
        let (t_negative, b_negative) = (flags & T_NEGATIVE != 0, flags & B_NEGATIVE != 0);
        let (a_part, t_part) = (a_part.try_resize()?, t_part.try_resize()?);
        (t_fits && a_fits).then_some(Self { a_part, t_part, t_negative, g, b0, b_negative })
    }

    /// The reduced form of this discriminant that the fields encode, if any; the choice of t and b0 is left to the
    /// caller to check.
    fn form(&self, discriminant: &Discriminant) -> Option<Form> {
        let Self { a_part, t_part, t_negative, g, b0, b_negative } = self;
        let t = if *t_negative { a_part.sub(t_part) } else { *t_part };
        let (gcd, inverse) = Euclid::gcd(a_part, &t);
        if gcd != Uint::ONE {
            return None;
        }
        // s = t b mod a' is small: s^2 = t^2 b^2 = t^2 D modulo a', and below a', so a perfect square
        let residue = match discriminant.magnitude.rem(a_part) {
            remainder if remainder.is_zero() => Half::ZERO,
            remainder => a_part.sub(&remainder),
        };
        let times = |x: &Half, y: &Half| x.mul::<HALF_LIMBS, LIMBS>(y).rem(a_part);
        let square = times(&times(&t, &t), &residue);
        let root = square.isqrt();
        if root.mul::<HALF_LIMBS, HALF_LIMBS>(&root) != square {
            return None;
        }
        let b = times(&root, &inverse);
        // b0 a' has at most 8 limbs and 8 bits, and the sum carries at most one bit further
        let b = b.resize().add(&b0.mul::<HALF_LIMBS, LIMBS>(a_part));
        let a = a_part.mul::<LIMBS, LIMBS>(g);
        Form::from_ab(&a.try_resize()?, &b.try_resize()?, *b_negative, discriminant)
    }
}
