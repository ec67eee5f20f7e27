//! Modules of the page: their imports form no cycle, the core imports no room, and no room imports another. Types name
//! the elements of the page.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use testkit::repository;

/// Returns name and text of each module in a folder of the page.
fn modules(folder: &str) -> Vec<(String, String)> {
    let folder = repository().join("web/page").join(folder);
    let files =
        fs::read_dir(&folder).expect("a folder of the page").map(|entry| entry.expect("an entry").path());
    let named = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    files.map(|path| (named(&path), fs::read_to_string(&path).expect("a module"))).collect()
}

/// The modules of the page, each with those that it imports.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Adds each module below a folder of `web/`.
fn add_modules(folder: &Path, graph: &mut Graph) {
    for entry in fs::read_dir(folder).expect("a folder of the page") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            add_modules(&path, graph);
        } else if path.extension().is_some_and(|ending| ending == "js") {
            let name = path.strip_prefix(repository().join("web")).expect("a file of the page");
            let text = fs::read_to_string(&path).expect("a module");
            // The end of an import, which can have several lines: from "page/core/state.js";
            let ends = text.split("from \"").skip(1).filter_map(|rest| rest.split_once("\";\n"));
            let imports = ends.map(|(module, _)| module.to_owned()).collect();
            graph.insert(name.to_string_lossy().into_owned(), imports);
        }
    }
}

fn graph() -> Graph {
    let mut graph = Graph::new();
    for folder in ["page", "shared"] {
        add_modules(&repository().join("web").join(folder), &mut graph);
    }
    let arrows = graph.values().map(BTreeSet::len).sum::<usize>();
    assert!(graph.len() > 40 && arrows > 200, "{} modules, {arrows} imports", graph.len());
    let unknown = graph.values().flatten().find(|module| !graph.contains_key(*module));
    assert_eq!(unknown, None, "an import of no module");
    graph
}

#[test]
fn imports_form_no_cycle() {
    let mut graph = graph();
    // Modules that import nothing left, or are not imported, are removed until none of them is left.
    loop {
        let left: BTreeSet<String> = graph.keys().cloned().collect();
        let imported: BTreeSet<String> = graph.values().flatten().cloned().collect();
        graph.retain(|name, imports| imported.contains(name) && !imports.is_disjoint(&left));
        if graph.len() == left.len() {
            break;
        }
    }
    let left: Vec<&String> = graph.keys().collect();
    assert!(left.is_empty(), "on a cycle, or between two: {left:?}");
}

#[test]
fn the_core_knows_no_room_and_no_room_another() {
    for (name, imports) in graph() {
        for import in imports {
            let is_room = import.starts_with("page/rooms/");
            assert!(!is_room || name == "page/main.js", "{name} imports the room {import}");
            let outside = name.starts_with("page/core/") && !import.starts_with("page/core/");
            assert!(
                !outside || import.starts_with("shared/"),
                "{name} imports {import} from outside the core"
            );
        }
    }
    for (name, text) in modules("core") {
        let question = ["===", "!=="].iter().find(|sign| text.contains(&format!("state.mode {sign}")));
        assert!(question.is_none(), "core/{name} asks for the mode: a hook of the room belongs there");
    }
}

/// Names in `types.d.ts` of the kinds of elements, and their tags in `page.html`.
const KINDS: [(&str, &str); 7] = [
    ("Inputs", "input"),
    ("Selects", "select"),
    ("Buttons", "button"),
    ("Areas", "textarea"),
    ("Tables", "table"),
    ("Bars", "progress"),
    ("Dialogs", "dialog"),
];

#[test]
fn the_types_name_every_element_by_its_kind() {
    let [page, types] = ["page.html", "types.d.ts"].map(|name| {
        fs::read_to_string(repository().join("web/page").join(name)).expect("a file of the page")
    });
    let elements = page.split('<').filter_map(|tag| {
        let (start, _) = tag.split_once('>')?;
        let (_, id) = start.split_once(" id=\"")?;
        let name = start.split_whitespace().next()?;
        let kind = KINDS.iter().find(|(_, tag)| *tag == name).map_or("Others", |(kind, _)| kind);
        Some((kind, id.split('"').next()?.to_owned()))
    });
    let mut elements: Vec<(&str, String)> = elements.collect();
    let kinds = KINDS.iter().map(|(kind, _)| *kind).chain(["Others"]);
    let mut named: Vec<(&str, String)> = kinds
        .flat_map(|kind| {
            let (_, rest) = types.split_once(&format!("type {kind} =")).expect("a type of ids");
            let list = rest.split(';').next().expect("an end of the type");
            list.split('"').skip(1).step_by(2).map(|id| (kind, id.to_owned())).collect::<Vec<_>>()
        })
        .collect();
    elements.sort();
    named.sort();
    assert!(elements.len() > 200, "{} elements", elements.len());
    let differs = elements.iter().zip(&named).find(|(element, name)| element != name);
    assert_eq!(elements, named, "first difference: {differs:?}");
}

/// A key in two files would silently replace the other text.
#[test]
fn each_key_has_one_text_in_each_language() {
    let mut keys = Vec::new();
    for (name, text) in modules("core").into_iter().filter(|(name, _)| name.starts_with("text")) {
        let (english, chinese) =
            text.split_once("\n  zh: {").unwrap_or_else(|| panic!("no Chinese in {name}"));
        for (language, text) in [("en", english), ("zh", chinese)] {
            let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
            let named = lines.filter_map(|line| line.split_once(": "));
            let is_key = |key: &&str| key.chars().all(char::is_alphanumeric);
            keys.extend(named.map(|(key, _)| key).filter(is_key).map(|key| format!("{language} {key}")));
        }
    }
    assert!(keys.len() > 500, "{} keys", keys.len());
    keys.sort();
    let twice: Vec<_> = keys.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}
