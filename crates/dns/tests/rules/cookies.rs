//! Cookies: RFC 7873; the values are those of RFC 9018, appendix A.

use chronym_dns::{Cookie, cookie};
use std::net::IpAddr;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn secret(hex: &str) -> [u8; 16] {
    bytes(hex).try_into().unwrap()
}

const SECRET: &str = "e5e973e5a6b2a43f48e7dc849e37bfcf";
const CLIENT: &str = "198.51.100.100";
const MADE: u32 = 1_559_731_985;
const COOKIE: &str = "2464c4abcf10c957010000005cf79f111f8130c3eee29480";

#[test]
fn a_cookie_is_made_as_other_servers_make_it() {
    let first = Cookie::new(&bytes("2464c4abcf10c957")).unwrap();
    let made = cookie::make(&secret(SECRET), &first, CLIENT.parse().unwrap(), MADE);
    assert_eq!(made.to_vec(), bytes(COOKIE));
    let first = Cookie::new(&bytes("22681ab97d52c298")).unwrap();
    let address: IpAddr = "2001:db8:220:1:59de:d0f4:8769:82b8".parse().unwrap();
    let made = cookie::make(&secret("445536bcd2513298075a5d379663c962"), &first, address, 1_559_741_961);
    assert_eq!(made.to_vec(), bytes("22681ab97d52c298010000005cf7c609a6bb79d16625507a"));
}

#[test]
fn a_cookie_proves_its_address_for_an_hour() {
    let whole = Cookie::new(&bytes(COOKIE)).unwrap();
    let check = |client: &str, key: &str, now: u32| cookie::check(&secret(key), &whole, client.parse().unwrap(), now);
    for age in [0, 3600] {
        assert!(check(CLIENT, SECRET, MADE + age), "{age}");
    }
    // Clocks may differ by five minutes.
    assert!(check(CLIENT, SECRET, MADE - 300));
    assert!(!check(CLIENT, SECRET, MADE - 301));
    assert!(!check(CLIENT, SECRET, MADE + 3601));
    assert!(!check("198.51.100.101", SECRET, MADE));
    assert!(!check(CLIENT, "dd3bdf9344b678b185a6f5cb60fca715", MADE));
}

#[test]
fn a_client_part_alone_or_a_changed_cookie_proves_nothing() {
    let client = CLIENT.parse().unwrap();
    assert!(!cookie::check(&secret(SECRET), &Cookie::new(&bytes(COOKIE)[..8]).unwrap(), client, MADE));
    for at in 0..24 {
        let mut changed = bytes(COOKIE);
        changed[at] ^= 1;
        assert!(!cookie::check(&secret(SECRET), &Cookie::new(&changed).unwrap(), client, MADE), "byte {at}");
    }
}

#[test]
fn a_cookie_has_8_bytes_or_16_to_40() {
    for length in 0..=50 {
        assert_eq!(Cookie::new(&vec![0; length]).is_some(), length == 8 || (16..=40).contains(&length), "{length}");
    }
}
