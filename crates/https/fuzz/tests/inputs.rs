//! Every input that fuzzing starts from passes, and every one that once failed: `failed/<target>/*`.

use std::fs;
use std::path::Path;

#[test]
fn every_kept_input_passes() {
    for (target, run) in chronym_https_fuzz::TARGETS {
        let seeds = chronym_https_fuzz::seeds::seeds(target);
        assert!(!seeds.is_empty(), "{target}");
        let failed = Path::new(env!("CARGO_MANIFEST_DIR")).join("failed").join(target);
        let failed = fs::read_dir(failed).into_iter().flatten().map(|entry| {
            let path = entry.expect("an entry").path();
            (path.display().to_string(), fs::read(&path).expect("a file"))
        });
        for (name, input) in seeds.into_iter().chain(failed) {
            // A panic's message does not name the input.
            eprintln!("{target} {name}");
            run(&input);
        }
    }
}
