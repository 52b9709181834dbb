//! Writes each target's first inputs below a folder: `cargo run --no-default-features --example seeds FOLDER`.

use std::fs;
use std::path::Path;

fn main() {
    let folder = std::env::args().nth(1).expect("a folder");
    for (target, _) in chronym_https_fuzz::TARGETS {
        let folder = Path::new(&folder).join(target);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, seed) in chronym_https_fuzz::seeds::seeds(target) {
            fs::write(folder.join(name), seed).expect("a file");
        }
    }
}
