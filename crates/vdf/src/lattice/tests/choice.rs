use super::super::LatticeContext;
use super::super::choice::{SQUARINGS, sample, square_times, steps_in_use};
use super::super::context::Instructions;
use super::reference::{BigForm, limbs};
use crate::backend::Backend;

/// All turns together.
const MEASURED: u32 = 60 * SQUARINGS;

#[test]
fn the_choice_is_made_once() {
    let Some(token) = Backend::available()[0].native() else { return };
    assert_eq!(steps_in_use(token), steps_in_use(token));
}

#[test]
fn the_choice_measures_squarings_of_which_hardly_one_is_refused() {
    for instructions in Instructions::of(Backend::available()[0]) {
        let (context, form) = sample(instructions);
        let mut form = BigForm::from(&form);
        let mut refused = 0;
        for _ in 0..MEASURED {
            let fast = form.to_fast().expect("a form of the usual size");
            let measured = square_times(&context, fast, 1);
            form = form.square();
            refused += u32::from(measured == fast);
            assert!(measured == fast || BigForm::from(&measured) == form);
        }
        assert!(refused <= if cfg!(feature = "stress") { MEASURED / 10 } else { 1 }, "{refused}");
    }
}

#[test]
fn the_measured_forms_are_reduced_and_of_their_contexts_discriminant() {
    for instructions in Instructions::of(Backend::available()[0]) {
        let (context, form) = sample(instructions);
        let form = BigForm::from(&form);
        assert!(form.clone().reduce() == form);
        let expected = LatticeContext::new(&limbs(&form.discriminant()).unwrap(), instructions).unwrap();
        assert!((context.sqrt_discriminant / expected.sqrt_discriminant - 1.0).abs() < 1e-14);
        let LatticeContext { sqrt_discriminant, .. } = context;
        assert_eq!(context, LatticeContext { sqrt_discriminant, ..expected });
    }
}
