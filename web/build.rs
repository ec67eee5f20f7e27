//! Assembles the page: replaces each line `{{FILE}}` in `page/page.html` with that file, and `{{modules}}` with the
//! import map of all modules. `otrera gui` serves this page; `pack.py` inserts the engine for `make web`.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

/// The script of the worker is no module of the page.
const WORKER: &str = "page/worker.js";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rerun-if-changed=shared");
    let mut page = String::new();
    for line in fs::read_to_string("page/page.html")?.split_inclusive('\n') {
        let file = line.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        match file {
            Some("modules") => page += &import_map()?,
            Some(file) => page += &(text(file)? + "\n"),
            None => page += line,
        }
    }
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&folder).join("page.html"), page)
}

/// Returns the text of a file; scripts and styles without comment lines and indentation, a fifth of them; puzzles
/// without the numbers of their games. No string spans several lines. A line of a style can begin with the selector `*`.
fn text(name: &str) -> io::Result<String> {
    let text = fs::read_to_string(name)?;
    let comments: &[&str] = match Path::new(name).extension().and_then(|ending| ending.to_str()) {
        Some("js") => &["//", "/*", "* ", "*/"],
        Some("css") => &["/*"],
        Some("txt") => return Ok(puzzles(&text)),
        _ => return Ok(text),
    };
    let is_comment = |line: &str| line == "*" || comments.iter().any(|sign| line.starts_with(sign));
    let lines = text.lines().map(str::trim_start).filter(|line| !is_comment(line));
    Ok(lines.map(|line| joined(without_casts(line))).collect())
}

/// Returns the lines of a puzzle file with what the page reads of them: FEN, moves, margin and grade.
fn puzzles(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let read = lines.filter_map(|line| line.rsplit_once(';')).map(|(read, _)| read);
    read.collect::<Vec<_>>().join("\n")
}

/// Returns a line with its end. No line break is needed behind these signs, and in an address it takes three letters. A
/// comment ends with its line.
fn joined(line: String) -> String {
    let is_open = line.ends_with([';', '{', ',', '(', '[']) && !line.contains("//");
    if is_open { line } else { line + "\n" }
}

/// Returns a line without the types inside it, such as `/** @type {Move} */`.
fn without_casts(line: &str) -> String {
    let mut parts = line.split("/** @type");
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(|part| part.split_once("*/ ").map_or(part, |(_, rest)| rest)).collect::<String>()
}

/// Returns the import map: a module is imported by its path below `web/`, and its address contains its text.
fn import_map() -> io::Result<String> {
    let mut names = Vec::new();
    for folder in ["page", "shared"] {
        find_modules(folder, &mut names)?;
    }
    names.sort();
    let mut map = String::new();
    for name in names {
        let separator = if map.is_empty() { "" } else { ",\n" };
        let _ = write!(map, "{separator}\"{name}\":\"{}\"", address(&name, &text(&name)?));
    }
    Ok(format!("{{\"imports\":{{\n{map}\n}}}}\n"))
}

/// Adds the paths of the modules in a folder of `web/`, with `/` between their parts.
fn find_modules(folder: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            find_modules(&name, names)?;
        } else if name.ends_with(".js") && name != WORKER {
            names.push(name);
        }
    }
    Ok(())
}

/// Returns the `data:` address of a module as JSON. Its last line tells the browser's tools the module's name.
fn address(name: &str, text: &str) -> String {
    let mut address = "data:text/javascript,".to_owned();
    for character in format!("{text}//# sourceURL={name}\n").chars() {
        match character {
            '%' | '#' | '<' | '\n' => {
                let _ = write!(address, "%{:02X}", u32::from(character));
            }
            '"' | '\\' => address.extend(['\\', character]),
            _ => address.push(character),
        }
    }
    address
}
