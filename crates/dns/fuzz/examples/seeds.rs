//! Writes each target's first inputs into `corpus/`: `cargo run --no-default-features --example seeds`.

use std::fs;
use std::path::Path;

fn main() {
    for (target, _) in chronym_dns_fuzz::TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, seed) in chronym_dns_fuzz::seeds::seeds(target) {
            fs::write(folder.join(name), seed).expect("a file");
        }
    }
}
