//! The web page, built once per test binary.

use crate::browser::Browser;
use crate::files::{repository, target};
use crate::skip;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

const TARGET: &str = "wasm32-unknown-unknown";

/// Packages that tests install with npm: the accessibility checker axe-core (<https://github.com/dequelabs/axe-core>)
/// and the compiler of TypeScript, which checks the types of the page's modules.
const NPM_PACKAGES: [&str; 2] = ["axe-core@4.11", "typescript@5.9.3"];

/// The script of each package.
const NPM_FILES: [&str; 2] = ["axe-core/axe.min.js", "typescript/lib/tsc.js"];

/// Returns the page as `make web` builds it; `None`, with a message, without Rust's WebAssembly target.
pub fn page(test: &str) -> Option<&'static Path> {
    static PAGE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let page = PAGE.get_or_init(|| has_library().then(build)).as_deref();
    if page.is_none() {
        assert!(std::env::var_os("CI").is_none(), "no library for {TARGET}: rustup target add {TARGET}");
        skip(test, &format!("no Rust library for {TARGET} (rustup target add {TARGET})"));
    }
    page
}

/// Installs Rust's WebAssembly target with rustup if the target is missing. Returns true if the target is installed.
fn has_library() -> bool {
    let rustc = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let folder = rustc.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let install = || Command::new("rustup").args(["target", "add", TARGET]).status();
    folder.is_ok_and(|folder| Path::new(&folder).is_dir()) || install().is_ok_and(|status| status.success())
}

fn build() -> PathBuf {
    let page = target().join("tmp/otrera.html");
    let build = Command::new(repository().join("scripts/build_web.sh"))
        .arg(&page)
        .env("CARGO_TARGET_DIR", target())
        .output()
        .expect("sh starts");
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    page
}

/// Returns a file of [`NPM_PACKAGES`], downloaded once with npm; `None`, with a message, if npm fails.
fn npm_file(test: &str, file: &str) -> Option<PathBuf> {
    static IS_INSTALLED: OnceLock<bool> = OnceLock::new();
    let folder = target().join("tmp/npm");
    let modules = folder.join("node_modules");
    let is_installed = *IS_INSTALLED.get_or_init(|| {
        let install = ["install", "--no-audit", "--no-fund", "--silent", "--prefix"];
        let install = || Command::new("npm").args(install).arg(&folder).args(NPM_PACKAGES).status();
        NPM_FILES.iter().all(|file| modules.join(file).exists())
            || install().is_ok_and(|status| status.success())
    });
    if !is_installed {
        assert!(std::env::var_os("CI").is_none(), "no axe-core and TypeScript: apt-get install npm");
        skip(test, "no axe-core and TypeScript (sudo apt-get install npm, and a network)");
    }
    is_installed.then(|| modules.join(file))
}

/// Returns the script of the accessibility checker axe-core; `None`, with a message, if npm fails.
pub fn axe() -> Option<String> {
    let script = npm_file("accessibility of the page", NPM_FILES[0])?;
    Some(std::fs::read_to_string(script).expect("npm has installed the script"))
}

/// Checks the types of the page with TypeScript; `None`, with a message, if npm fails. The output lists the files.
pub fn checked_types() -> Option<Output> {
    let compiler = npm_file("types of the page", NPM_FILES[1])?;
    let project = repository().join("web/page");
    Some(
        Command::new("node")
            .arg(compiler)
            .arg("--listFiles")
            .arg("--project")
            .arg(project)
            .output()
            .expect("node starts"),
    )
}

/// Fails if axe-core, which must be loaded ([`axe`]), finds problems of more than `minor` impact on the page shown.
#[track_caller]
pub fn assert_accessible(browser: &mut Browser, case: &str) {
    let found = browser.evaluate(
        "axe.run().then(({ violations }) => violations.filter(({ impact }) => impact !== 'minor')
            .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ').slice(0, 500)}`))",
    );
    assert_eq!(found, serde_json::json!([]), "{case}");
}

/// Calls [`assert_accessible`] in the light and in the dark colour scheme.
#[track_caller]
pub fn assert_schemes_accessible(browser: &mut Browser, case: &str) {
    for scheme in ["light", "dark"] {
        browser.emulate(scheme);
        assert_accessible(browser, &format!("{scheme}, {case}"));
    }
}

/// Fails if the page is wider than its window of `width` pixels.
#[track_caller]
pub fn assert_fits(browser: &mut Browser, width: u32, case: &str) {
    let widest = browser.evaluate("document.documentElement.scrollWidth");
    let fits = widest.as_u64().is_some_and(|widest| widest <= u64::from(width));
    assert!(fits, "{case}: {widest} wide in a window of {width}");
}

/// Fails if a text contains an English word of three letters or more, except these names.
#[track_caller]
pub fn assert_translated(text: &str, names: &[&str]) {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_english = |word: &str| word.len() > 2 && word.chars().all(|c| c.is_ascii_alphabetic());
    let english = words.find(|&word| is_english(word) && !names.contains(&word));
    assert!(english.is_none(), "{english:?} in {text}");
}
