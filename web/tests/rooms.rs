//! Modules of the page: the core imports no room, and no room imports another. Types name the elements of the page.

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

#[test]
fn the_core_knows_no_room_and_no_room_another() {
    let [core, rooms] = ["core", "rooms"].map(modules);
    assert!(core.len() > 10 && rooms.len() >= 4, "{} modules, {} rooms", core.len(), rooms.len());
    for (name, text) in core {
        for outside in ["\"page/rooms/", "\"page/play/", "\"page/main.js\""] {
            assert!(!text.contains(outside), "core/{name} imports from {outside}");
        }
        let question = ["===", "!=="].iter().find(|sign| text.contains(&format!("state.mode {sign}")));
        assert!(question.is_none(), "core/{name} asks for the mode: a hook of the room belongs there");
    }
    for (name, text) in rooms {
        assert!(!text.contains("\"page/rooms/"), "rooms/{name} imports another room");
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
