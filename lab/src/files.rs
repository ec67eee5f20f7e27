//! Input and output files: inputs with a size limit, outputs that replace a file atomically and never an input, and
//! logs that grow line by line and can be resumed. Files that the command did not write stay unchanged.

use crate::interrupt;
use atomic_write_file::AtomicWriteFile;
use otrera::eval::model::Model;
use otrera::eval::weights::WeightsFile;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Size limit of input files in bytes, equal to that of `otrera analyze --record`. Reading takes up to eight times the
/// size of a file.
pub const MAX_BYTES: u64 = 512 << 20;

/// Formats an error message that begins with the path of the file.
pub fn problem(path: &Path, what: impl Display) -> String {
    format!("{}: {what}", path.display())
}

/// Reads UTF-8 text of at most `max` bytes, like [`read_bytes`].
pub fn read_text(path: &Path, max: u64) -> Result<String, String> {
    String::from_utf8(read_bytes(path, max)?)
        .map_err(|_| problem(path, "is not UTF-8 text: convert it with iconv -f GBK -t UTF-8"))
}

/// Reads at most `max` bytes. Accepts only regular files: a pipe could block, a device could be endless.
pub fn read_bytes(path: &Path, max: u64) -> Result<Vec<u8>, String> {
    // Checked before the file is opened: opening a named pipe waits for its other end.
    let found = path.metadata().map_err(|error| problem(path, error))?;
    if !found.is_file() {
        return Err(problem(path, "is not a regular file: name one"));
    }
    let too_large = || problem(path, format!("is larger than {} MB: split it", max >> 20));
    if found.len() > max {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // The file can have grown.
    let read = File::open(path).and_then(|file| file.take(max.saturating_add(1)).read_to_end(&mut bytes));
    read.map_err(|error| problem(path, error))?;
    if bytes.len() as u64 > max { Err(too_large()) } else { Ok(bytes) }
}

/// Reads the model of a weights file; also returns the [`checksum`] of its text.
pub fn read_model(name: &str) -> Result<(Model, String), String> {
    let text = read_text(name.as_ref(), MAX_BYTES)?;
    let model = Model::from_weights(&text).map_err(|error| problem(name.as_ref(), error))?;
    Ok((model, checksum(&text)))
}

/// Returns the CRC-32 of a text in eight hexadecimal digits, for the conditions of result files.
pub fn checksum(text: &str) -> String {
    format!("{:08x}", crc32fast::hash(text.as_bytes()))
}

/// Reads a weights file, or returns the built-in weights for `None`.
pub fn read_weights(path: Option<&Path>) -> Result<WeightsFile, String> {
    let Some(path) = path else { return Ok(WeightsFile::built_in()) };
    WeightsFile::read(&read_text(path, MAX_BYTES)?).map_err(|error| problem(path, error))
}

/// Beginning of a weights file.
pub const WEIGHTS: &[&str] = &["{\n  \"priors\""];

/// Beginning of a plot.
pub const PLOT: &[&str] = &["<svg width=\"760\""];

/// A file of results, locked while it is open. Dropping removes a file that was created and holds no result, so that a
/// failed start does not block the next one.
pub struct Locked {
    path: PathBuf,
    pub file: File,
    is_disposable: bool,
}

impl Locked {
    /// Keeps the file from now on, because it holds a result.
    pub fn keep(&mut self) {
        self.is_disposable = false;
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        if self.is_disposable {
            // A leftover file can be resumed.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A log of text lines that can be resumed after an interruption; the file is locked while it is open.
pub struct LineLog {
    path: PathBuf,
    locked: Locked,
    /// Total length of the complete lines in bytes, the offset of the next write.
    length: u64,
    /// Newline to write before the next line if the last complete line lacks one, else empty.
    line_end: &'static str,
}

impl LineLog {
    /// Creates a log; with `resume`, opens an existing one and calls `read` with each line after the header.
    ///
    /// Blank lines are skipped, and an incomplete last line is dropped. A complete JSON object counts as a line even
    /// without a line end, which some editors remove. Opening writes nothing except a missing header.
    pub fn open(
        path: &Path,
        resume: bool,
        header: Option<&str>,
        mut read: impl FnMut(&str) -> Result<(), String>,
    ) -> Result<Self, String> {
        let mut locked = open_locked(path, resume)?;
        let mut bytes = Vec::new();
        locked.file.read_to_end(&mut bytes).map_err(|error| problem(path, error))?;
        if header.is_some_and(|header| header.as_bytes().starts_with(&bytes)) {
            bytes.clear();
        }
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let rest = &bytes[end..];
        let is_line = rest.starts_with(b"{") && serde_json::from_slice::<serde::de::IgnoredAny>(rest).is_ok();
        let (complete, line_end) = if is_line { (&bytes[..], "\n") } else { (&bytes[..end], "") };
        let text = std::str::from_utf8(complete).map_err(|error| problem(path, error))?;
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).peekable();
        if lines.peek().is_none() && !bytes.is_empty() {
            return Err(problem(path, "was not written by this command: name another file"));
        }
        let mut log = Self { path: path.to_owned(), locked, length: text.len() as u64, line_end };
        match (header, header.and_then(|_| lines.next())) {
            (Some(header), None) => log.write(header)?,
            (Some(header), Some((_, first))) => check_settings(path, first, header)?,
            _ => {}
        }
        for (number, line) in lines {
            read(line).map_err(|error| problem(path, format!("line {number}: {error}")))?;
        }
        Ok(log)
    }

    /// Appends a line. On an error, such as a full disk, leaves the file unchanged.
    pub fn add(&mut self, line: &str) -> Result<(), String> {
        self.write(line)?;
        self.locked.keep();
        Ok(())
    }

    fn write(&mut self, line: &str) -> Result<(), String> {
        let Self { path, locked: Locked { file, .. }, length, line_end } = self;
        let text = format!("{line_end}{line}\n");
        let _guard = interrupt::hold();
        let written = file
            .set_len(*length)
            .and_then(|()| file.seek(SeekFrom::Start(*length)))
            .and_then(|_| file.write_all(text.as_bytes()));
        if let Err(error) = written {
            // If this fails too, opening the log drops the incomplete line.
            let _ = file.set_len(*length);
            return Err(problem(path, error));
        }
        *length += text.len() as u64;
        *line_end = "";
        Ok(())
    }
}

/// Fails if the first line of a log differs from a new header.
pub fn check_settings(path: &Path, first: &str, header: &str) -> Result<(), String> {
    if first == header {
        return Ok(());
    }
    let reason = match differing_settings(first, header) {
        Some(settings) => {
            format!("was started with {settings}: give the same settings, or name another output")
        }
        None => "was started with other settings: name another file".into(),
    };
    Err(problem(path, reason))
}

/// Lists the settings in the first line of a log that differ in a new header. `None` if no setting differs or a line is
/// not of the form `{"match": {"size": 10, ...}}`.
fn differing_settings(first: &str, header: &str) -> Option<String> {
    let [begun, given] = [first, header].map(|line| serde_json::from_str::<Map<String, Value>>(line).ok());
    let (begun, given) = (begun?, given?);
    let (kind, begun) = begun.iter().next()?;
    let given = given.get(kind)?;
    let differ = begun.as_object()?.iter().filter(|(name, value)| given[name.as_str()] != **value);
    let text = |(name, value): (&String, &Value)| match value {
        Value::String(text) => format!("{name}={text}"),
        _ => format!("{name}={value}"),
    };
    let texts: Vec<String> = differ.map(text).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// Opens a log for appending and locks it; without `resume`, fails if it exists.
pub fn open_locked(path: &Path, resume: bool) -> Result<Locked, String> {
    let found = path.metadata();
    let is_new = found.is_err();
    match found {
        Ok(found) if !found.is_file() => {
            return Err(problem(path, "is not a regular file, but results are read back: name one"));
        }
        Ok(_) if !resume => {
            return Err(problem(path, "exists: add --resume to continue this file, or name another file"));
        }
        _ => make_folder_of(path)?,
    }
    let mut options = File::options();
    let file = options.read(true).write(true).create(true).create_new(!resume).truncate(false).open(path);
    let file = file.map_err(|error| problem(path, error))?;
    // Retries briefly: between fork and exec, a child process started by another thread holds copies of our file
    // descriptors, and with them the lock of a file just closed.
    let patience = Instant::now() + Duration::from_millis(500);
    loop {
        match file.try_lock() {
            // Another lab may have replaced the file after it was opened and before it was locked.
            Ok(()) if file.metadata().is_ok_and(|file| is_same(&file, path)) => {
                return Ok(Locked { path: path.to_owned(), file, is_disposable: is_new });
            }
            Err(TryLockError::Error(error)) => return Err(problem(path, error)),
            Err(TryLockError::WouldBlock) if Instant::now() < patience => sleep(Duration::from_millis(5)),
            _ => {
                let busy = "another lab is writing this file: wait for its end, or name another file";
                return Err(problem(path, busy));
            }
        }
    }
}

/// An output file: checked to be writable before the work begins, written at its end.
#[derive(Debug)]
pub struct Output(PathBuf);

impl Output {
    /// Checks that the file can be written, is none of the `inputs`, and is new, empty or begins with one of the texts
    /// in `own`, by which a command recognizes its earlier output. Creates the parent folder.
    pub fn new(path: &Path, inputs: &[PathBuf], own: &[&str]) -> Result<Self, String> {
        if inputs.iter().any(|input| input.metadata().is_ok_and(|input| is_same(&input, path))) {
            return Err(problem(path, "is an input and would be overwritten: name another file"));
        }
        make_folder_of(path)?;
        match path.metadata() {
            Ok(found) if found.is_dir() => return Err(problem(path, "is a folder: name a file")),
            Ok(found) if found.is_file() => {
                let bytes = beginning(path, own).map_err(|error| problem(path, error))?;
                if !bytes.is_empty() && !own.iter().any(|own| bytes.starts_with(own.as_bytes())) {
                    let foreign = "exists and was not written by this command: move it, or name another file";
                    return Err(problem(path, foreign));
                }
                File::options().write(true).open(path).map(drop)
            }
            // A pipe or a device is opened only when it is written.
            Ok(_) => Ok(()),
            Err(_) => File::create_new(path).and_then(|_| fs::remove_file(path)),
        }
        .map_err(|error| problem(path, error))?;
        Ok(Self(path.to_owned()))
    }

    /// Replaces the file atomically: at any time it holds either the complete old text or the complete new text. Writes
    /// pipes and devices directly.
    pub fn write(&self, text: &str) -> Result<(), String> {
        self.write_with(|file| file.write_all(text.as_bytes()))
    }

    /// Writes like [`Output::write`], by a function that writes the text in parts.
    pub fn write_with(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), String> {
        let Self(path) = self;
        let written = match path.metadata() {
            Ok(found) if !found.is_file() => File::create(path).and_then(|mut file| write(&mut file)),
            // A symbolic link is kept; its target is replaced.
            Ok(_) => path.canonicalize().and_then(|path| replace(&path, write)),
            Err(_) => replace(path, write),
        };
        written.map_err(|error| problem(path, error))
    }

    /// Writes `text` to a temporary file in the output's folder and deletes the file. Detects a full disk before hours
    /// of work. Does nothing if the output is a pipe or a device.
    pub fn try_out(&self, text: &str) -> Result<(), String> {
        let Self(path) = self;
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Ok(());
        }
        let path = path.canonicalize().unwrap_or_else(|_| path.clone());
        let tried = AtomicWriteFile::open(&path).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.discard()
        });
        tried.map_err(|error| problem(&path, format!("{error}: name another file")))
    }

    /// Writes like [`Output::write`]; on failure, saves the text in the temporary folder and names the copy in the
    /// error.
    pub fn write_or_keep(&self, text: &str) -> Result<(), String> {
        self.write(text).map_err(|problem| {
            let name = self.0.file_name().unwrap_or_default().to_string_lossy();
            let copy = std::env::temp_dir().join(format!("lab-{}-{name}", std::process::id()));
            match File::create_new(&copy).and_then(|mut file| file.write_all(text.as_bytes())) {
                Ok(()) => format!("{problem}; the text is in {}", copy.display()),
                Err(error) => format!("{problem}; cannot write {} either: {error}", copy.display()),
            }
        })
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// Reads enough bytes of a file to compare them with each of the texts.
fn beginning(path: &Path, texts: &[&str]) -> io::Result<Vec<u8>> {
    let length = texts.iter().map(|text| text.len()).max().unwrap_or(0).max(1);
    let mut bytes = Vec::new();
    File::open(path)?.take(length as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn make_folder_of(path: &Path) -> Result<(), String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), |folder| fs::create_dir_all(folder).map_err(|error| problem(folder, error)))
}

/// True if the path refers to this file, even under another name or through a link.
fn is_same(file: &fs::Metadata, path: &Path) -> bool {
    path.metadata().is_ok_and(|found| (found.dev(), found.ino()) == (file.dev(), file.ino()))
}

fn replace(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = AtomicWriteFile::open(path)?;
    write(&mut file)?;
    file.commit()
}
