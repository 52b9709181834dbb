//! Every input that is kept passes, and there are some for each target.

use std::fs;
use std::path::Path;

#[test]
fn every_kept_input_passes() {
    for (name, run) in chronym_dns_fuzz::TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut inputs = 0;
        for entry in entries {
            let path = entry.expect("an entry").path();
            // A panic's message does not name the input.
            eprintln!("{}", path.display());
            run(&fs::read(&path).expect("a file"));
            inputs += 1;
        }
        assert!(inputs > 0, "{name}");
    }
}
