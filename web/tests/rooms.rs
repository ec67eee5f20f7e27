//! Modules of the page: the core imports no room, and no room imports another.

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
