mod long;
mod properties;

use crate::reference;
use crate::{Discriminant, Error, Form};

/// Sizes with every number of limbs, and odd ones between.
const SIZES: [usize; 12] = [8, 16, 24, 64, 128, 136, 256, 264, 512, 768, 1000, 1024];

/// A class of which nothing is known: the generator to a power with as many bits as the discriminant.
fn element(discriminant: &Discriminant, salt: u64) -> Form {
    let mut state = salt.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut form = Form::generator(discriminant);
    for _ in 0..discriminant.bits() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        form = reference::square(&form);
        if state & 1 == 1 {
            form = reference::compose(&form, &Form::generator(discriminant));
        }
    }
    form
}

fn assert_reduced(form: &Form, discriminant: &Discriminant) {
    assert_eq!(Form::from_ab(&form.a, &form.b, form.b_negative, discriminant), Some(*form));
}

#[test]
fn the_fast_operations_equal_the_textbooks() {
    for bits in SIZES {
        let d = Discriminant::from_seed(b"form tests", bits).unwrap();
        let (mut f, mut g) = (element(&d, 1), element(&d, 2));
        for _ in 0..60 {
            let square = f.square(&d);
            assert_reduced(&square, &d);
            assert_eq!(square, reference::square(&f), "{bits}");
            assert_eq!(square, f.compose(&f, &d), "{bits}");
            let product = f.compose(&g, &d);
            assert_eq!(product, reference::compose(&f, &g), "{bits}");
            assert_eq!(product, g.compose(&f, &d), "{bits}");
            (f, g) = (product, square);
        }
    }
}

#[test]
fn small_forms_square_and_compose() {
    for bits in SIZES {
        let d = Discriminant::from_seed(b"small forms", bits).unwrap();
        let (mut f, generator) = (Form::generator(&d), Form::generator(&d));
        for step in 0..bits {
            let product = f.compose(&generator, &d);
            assert_eq!(product, reference::compose(&f, &generator), "{bits}, {step}");
            assert_eq!(product.compose(&generator.inverse(), &d), f, "{bits}, {step}");
            let square = f.square(&d);
            assert_eq!(square, reference::square(&f), "{bits}, {step}");
            f = if step % 3 == 0 { square } else { product };
        }
    }
}

#[test]
fn products_with_norm_two_are_compositions() {
    for bits in SIZES {
        let d = Discriminant::from_seed(b"norm two", bits).unwrap();
        let generator = Form::generator(&d);
        assert_eq!([generator, generator.inverse()].map(|form| form.norm_two()), [Some(true), Some(false)]);
        assert_eq!(Form::identity(&d).norm_two(), None);
        // powers of the generator meet every parity of a, b and c, from the smallest forms on
        let mut f = Form::identity(&d);
        for step in 0..2 * bits {
            for (positive, factor) in [(true, generator), (false, generator.inverse())] {
                let product = f.times_norm_two(positive);
                assert_reduced(&product, &d);
                assert_eq!(product, reference::compose(&f, &factor), "{bits}, {step}, {positive}");
                assert_eq!(product.times_norm_two(!positive), f, "{bits}, {step}, {positive}");
            }
            f = if step % 3 == 0 { f.square(&d) } else { f.times_norm_two(step % 3 == 1 || step > bits) };
        }
    }
}

#[test]
fn the_group_laws_hold() {
    for bits in SIZES {
        let d = Discriminant::from_seed(b"group laws", bits).unwrap();
        let identity = Form::identity(&d);
        let [f, g, h] = [3, 4, 5].map(|salt| element(&d, salt));
        assert_eq!(f.compose(&identity, &d), f);
        assert_eq!(identity.compose(&f, &d), f);
        assert_eq!(identity.square(&d), identity);
        assert_eq!(f.compose(&f.inverse(), &d), identity);
        assert_eq!(f.compose(&g, &d).compose(&h, &d), f.compose(&g.compose(&h, &d), &d));
        assert_eq!(f.pow(&[1, 0x23], &d), f.pow(&[0x1, 0], &d).compose(&f.pow(&[0x23], &d), &d));
        assert_eq!(f.pow(&[0, 0], &d), identity);
    }
}

#[test]
fn every_form_decodes_to_itself() {
    for bits in SIZES {
        let d = Discriminant::from_seed(b"codec tests", bits).unwrap();
        let mut form = Form::identity(&d);
        for step in 0..150 {
            assert_eq!(Form::decode(&d, &form.encode(&d)), Ok(form), "{bits}, {step}");
            assert_eq!(Form::decode(&d, &form.inverse().encode(&d)), Ok(form.inverse()), "{bits}, {step}");
            form = form.square(&d).compose(&Form::generator(&d), &d);
        }
    }
}

#[test]
fn altered_encodings_are_other_forms_or_refused() {
    for bits in [64, 256, 1024] {
        let d = Discriminant::from_seed(b"codec tests", bits).unwrap();
        for salt in 0..4 {
            let form = element(&d, salt);
            let bytes = form.encode(&d);
            for index in 0..bytes.len() {
                for flip in [1, 0x80, 0xff] {
                    let mut altered = bytes;
                    altered[index] ^= flip;
                    if let Ok(other) = Form::decode(&d, &altered) {
                        assert_ne!(other, form);
                        assert_eq!(other.encode(&d), altered);
                        assert_reduced(&other, &d);
                    }
                }
            }
        }
    }
}

#[test]
fn wrong_lengths_and_nonsense_are_refused() {
    let d = Discriminant::from_seed(b"codec tests", 1024).unwrap();
    assert_eq!(Form::decode(&d, &[]), Err(Error::FormLength(0)));
    assert_eq!(Form::decode(&d, &[8; 101]), Err(Error::FormLength(101)));
    for byte in 0..=255 {
        assert_eq!(Form::decode(&d, &[byte; 100]), Err(Error::FormEncoding), "{byte}");
        let mut flag = [0; 100];
        flag[0] = byte;
        assert_eq!(Form::decode(&d, &flag).is_ok(), [4, 8].contains(&byte), "{byte}");
    }
}

#[test]
fn a_discriminant_is_checked() {
    let d = Discriminant::from_seed(&[1; 32], 1024).unwrap();
    let bytes = d.to_be_bytes();
    assert_eq!(Discriminant::from_be_bytes(&bytes), Ok(d));
    assert_eq!(Discriminant::from_be_bytes(&[]), Err(Error::DiscriminantSize(0)));
    assert_eq!(Discriminant::from_be_bytes(&[0xff; 129]), Err(Error::DiscriminantSize(1032)));
    assert_eq!(Discriminant::from_be_bytes(&[0x7f, 0xff]), Err(Error::DiscriminantSize(15)));
    assert_eq!(Discriminant::from_be_bytes(&[251]), Err(Error::DiscriminantResidue));
    assert_eq!(Discriminant::from_be_bytes(&[247]), Err(Error::DiscriminantNotPrime));
    let mut composite = bytes;
    composite[64] ^= 2;
    assert_eq!(Discriminant::from_be_bytes(&composite), Err(Error::DiscriminantNotPrime));
    assert_eq!(Discriminant::from_seed(&[1; 1], 1024), Err(Error::SeedLength(1)));
    assert_eq!(Discriminant::from_seed(&[1; 65], 1024), Err(Error::SeedLength(65)));
    for bits in [0, 4, 1020, 1025, 1032, usize::MAX] {
        assert_eq!(Discriminant::from_seed(&[1; 4], bits), Err(Error::DiscriminantSize(bits)));
    }
}

#[test]
fn random_bytes_are_refused_or_encode_again() {
    let mut state = 77_u64;
    for bits in SIZES {
        let d = Discriminant::from_seed(b"random bytes", bits).unwrap();
        for round in 0..300 {
            let mut bytes = [0; 100];
            for byte in &mut bytes {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                *byte = (state >> 56) as u8;
            }
            // mostly plausible heads: without them nothing is read
            if round % 8 != 0 {
                bytes[0] &= 3;
                bytes[1] &= if round % 3 == 0 { 0 } else { 7 };
            }
            if let Ok(form) = Form::decode(&d, &bytes) {
                assert_reduced(&form, &d);
                assert_eq!(form.encode(&d), bytes);
            }
        }
    }
}
