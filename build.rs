//! Bundles `js/` with the vendored front-end and makes the V8 start-up snapshot the binary embeds.
//!
//! Steps, one module each: find and verify the front-end ([`frontend`]), stage it with our overlays and run esbuild
//! ([`bundle`]), evaluate and warm the bundle into a snapshot ([`snapshot`]), collect
//! the front-end's licences ([`notices`]). Any surprise fails the build: another
//! version, a changed file, a byte above 0x7F, a top-level `await`.

#[path = "build/bundle.rs"]
mod bundle;
#[path = "build/frontend.rs"]
mod frontend;
#[path = "build/notices.rs"]
mod notices;
#[path = "build/snapshot.rs"]
mod snapshot;

use std::path::PathBuf;
use std::process::ExitCode;

/// Where things are while the build script runs.
pub struct Dirs {
    /// The repository.
    pub root: PathBuf,
    /// Cargo's output folder for this script.
    pub out: PathBuf,
}

fn run() -> Result<(), String> {
    let dirs = Dirs {
        root: PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?),
        out: PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?),
    };
    for path in [
        "build",
        "build.rs",
        "js",
        "vendor/frontend.sha256",
        "vendor/overlays.json",
        "vendor/package-lock.json",
        "tests/fixtures/warmup.json.gz",
    ] {
        println!("cargo:rerun-if-changed={path}");
    }
    println!("cargo:rerun-if-env-changed=DEVTOOLS_FRONTEND_DIR");
    println!("cargo:rerun-if-env-changed=DEVTOOLS_MCP_ESBUILD");
    let frontend = frontend::Frontend::locate(&dirs)?;
    let stage = frontend.stage(&dirs)?;
    let bundle = bundle::run(&dirs, &frontend, &stage)?;
    snapshot::write(&dirs, &bundle)?;
    notices::write(&dirs, &frontend, &stage)?;
    println!("cargo:rustc-env=DEVTOOLS_FRONTEND_VERSION={}", frontend.version);
    println!(
        "cargo:rustc-env=DEVTOOLS_FRONTEND_TEXTS={}",
        stage.join("front_end/models/issues_manager/descriptions").display()
    );
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error}\n");
            ExitCode::FAILURE
        }
    }
}
