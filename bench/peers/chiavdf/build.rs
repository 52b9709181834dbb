//! Builds chiavdf's squarings, which its crate does not export, from the sources that come with the crate: NUDUPL on GMP
//! and, on x86-64, the phased squaring of its timelord, whose assembler a program of chiavdf's writes.
//!
//! What goes wrong here ends the build of `peer-squaring` alone.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What chiavdf's own build defines for its timelord, and the fastest code for this processor.
const FLAGS: [&str; 6] = ["-std=c++17", "-O3", "-march=native", "-DVDF_MODE=0", "-DFAST_MACHINE=1", "-pthread"];
/// The sets of instructions that chiavdf chooses from when it runs.
const SETS: [(&str, &str); 3] =
    [("", "asm_compiled.s"), ("avx2", "avx2_asm_compiled.s"), ("avx512", "avx512_asm_compiled.s")];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=squaring/squaring.cpp");
    match squaring() {
        Ok(()) => println!("cargo:rustc-cfg=squaring"),
        Err(reason) => println!("cargo:warning=error: {}", reason.replace('\n', " ")),
    }
}

fn squaring() -> Result<(), String> {
    let out = PathBuf::from(env::var("OUT_DIR").map_err(|error| error.to_string())?);
    let source = source()?;
    let gmp = |name: &str| env::var(name).map_err(|_| format!("{name} is not set: where is GMP?"));
    let include = [format!("-I{}", gmp("DEP_GMP_INCLUDE_DIR")?), format!("-I{}", source.display())];
    let library = format!("{}/libgmp.a", gmp("DEP_GMP_LIB_DIR")?);
    let compile = |input: &Path, more: &[&str], output: &Path| {
        run(compiler().args(FLAGS).args(&include).arg(input).args(more).arg("-o").arg(output))
    };

    let mut objects = vec![out.join("squaring.o")];
    compile(Path::new("squaring/squaring.cpp"), &["-c"], &objects[0])?;
    if env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("x86_64") {
        let writer = out.join("compile_asm");
        compile(&source.join("compile_asm.cpp"), &[&library, "-lgmpxx"], &writer)?;
        for (set, written) in SETS {
            run(Command::new(&writer).current_dir(&out).args((!set.is_empty()).then_some(set)))?;
            let object = out.join(written).with_extension("o");
            run(compiler().arg("-c").arg(out.join(written)).arg("-o").arg(&object))?;
            objects.push(object);
        }
        let counting = out.join("lzcnt.o");
        run(compiler().args(["-x", "c", "-O3", "-c"]).arg(source.join("refcode/lzcnt.c")).arg("-o").arg(&counting))?;
        objects.push(counting);
    }
    // That assembler has absolute addresses.
    let rest = ["-no-pie", &library, "-lstdc++", "-lpthread"].map(OsStr::new);
    for argument in objects.iter().map(|object| object.as_os_str()).chain(rest) {
        println!("cargo:rustc-link-arg-bin=peer-squaring={}", argument.display());
    }
    Ok(())
}

/// Where cargo keeps the crate's C++.
fn source() -> Result<PathBuf, String> {
    let output = Command::new(env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()
        .map_err(|error| error.to_string())?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{error}: {}", String::from_utf8_lossy(&output.stderr)))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let chiavdf = packages.iter().find(|package| package["name"] == "chiavdf").ok_or("there is no chiavdf")?;
    let manifest = Path::new(chiavdf["manifest_path"].as_str().ok_or("chiavdf has no path")?);
    Ok(manifest.with_file_name("cpp"))
}

fn compiler() -> Command {
    Command::new(env::var_os("CXX").unwrap_or("c++".into()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said: String = String::from_utf8_lossy(&output.stderr).lines().take(5).collect::<Vec<_>>().join("; ");
    Err(format!("{command:?} failed: {said}"))
}
