//! Lets the linker leave Node's own symbols open, and tells the addon what compiles it.

use std::env;
use std::process::Command;

fn main() {
    napi_build::setup();
    let compiler = env::var_os("RUSTC").and_then(|rustc| Command::new(rustc).arg("--version").output().ok());
    let version = compiler.map_or_else(String::new, |output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    println!("cargo:rustc-env=COMPILER={version}");
}
