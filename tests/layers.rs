//! Dependency rules: an engine module imports only lower modules, imports of the other crates have no cycles, and only
//! programs do input and output.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Modules, lowest first, with the modules that they can import.
const LAYERS: [(&str, &[&str]); 10] = [
    ("board", &[]),
    ("endgame", &["board"]),
    ("simd", &["board"]),
    ("threads", &[]),
    ("eval", &["board", "simd", "threads"]),
    ("clock", &["board"]),
    ("time", &[]),
    ("search", &["board", "endgame", "simd", "eval", "clock", "threads", "time"]),
    ("record", &["board"]),
    ("bench", &["board", "simd", "eval", "search", "time"]),
];

/// Input and output, forbidden in the library.
const FORBIDDEN: [&str; 7] =
    ["println!", "print!", "dbg!", "std::fs", "io::stdin", "io::stdout", "io::stderr"];

fn source() -> PathBuf {
    root().join("src")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Lists the files of a folder, with their code without comments.
fn files_below(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| match path.extension() {
        None => files_below(&path),
        Some(_) => {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.lines().map(|line| line.split("//").next().unwrap());
            vec![(path, code.collect::<Vec<_>>().join("\n"))]
        }
    });
    files.collect()
}

/// Returns the engine module of a file: its first folder, or its own name.
fn module_of(file: &Path) -> String {
    module_in(&source(), file)
}

fn module_in(source: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(source).unwrap();
    inside.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_string()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Returns the modules that a path, or a list of paths, after `crate::` refers to.
fn imports(path: &str, exports: &str) -> Vec<String> {
    let names: Vec<&str> = match path.strip_prefix('{').and_then(|list| list.split(['}', ';']).next()) {
        Some(list) => list.split(',').filter_map(|path| words(path).next()).collect(),
        None => words(path).take(1).collect(),
    };
    names.into_iter().map(|name| home_of(name, exports).to_string()).collect()
}

/// Returns the module from which `lib.rs` exports `name`, or `name` itself if it is a module.
fn home_of<'a>(name: &'a str, exports: &'a str) -> &'a str {
    let exports = exports.split(';').filter_map(|item| item.trim().strip_prefix("pub use "));
    exports
        .filter(|path| words(path).any(|word| word == name))
        .find_map(|path| words(path).next())
        .unwrap_or(name)
}

#[test]
fn imports_point_downwards() {
    let files = files_below(&source());
    let (_, exports) = files.iter().find(|(file, _)| module_of(file) == "lib").unwrap();
    let mut arrows = 0;
    for (file, code) in files.iter().filter(|(file, _)| module_of(file) != "lib") {
        let module = module_of(file);
        let Some((_, below)) = LAYERS.iter().find(|(name, _)| *name == module) else {
            panic!("{module} has no place among the layers")
        };
        for import in code.split("crate::").skip(1).flat_map(|path| imports(path, exports)) {
            let allowed = import == module || below.contains(&import.as_str());
            assert!(allowed, "{} imports {import}, which is not below {module}", file.display());
            arrows += 1;
        }
    }
    assert!(files.len() > 20 && arrows > 30, "{} files, {arrows} arrows: were they read?", files.len());
}

/// Returns the import graph of a crate: each module with the modules that it imports.
fn graph(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let files = files_below(source);
    for (file, _) in &files {
        graph.entry(module_in(source, file)).or_default();
    }
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    for (file, code) in files {
        let module = module_in(source, &file);
        let imports = code.split("crate::").skip(1).flat_map(|path| imports(path, ""));
        let others = imports.filter(|import| *import != module && modules.contains(import));
        graph.entry(module.clone()).or_default().extend(others.collect::<Vec<_>>());
    }
    graph
}

#[test]
fn the_other_crates_import_in_no_circle() {
    for source in ["referee/src", "protocol/src", "lab/src"].map(|folder| root().join(folder)) {
        let mut graph = graph(&source);
        // The crate's library file and its program are above all modules.
        graph.retain(|module, _| module != "lib" && module != "main");
        assert!(graph.values().map(BTreeSet::len).sum::<usize>() > 10, "{graph:?}: were they read?");
        // Removes the modules that import none of the rest, until no module is left or a cycle remains.
        while !graph.is_empty() {
            let left: BTreeSet<String> = graph.keys().cloned().collect();
            graph.retain(|_, imports| !imports.is_disjoint(&left));
            assert!(graph.len() < left.len(), "{}: imports in a circle: {graph:?}", source.display());
        }
    }
}

#[test]
fn the_library_has_no_input_or_output() {
    for (file, code) in files_below(&source()) {
        for word in FORBIDDEN {
            assert!(!code.contains(word), "{} contains {word}", file.display());
        }
    }
}
