//! Types of the page's modules, written as comments (JSDoc) and checked by TypeScript.

use std::fs;
use std::path::{Path, PathBuf};
use testkit::page::checked_types;
use testkit::repository;

/// Returns the modules in a folder and the folders below it.
fn modules(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    let scripts = files.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "js"));
    scripts.chain(folders.iter().flat_map(|folder| modules(folder))).collect()
}

#[test]
fn every_module_passes_the_strict_check_of_types() {
    let Some(output) = checked_types() else { return };
    let said = String::from_utf8_lossy(&output.stdout);
    let errors: Vec<_> = said.lines().filter(|line| line.contains(": error TS")).collect();
    assert!(output.status.success() && errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
    let modules = ["page", "shared"].map(|folder| modules(&repository().join("web").join(folder))).concat();
    assert!(modules.len() > 35, "{} modules", modules.len());
    for module in modules {
        let name = module.to_str().expect("UTF-8");
        assert!(said.lines().any(|line| line == name), "{name} is not checked");
        let text = fs::read_to_string(&module).expect("a module");
        assert!(!text.contains("@ts-"), "{name} hides errors");
    }
}
