//! Dependency rules: engine modules import only lower ones, the imports of files form no cycle, modules of the search
//! import only modules after them in the reading order of `src/search/mod.rs`, the root exports few names, and the library
//! does no input or output.
//!
//! An import is a path to an item of another file, in a `use` or inline, outside unit tests. A path to an item of the
//! file's parent (`super::Tree` in `tree/arena.rs`) does not count: a folder's `mod.rs` and the files below it are one
//! module that is split over files, and a child may extend its parent's types. A parent's import from its children
//! counts, and so does every import between siblings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Modules, lowest layer first, each with the modules that it can import.
const LAYERS: [(&str, &[&str]); 19] = [
    ("board", &[]),
    ("endgame", &["board"]),
    ("simd", &["board"]),
    ("threads", &[]),
    ("eval", &["board", "simd", "threads"]),
    ("clock", &["board", "endgame", "simd", "eval"]),
    ("time", &[]),
    ("order", &[]),
    ("seed", &[]),
    ("parameter", &[]),
    ("limits", &["board", "time", "parameter"]),
    ("report", &["board", "eval", "order"]),
    ("interface", &["board", "limits", "report"]),
    (
        "mgpeo",
        &[
            "board",
            "simd",
            "eval",
            "threads",
            "time",
            "seed",
            "order",
            "limits",
            "report",
            "interface",
            "parameter",
        ],
    ),
    (
        "search",
        &[
            "board",
            "endgame",
            "simd",
            "eval",
            "threads",
            "time",
            "seed",
            "order",
            "limits",
            "report",
            "interface",
            "parameter",
        ],
    ),
    ("engine", &["board", "eval", "limits", "interface", "parameter", "mgpeo", "search"]),
    ("record", &["board", "order"]),
    ("level", &["board", "engine", "seed", "limits", "report"]),
    ("bench", &["board", "engine", "limits", "report"]),
];

/// Maximum number of names that the crate's root exports; all others are reached through their modules.
const MAX_ROOT_NAMES: usize = 20;

/// Macros and modules for input and output, forbidden in the library.
const FORBIDDEN: [&str; 7] =
    ["println!", "print!", "dbg!", "std::fs", "io::stdin", "io::stdout", "io::stderr"];

/// A module path from the crate's root, such as `["search", "tree"]`; empty for the root.
type Module = Vec<String>;

/// The source files of a crate: code without comments and unit tests, by module.
struct Crate(BTreeMap<Module, String>);

/// Import graph: each module with the modules that it imports.
type Graph = BTreeMap<Module, BTreeSet<Module>>;

impl Crate {
    fn read(source: &str) -> Self {
        let mut files = BTreeMap::new();
        add_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(source), &[], &mut files);
        Self(files)
    }

    /// Returns the longest prefix of a path that is a module; the root if no other is.
    fn module_of(&self, path: &[&str]) -> Module {
        let mut prefixes = (0..=path.len()).rev().map(|length| module(&path[..length]));
        prefixes.find(|prefix| self.0.contains_key(prefix)).unwrap_or_default()
    }

    /// Returns the modules whose items a file uses.
    fn homes(&self, file: &Module) -> BTreeSet<Module> {
        self.paths(file, &self.0[file]).iter().map(|path| self.module_of(path)).collect()
    }

    /// Returns the import graph of the files. The root is left out: it declares and exports all modules.
    fn graph(&self) -> Graph {
        let files = self.0.keys().filter(|file| !file.is_empty());
        let imports = files.map(|file| {
            let mut imports = self.homes(file);
            // Drops the root, the file itself and its ancestors.
            imports.retain(|import| !file.starts_with(import));
            (file.clone(), imports)
        });
        imports.collect()
    }

    /// Returns the paths in a file's code that begin with `crate`, `super`, `self` or the name of a child module, each
    /// resolved from the crate's root.
    fn paths<'a>(&'a self, file: &'a Module, code: &'a str) -> Vec<Vec<&'a str>> {
        let file: Vec<&str> = file.iter().map(String::as_str).collect();
        let children =
            self.0.keys().filter(|child| child.len() == file.len() + 1 && child.starts_with(&module(&file)));
        let children = children.map(|child| child[file.len()].as_str());
        let mut paths = Vec::new();
        for first in ["crate", "super", "self"].into_iter().chain(children) {
            for (at, _) in code.match_indices(&format!("{first}::")) {
                if !code[..at].ends_with(|c| is_in_word(c) || c == ':') {
                    paths.extend(use_tree(&code[at..]).into_iter().map(|path| from_root(&file, &path)));
                }
            }
        }
        paths
    }
}

fn module(path: &[&str]) -> Module {
    path.iter().map(|name| (*name).to_owned()).collect()
}

fn add_files(folder: &Path, path: &[&str], files: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_stem().unwrap().to_str().unwrap();
        if entry.is_dir() {
            add_files(&entry, &[path, &[name]].concat(), files);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&entry).unwrap();
            let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap()).collect();
            let code = code.join("\n").split("#[cfg(test)]\nmod ").next().unwrap().to_owned();
            let is_folder = ["mod", "lib"].contains(&name);
            files.insert(module(&if is_folder { path.to_vec() } else { [path, &[name]].concat() }), code);
        }
    }
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the paths of the use tree at the start of a text: `a::{b, c::d}` gives `a::b` and `a::c::d`.
fn use_tree(text: &str) -> Vec<Vec<&str>> {
    let mut paths = Vec::new();
    read_tree(text, &[], &mut paths);
    paths
}

/// Adds the paths of a use tree below `path`; returns the text after the tree.
fn read_tree<'a>(text: &'a str, path: &[&'a str], paths: &mut Vec<Vec<&'a str>>) -> &'a str {
    let text = text.trim_start();
    if let Some(list) = text.strip_prefix('{') {
        let mut rest = read_tree(list, path, paths);
        while let Some(more) = rest.trim_start().strip_prefix(',') {
            rest = read_tree(more, path, paths);
        }
        return rest.trim_start().strip_prefix('}').unwrap_or(rest);
    }
    let (name, rest) = text.split_at(text.find(|c| !is_in_word(c) && c != '*').unwrap_or(text.len()));
    if name.is_empty() {
        return rest;
    }
    let path = [path, &[name]].concat();
    if let Some(below) = rest.strip_prefix("::") {
        return read_tree(below, &path, paths);
    }
    paths.push(path);
    rest.strip_prefix(" as ").map_or(rest, |alias| alias.trim_start_matches(is_in_word))
}

/// Resolves `crate`, `super` and `self` in a path that a file uses.
fn from_root<'a>(file: &[&'a str], path: &[&'a str]) -> Vec<&'a str> {
    let ups = path.iter().take_while(|name| **name == "super").count();
    match path[0] {
        "crate" => path[1..].to_vec(),
        "self" => [file, &path[1..]].concat(),
        _ => [&file[..file.len() - ups], &path[ups..]].concat(),
    }
}

/// Returns the modules that are on an import cycle or lead to one: modules without imports are removed repeatedly.
fn cycles(mut graph: Graph) -> Vec<Module> {
    loop {
        let left: BTreeSet<Module> = graph.keys().cloned().collect();
        graph.retain(|_, imports| !imports.is_disjoint(&left));
        if graph.len() == left.len() {
            return left.into_iter().collect();
        }
    }
}

/// Merges the files of each top-level module into one node, and drops imports within such a module.
fn by_top_module(graph: &Graph) -> Graph {
    let mut merged = Graph::new();
    for (file, imports) in graph {
        let tops = imports.iter().map(|import| import[..1].to_vec()).filter(|top| *top != file[..1]);
        merged.entry(file[..1].to_vec()).or_default().extend(tops);
    }
    merged
}

#[test]
fn modules_import_only_lower_layers() {
    let source = Crate::read("src");
    let graph = source.graph();
    for file in graph.keys() {
        assert!(!source.homes(file).contains(&module(&[])), "{file:?} imports from src/lib.rs");
    }
    let merged = by_top_module(&graph);
    for (module, imports) in &merged {
        let Some((_, below)) = LAYERS.iter().find(|(name, _)| *name == module[0]) else {
            panic!("{module:?} has no place among the layers")
        };
        for import in imports {
            assert!(below.contains(&import[0].as_str()), "{module:?} imports {import:?}, which is not below");
        }
    }
    let arrows: usize = graph.values().map(BTreeSet::len).sum();
    assert!(graph.len() > 60 && arrows > 200, "only {} files, {arrows} imports found", graph.len());
}

#[test]
fn the_root_exports_few_names() {
    let source = Crate::read("src");
    let root = &source.0[&module(&[])];
    let names: Vec<Vec<&str>> = root.split("pub use ").skip(1).flat_map(use_tree).collect();
    assert!(names.contains(&vec!["board", "position", "Position"]), "{names:?}");
    assert!(names.len() <= MAX_ROOT_NAMES, "{} names: {names:?}", names.len());
}

#[test]
fn files_have_no_import_cycles() {
    for (source, least) in [
        ("src", 200),
        ("arena/src", 10),
        ("front/src", 10),
        ("botzone/src", 1),
        ("bot/src", 20),
        ("local/src", 12),
        ("lab/src", 100),
        ("requests/src", 3),
        ("python/src", 10),
    ] {
        let graph = Crate::read(source).graph();
        let arrows: usize = graph.values().map(BTreeSet::len).sum();
        assert!(arrows >= least, "{source}: only {arrows} imports found");
        assert_eq!(cycles(by_top_module(&graph)), [] as [Module; 0], "{source}");
        assert_eq!(cycles(graph), [] as [Module; 0], "{source}");
    }
}

#[test]
fn search_files_follow_the_reading_order() {
    let introduction = include_str!("../src/search/mod.rs");
    let order: Vec<&str> =
        introduction.lines().filter_map(|line| line.strip_prefix("//! | [`")?.split('`').next()).collect();
    let source = Crate::read("src");
    let graph = source.graph();
    let place = |file: &Module| order.iter().position(|name| *name == file[1]);
    for (file, imports) in graph.iter().filter(|(file, _)| file[0] == "search" && file.len() > 1) {
        assert!(place(file).is_some(), "{file:?} is missing in the table of src/search/mod.rs");
        for import in imports.iter().filter(|import| import[0] == "search") {
            assert!(place(import) >= place(file), "{file:?} imports {import:?}, which comes before it");
        }
        assert!(
            !source.homes(file).contains(&module(&["search"])),
            "{file:?} imports from src/search/mod.rs"
        );
    }
}

#[test]
fn the_library_does_no_input_or_output() {
    for (file, code) in Crate::read("src").0 {
        for word in FORBIDDEN {
            assert!(!code.contains(word), "{file:?} contains {word}");
        }
    }
}
