//! Pulses of the beacon: keys and signatures are accepted exactly where blst accepts them.

use crate::edits;
use crate::input::Input;
use blst::BLST_ERROR;
use blst::min_sig;
use chronym_beacon::{KeyError, PublicKey, PulseError, message};
use std::sync::LazyLock;

/// drand's quicknet, and its rounds 123 and 1000 (`__test__/vectors/quicknet-pulses.json`).
const VECTORS: &str = include_str!("../../../../__test__/vectors/quicknet-pulses.json");

const DST: &[u8] = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

/// Key, round, signature.
type Pulse = (Vec<u8>, u64, Vec<u8>);

static PULSES: LazyLock<Vec<Pulse>> = LazyLock::new(|| {
    let vectors: serde_json::Value = serde_json::from_str(VECTORS).expect("JSON");
    let bytes = |value: &serde_json::Value| {
        let hex = value.as_str().expect("hex");
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex")).collect::<Vec<_>>()
    };
    let key = bytes(&vectors["public_key"]);
    let pulses = vectors["pulses"].as_array().expect("pulses");
    pulses
        .iter()
        .map(|pulse| (key.clone(), pulse["round"].as_u64().expect("round"), bytes(&pulse["signature"])))
        .collect()
});

/// One byte chooses between recorded pulses with changes, pulses signed here, and any bytes.
///
/// # Panics
/// When a verdict is not the oracle's.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let choice = input.u8();
    let (mut key, mut round, mut signature) = PULSES[usize::from(choice >> 2) % PULSES.len()].clone();
    match choice & 3 {
        0 => edits::apply(&mut signature, &mut input),
        1 => edits::apply(&mut key, &mut input),
        2 => {
            let mut secret = [1; 32];
            let material = input.take(32);
            secret[..material.len()].copy_from_slice(material);
            let secret = min_sig::SecretKey::key_gen(&secret, &[]).expect("32 bytes");
            key = secret.sk_to_pk().compress().to_vec();
            round = input.u64();
            signature = secret.sign(&message(round), DST, &[]).compress().to_vec();
            assert_eq!(judge(&key, round, &signature), Some(Ok(())));
            round ^= u64::from(input.u8());
            edits::apply(&mut signature, &mut input);
        }
        _ => {
            round = input.u64();
            signature = input.take(48).to_vec();
            let rest = input.rest();
            if !rest.is_empty() {
                key = rest.to_vec();
            }
        }
    }
    judge(&key, round, &signature);
}

/// The verdict on a pulse, `None` for a key that is none.
fn judge(key: &[u8], round: u64, signature: &[u8]) -> Option<Result<(), PulseError>> {
    // blst also takes uncompressed points, of twice the length.
    let compressed = key.len() == 96 && key[0] & 0x80 != 0;
    let expected_key = min_sig::PublicKey::key_validate(key).ok().filter(|_| compressed);
    let ours = match PublicKey::from_bytes(key) {
        Ok(ours) => ours,
        Err(error) => {
            assert_eq!(error, if key.len() == 96 { KeyError::Encoding } else { KeyError::Length });
            assert!(expected_key.is_none(), "refused {key:02x?}");
            return None;
        }
    };
    let expected_key = expected_key.unwrap_or_else(|| panic!("accepted {key:02x?}"));
    let compressed = signature.len() == 48 && signature[0] & 0x80 != 0;
    let decoded = min_sig::Signature::sig_validate(signature, true).ok().filter(|_| compressed);
    let expected = match decoded {
        None if signature.len() != 48 => Err(PulseError::Length),
        None => Err(PulseError::Encoding),
        Some(decoded) => match decoded.verify(true, &message(round), DST, &[], &expected_key, true) {
            BLST_ERROR::BLST_SUCCESS => Ok(()),
            _ => Err(PulseError::Signature),
        },
    };
    let verdict = ours.verify(round, signature);
    assert_eq!(verdict, expected, "key {key:02x?}, round {round}, signature {signature:02x?}");
    Some(verdict)
}
