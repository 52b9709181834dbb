//! Packets with changes: the same for the same seed.

use super::fixture::{option, packet};

/// Numbers that are alike for the same seed (Marsaglia's xorshift64).
pub struct Random(u64);

impl Random {
    /// `seed` is not 0.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % bound.max(1)
    }

    fn byte(&mut self) -> u8 {
        self.below(256).to_le_bytes()[0]
    }
}

/// Queries for each kind of name and type, with and without options.
pub fn seeds() -> Vec<Vec<u8>> {
    let names = [
        "alice.chronym",
        "WWW.alice.chronym",
        "x.wild.alice.chronym",
        "x.sub.alice.chronym",
        "empty.alice.chronym",
        "nothing.alice.chronym",
        "link0.alice.chronym",
        "to-bob.alice.chronym",
        "to-gone.alice.chronym",
        "types.alice.chronym",
        "bob.chronym",
        "sub.bob.chronym",
        "carol.chronym",
        "dave.chronym",
        "gone.chronym",
        "failed.chronym",
        "unknown.chronym",
        "big.alice.chronym",
        "stale.chronym",
        "chronym",
        "example.com",
        "",
    ];
    let types = [1, 2, 5, 6, 15, 16, 28, 33, 43, 46, 47, 48, 65, 128, 252, 255, 256];
    let options = [option(10, &[3; 8]), option(10, &[4; 24]), option(11, b""), option(12, &[0; 40])];
    let all = options.concat();
    let mut seeds = Vec::new();
    for (number, name) in names.iter().enumerate() {
        for (kind, qtype) in types.iter().enumerate() {
            let options = match (number + kind) % 6 {
                0 => None,
                5 => Some(&all[..]),
                choice => Some(options.get(choice - 1).map_or(&b""[..], |option| option)),
            };
            seeds.push(packet(name, *qtype, options, (number + kind) % 4 == 0));
        }
    }
    seeds
}

/// Changes up to three places, mostly one: bits, bytes, numbers at their limits; pieces cut, repeated or taken from
/// another packet.
pub fn mutate(packet: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(2) * random.below(3) {
        let at = random.below(packet.len());
        let length = random.below(packet.len() - at + 1).min(64);
        match random.below(9) {
            0 if !packet.is_empty() => packet[at] ^= 1 << random.below(8),
            1 if !packet.is_empty() => packet[at] = random.byte(),
            2 if !packet.is_empty() => packet[at] = [0, 1, 0x3f, 0x40, 0x7f, 0x80, 0xc0, 0xff][random.below(8)],
            3 => packet.truncate(at),
            4 => drop(packet.drain(at..at + length)),
            5 => packet.insert(at, random.byte()),
            6 => {
                let piece = packet[at..at + length].to_vec();
                let to = random.below(packet.len());
                packet.splice(to..to, piece);
            }
            7 => {
                let from = random.below(other.len());
                let to = random.below(packet.len());
                packet.splice(to..to, other[from..].iter().take(64).copied());
            }
            // A pointer to anywhere.
            8 if at + 1 < packet.len() => (packet[at], packet[at + 1]) = (0xc0, random.byte()),
            _ => {}
        }
    }
}
