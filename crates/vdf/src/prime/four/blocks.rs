//! The products of a Montgomery squaring, in blocks of rows, whatever their limbs are.

/// Several numbers' limbs, and columns of their products, side by side.
pub(super) trait Vector {
    type Limb: Copy;
    /// A sum of products.
    type Column: Copy;
    /// What a column adds to the next.
    type Carry: Copy;

    fn zero_limb() -> Self::Limb;
    fn no_carry() -> Self::Carry;
    /// `sum + a b`
    fn add_product(sum: Self::Column, a: Self::Limb, b: Self::Limb) -> Self::Column;
    fn add(column: Self::Column, carry: Self::Carry) -> Self::Column;
    /// Twice a limb.
    fn double(limb: Self::Limb) -> Self::Limb;
    /// A column's limb, and what it carries to the next.
    fn reduced(column: Self::Column) -> (Self::Limb, Self::Carry);
}

/// Rows of a block. Their factors and as many limbs stay in registers, so that four products take two loads and a store.
pub(super) const ROWS: usize = 4;

/// Adds the square of `a`. The products of two different limbs are there twice: one of them is doubled, to 29 bits.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
pub(super) fn add_square<V: Vector, const REST: usize>(mut columns: &mut [V::Column], mut a: &[V::Limb]) {
    // A block's rows: their products with each other, and those with all limbs above. The next block begins two columns
    // a row further.
    while let Some((rows, above)) = a.split_first_chunk::<ROWS>()
        && above.len() >= REST
    {
        add_small_square::<V, _>(columns, rows);
        let doubled = rows.map(|limb| V::double(limb));
        add_first_columns::<V>(&mut columns[ROWS..], &doubled, above);
        add_rows::<V>(&mut columns[2 * ROWS - 1..], &doubled, above);
        (columns, a) = (&mut columns[2 * ROWS..], above);
    }
    if let Some(rest) = a.first_chunk::<REST>() {
        add_small_square::<V, _>(columns, rest);
    }
}

/// Adds the square of a few limbs.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
fn add_small_square<V: Vector, const COUNT: usize>(columns: &mut [V::Column], a: &[V::Limb; COUNT]) {
    let columns = &mut columns[..2 * COUNT - 1];
    for i in 0..COUNT {
        columns[2 * i] = V::add_product(columns[2 * i], a[i], a[i]);
        let doubled = V::double(a[i]);
        for j in i + 1..COUNT {
            columns[i + j] = V::add_product(columns[i + j], doubled, a[j]);
        }
    }
}

/// Adds to the first three columns of the product of a block and some limbs, which have fewer than four products.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
fn add_first_columns<V: Vector>(columns: &mut [V::Column], block: &[V::Limb; ROWS], limbs: &[V::Limb]) {
    let (columns, limbs) = (&mut columns[..ROWS - 1], &limbs[..ROWS - 1]);
    for k in 0..ROWS - 1 {
        for i in 0..=k {
            columns[k] = V::add_product(columns[k], block[i], limbs[k - i]);
        }
    }
}

/// Adds to all columns of the product of a block and some limbs but the first three. There are as many as limbs.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
fn add_rows<V: Vector>(columns: &mut [V::Column], block: &[V::Limb; ROWS], limbs: &[V::Limb]) {
    let Some((&[mut x, mut y, mut z], limbs)) = limbs.split_first_chunk() else { return };
    let (full, last) = columns.split_at_mut(limbs.len());
    let ((fours, singles), (limb_fours, limb_singles)) = (full.as_chunks_mut::<4>(), limbs.as_chunks::<4>());
    for (columns, &[a, b, c, d]) in fours.iter_mut().zip(limb_fours) {
        columns[0] = add_column::<V>(columns[0], block, [a, z, y, x]);
        columns[1] = add_column::<V>(columns[1], block, [b, a, z, y]);
        columns[2] = add_column::<V>(columns[2], block, [c, b, a, z]);
        columns[3] = add_column::<V>(columns[3], block, [d, c, b, a]);
        (x, y, z) = (b, c, d);
    }
    for (column, &next) in singles.iter_mut().zip(limb_singles) {
        *column = add_column::<V>(*column, block, [next, z, y, x]);
        (x, y, z) = (y, z, next);
    }
    let [_, second, third, fourth] = *block;
    last[0] = V::add_product(V::add_product(V::add_product(last[0], second, z), third, y), fourth, x);
    last[1] = V::add_product(V::add_product(last[1], third, z), fourth, y);
    last[2] = V::add_product(last[2], fourth, z);
}

#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
fn add_column<V: Vector>(column: V::Column, block: &[V::Limb; ROWS], limbs: [V::Limb; ROWS]) -> V::Column {
    let sum = V::add_product(V::add_product(column, block[0], limbs[0]), block[1], limbs[1]);
    V::add_product(V::add_product(sum, block[2], limbs[2]), block[3], limbs[3])
}

/// Adds L rows of the reduction, which leave the upper half of the columns, but for the products of the last rows,
/// whose factors are returned.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
pub(super) fn reduce<V: Vector, const L: usize, const COLUMNS: usize, const REST: usize>(
    columns: &mut [V::Column; COLUMNS],
    reducer: &[V::Limb; L],
) -> [V::Limb; REST] {
    let m = &reducer[..L - 1];
    // The factors of the next block are known once its columns have their products: long before the last of this one,
    // which keep the processor busy while the chain of factors lasts.
    let mut block = factors::<V, ROWS>(columns, m);
    let mut at = ROWS;
    while at < L - REST {
        add_first_full_columns::<V>(&mut columns[at..], &block, m);
        let next = factors::<V, ROWS>(&mut columns[at..], m);
        add_rows::<V>(&mut columns[at + ROWS..at + L - 1], &block, &m[ROWS..]);
        (block, at) = (next, at + ROWS);
    }
    add_rows::<V>(&mut columns[at..at + L - 1], &block, m);
    factors::<V, REST>(&mut columns[at..], m)
}

/// Adds to the first four columns that have four products of a block and M, as `add_rows` does.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
fn add_first_full_columns<V: Vector>(columns: &mut [V::Column], block: &[V::Limb; ROWS], m: &[V::Limb]) {
    let (columns, m) = (&mut columns[..ROWS], &m[..2 * ROWS - 1]);
    for k in 0..ROWS {
        columns[k] = add_column::<V>(columns[k], block, [m[k + 3], m[k + 2], m[k + 1], m[k]]);
    }
}

/// The factors of the next rows, whose columns have all products but those of these rows. What they carry is added to
/// the column behind.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2,fma"))]
fn factors<V: Vector, const COUNT: usize>(columns: &mut [V::Column], m: &[V::Limb]) -> [V::Limb; COUNT] {
    let (columns, m) = (&mut columns[..=COUNT], &m[..COUNT - 1]);
    let mut factors = [V::zero_limb(); COUNT];
    let mut carry = V::no_carry();
    for row in 0..COUNT {
        // what waits for the factor before comes last
        let mut column = columns[row];
        for i in 0..row {
            column = V::add_product(column, factors[i], m[row - 1 - i]);
        }
        (factors[row], carry) = V::reduced(V::add(column, carry));
    }
    columns[COUNT] = V::add(columns[COUNT], carry);
    factors
}
