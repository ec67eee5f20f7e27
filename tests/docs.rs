//! Documentation pages: all links lead to existing files, all files named in the text exist, and every page is linked
//! from the README.

use std::fs;
use std::path::{Path, PathBuf};

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let docs = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let others = ["README.md", "README.zh-CN.md", "CHANGELOG.md", "bot/README.md"];
    docs.chain(others.map(|page| root.join(page))).collect()
}

/// Returns the local link targets of a page, in the forms `](TARGET)` and `src="TARGET"`, except GitHub releases.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let markdown = text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    let html = text.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let is_file = |target: &&str| {
        !target.contains("://") && !target.starts_with('#') && !target.starts_with("../../releases")
    };
    markdown.chain(html).filter(is_file)
}

#[test]
fn links_lead_to_existing_files() {
    let mut count = 0;
    for page in pages() {
        for link in links(&fs::read_to_string(&page).unwrap()) {
            let target = link.split('#').next().unwrap();
            assert!(page.with_file_name(target).exists(), "{} links to {link}", page.display());
            count += 1;
        }
    }
    assert!(count > 30, "only {count} links found");
}

#[test]
fn every_page_is_linked_from_the_readme() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    for page in pages().iter().filter(|page| page.parent().is_some_and(|folder| folder.ends_with("docs"))) {
        let name = format!("docs/{}", page.file_name().unwrap().to_string_lossy());
        assert!(links(&readme).any(|link| link == name), "README.md does not link to {name}");
    }
}

#[test]
fn files_named_in_pages_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "src",
        "tests",
        "testkit",
        "bot",
        "requests",
        "lab",
        "web",
        "python",
        "fuzz",
        "scripts",
        "docs",
        "packaging",
    ];
    let mut missing = Vec::new();
    for page in pages().iter().filter(|page| !page.ends_with("CHANGELOG.md")) {
        let text = fs::read_to_string(page).unwrap();
        let prose: String = text.split("```").step_by(2).collect();
        let mut spans: Vec<&str> = prose.split('`').skip(1).step_by(2).collect();
        spans.retain(|span| span.split_once('/').is_some_and(|(folder, _)| folders.contains(&folder)));
        spans.retain(|span| !span.contains([' ', '*', '{', '<', ':']) && !span.contains(char::is_uppercase));
        let is_missing = |span: &&str| !root.join(span).exists() && !page.with_file_name(span).exists();
        missing
            .extend(spans.into_iter().filter(is_missing).map(|span| format!("{}: {span}", page.display())));
    }
    assert!(missing.is_empty(), "no such files:\n{}", missing.join("\n"));
}

/// The documentation test of `src/lib.rs` compiles the examples; this test checks that each is a whole program.
#[test]
fn the_example_of_each_readme_is_a_whole_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let example = |page| {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let blocks: Vec<&str> = text.split("```rust\n").skip(1).collect();
        assert_eq!(blocks.len(), 1, "{page}");
        blocks[0].split("```").next().unwrap().to_owned()
    };
    let [english, chinese] = ["README.md", "README.zh-CN.md"].map(example);
    assert!(english.starts_with("use ") && english.contains("\nfn main() {\n"), "{english}");
    assert_eq!(english, chinese);
}
