//! Gauss's reduction of the two vectors, in doubles: it replaces the reduction of the form.
//!
//! A vector (x, y) is the point `(U, W) = (x + beta y, eta y)` of the plane, and the form's value on it is a constant
//! times `U^2 + W^2`. Doubles suffice to find the reducing matrix in nearly every case. An exact check on the form
//! afterwards decides whether it was right.

use super::arithmetic::coordinate::power_of_two;
use super::arithmetic::coordinate::{combine, to_f64};
use super::gcds::Basis;

/// From an entry this large on, the points have lost too many bits: the matrix is applied and the points are computed
/// again. 2.6% of squarings.
const LARGE_ENTRY: f64 = 65_536.0;

/// The largest quotient used at once, `2^36`: entries are then at most `2^16 2^36 + 2^16 < 2^53`, exact as doubles.
const MAX_QUOTIENT: f64 = power_of_two(36);

/// Rounds of points; one is the rule, and each but the last shortens a vector by `2^16` at least.
const MAX_ROUNDS: u32 = 40;

/// Steps in one round: entries grow by more than the golden ratio a step, and `1.6^24 > 2^16`.
const MAX_STEPS: u32 = 32;

/// `2^317`: twice as much is still a coordinate, and four products of such numbers are a
/// [`Product`](super::arithmetic::coordinate::Product).
const COORDINATE_BOUND: f64 = power_of_two(317);

/// The plane of a lattice: `U = x + beta y`, `W = eta y`, with `|beta| <= 1/2`.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    pub(super) beta: f64,
    pub(super) eta: f64,
}

/// A reduced basis, the shorter vector first, and its length `U^2 + W^2`.
#[derive(Clone, Copy)]
pub(super) struct Reduced {
    pub(super) basis: Basis,
    pub(super) short_norm: f64,
    /// A bound, a little rounded, on `|x|`, `|y|` and `eta |W|` of both vectors.
    pub(super) extent: f64,
}

#[derive(Clone, Copy)]
struct Vector {
    point: [f64; 2],
    norm: f64,
    /// The vector in terms of the round's basis.
    entries: [f64; 2],
}

impl Vector {
    #[inline(always)]
    fn new(point: [f64; 2], entries: [f64; 2]) -> Self {
        Self { point, norm: point[0] * point[0] + point[1] * point[1], entries }
    }
}

/// The reduced basis of the same lattice with a determinant of the same size; None when rounding or size forbids it.
#[inline(always)]
pub(super) fn reduce(mut basis: Basis, plane: Plane) -> Option<Reduced> {
    for _ in 0..MAX_ROUNDS {
        let (x, y) = ([to_f64(&basis.x[0]), to_f64(&basis.x[1])], [to_f64(&basis.y[0]), to_f64(&basis.y[1])]);
        let point = |index: usize| [x[index] + plane.beta * y[index], plane.eta * y[index]];
        let (short, long) = reduce_points(Vector::new(point(0), [1.0, 0.0]), Vector::new(point(1), [0.0, 1.0]));
        let largest_entry = [short.entries[1], long.entries[0], long.entries[1]]
            .iter()
            .fold(short.entries[0].abs(), |largest, entry| largest.max(entry.abs()));
        let largest_coordinate = x[0].abs().max(x[1].abs()).max(y[0].abs()).max(y[1].abs());
        // |p x + q y| <= 2 entry coordinate.
        if !(largest_entry * largest_coordinate < COORDINATE_BOUND) {
            return None;
        }
        // Entries are integers below 2^53: exact as doubles and as words.
        let apply =
            |entries: [f64; 2], pair: &[_; 2]| combine(entries[0] as i64, &pair[0], entries[1] as i64, &pair[1]);
        basis = Basis {
            x: [apply(short.entries, &basis.x), apply(long.entries, &basis.x)],
            y: [apply(short.entries, &basis.y), apply(long.entries, &basis.y)],
        };
        if largest_entry < LARGE_ENTRY {
            // |beta| <= 1/2, so |x| <= |U| + |y|. Rounding in a point is far below 2^317, whatever became of its own
            // bits.
            let extent =
                |vector: &Vector| vector.point[0].abs() + vector.point[1].abs() * (plane.eta + 1.0 / plane.eta);
            return Some(Reduced { basis, short_norm: short.norm, extent: extent(&short).max(extent(&long)) });
        }
    }
    None
}

/// Subtracts multiples of the shorter vector from the longer until neither gets shorter, or an entry gets large. Three
/// steps on average.
#[inline(always)]
fn reduce_points(first: Vector, second: Vector) -> (Vector, Vector) {
    let (mut long, mut short) = if first.norm < second.norm { (second, first) } else { (first, second) };
    for _ in 0..MAX_STEPS {
        let quotient = (long.point[0] * short.point[0] + long.point[1] * short.point[1]) / short.norm;
        let quotient = round(quotient.clamp(-MAX_QUOTIENT, MAX_QUOTIENT));
        if quotient == 0.0 {
            break;
        }
        long = Vector::new(
            [long.point[0] - quotient * short.point[0], long.point[1] - quotient * short.point[1]],
            [long.entries[0] - quotient * short.entries[0], long.entries[1] - quotient * short.entries[1]],
        );
        if !(long.norm < short.norm) {
            break;
        }
        (long, short) = (short, long);
        if short.entries[0].abs().max(short.entries[1].abs()) >= LARGE_ENTRY {
            break;
        }
    }
    (short, long)
}

/// The nearest integer, for a magnitude of at most [`MAX_QUOTIENT`]: doubles from `2^52` to `2^53` are integers.
/// Without SSE 4.1 `round_ties_even` is a call.
#[inline(always)]
fn round(value: f64) -> f64 {
    const SHIFT: f64 = 1.5 * power_of_two(52);
    (value + SHIFT) - SHIFT
}

/// Whether numbers up to `bound`, a little rounded, are coordinates whose products may be added up.
#[inline(always)]
pub(super) fn fits(bound: f64) -> bool {
    bound < COORDINATE_BOUND
}
