//! Reads and writes files named by the user. Only regular files are accepted: a pipe or a device could block the
//! program or fill its memory.

use same_file::Handle;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Reads a text file: UTF-16 with a byte-order mark, else UTF-8. Invalid bytes become U+FFFD. Fails if the file is
/// missing, not regular, larger than `max` bytes, or unreadable.
pub fn read_text(path: &Path, max: u64) -> Result<String> {
    read(path, max).map(|bytes| decoded(&bytes))
}

/// Returns the modification time of a file; `None` if unknown.
pub fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}

/// Reads the bytes of a file. Fails if the file is missing, not regular, larger than `max` bytes, or unreadable.
pub fn read(path: &Path, max: u64) -> Result<Vec<u8>> {
    // Checked before opening, since opening a named pipe blocks until it has a writer.
    require_regular(path)?;
    let too_large = || Error::other(format!("larger than {} KB", max >> 10));
    if std::fs::metadata(path)?.len() > max {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // The file can have grown.
    File::open(path)?.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(too_large()) } else { Ok(bytes) }
}

fn decoded(bytes: &[u8]) -> String {
    let units = |read: fn([u8; 2]) -> u16| -> Vec<u16> {
        bytes.as_chunks().0.iter().skip(1).map(|&pair| read(pair)).collect()
    };
    match bytes {
        [0xff, 0xfe, ..] => String::from_utf16_lossy(&units(u16::from_le_bytes)),
        [0xfe, 0xff, ..] => String::from_utf16_lossy(&units(u16::from_be_bytes)),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn require_regular(path: &Path) -> Result<()> {
    if std::fs::metadata(path)?.is_file() { Ok(()) } else { Err(Error::other("not a regular file")) }
}

/// Maximum number of file names that [`append`] tries.
const MAX_NUMBERS: u32 = 9;

/// File size in bytes from which [`append`] regards a file as full.
const MAX_APPENDED: u64 = 100 << 20;

/// Marks of the lines of a log, see [`Log::note`](crate::io::Log::note).
const LOG_MARKS: [&str; 4] = ["-> ", "<- ", "-- ", "!! "];

/// Opens a log for appending, locks it for this process and returns it with its path. If `otrera.log` is in use or
/// full, tries `otrera-2.log` and so on. Fails if a file is irregular, not writable or no log of Otrera, or if all
/// names are in use.
pub fn append(path: &Path) -> Result<(PathBuf, File)> {
    for number in 1..=MAX_NUMBERS {
        let path = numbered(path, number);
        if path.try_exists()? {
            require_regular(&path)?;
        }
        let Some(file) = claim(&path)? else { continue };
        if is_standard_stream(&file)? {
            return Err(Error::other("is standard input or output"));
        }
        if !is_log(&path)? {
            return Err(Error::other("is no log of Otrera and stays unchanged: name another file"));
        }
        if file.metadata()?.len() < MAX_APPENDED {
            return Ok((path, file));
        }
    }
    Err(Error::other("in use or full, as are all its numbered variants"))
}

/// True if a file is empty or begins with a line of a log: seconds or blanks, and a mark.
fn is_log(path: &Path) -> Result<bool> {
    let mut bytes = Vec::new();
    File::open(path)?.take(32).read_to_end(&mut bytes)?;
    let time = bytes.iter().position(|byte| !b" .0123456789".contains(byte)).unwrap_or(bytes.len());
    let (time, rest) = bytes.split_at(time);
    Ok(bytes.is_empty() || time.len() > 9 && LOG_MARKS.iter().any(|mark| rest.starts_with(mark.as_bytes())))
}

/// Name of a temporary file of [`replace_file`], around the number of the process.
const DRAFT: &str = "otrera-";
const DRAFT_END: &str = ".part";

/// Replaces a file atomically: writes a temporary file and renames it. With `sync`, the content survives a power cut.
pub fn replace_file(path: &Path, bytes: &[u8], sync: bool) -> Result<()> {
    let draft = path.with_file_name(format!("{DRAFT}{}{DRAFT_END}", std::process::id()));
    let write = || {
        let mut file = File::create(&draft)?;
        file.write_all(bytes)?;
        if sync { file.sync_all() } else { Ok(()) }
    };
    let written = write().and_then(|()| std::fs::rename(&draft, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    written
}

/// Removes the temporary files of [`replace_file`] that killed processes left in a folder. No other process may write
/// there.
pub fn remove_drafts(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_draft = |name: &str| {
        let number = name.strip_prefix(DRAFT).and_then(|rest| rest.strip_suffix(DRAFT_END));
        number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    for entry in entries.filter(|entry| is_draft(&entry.file_name().to_string_lossy())) {
        // A leftover file does no harm.
        let _ = std::fs::remove_file(entry.path());
    }
}

/// Fails if the file exists or cannot be created.
pub fn require_new(file: &Path) -> std::result::Result<(), String> {
    let created = File::create_new(file).and_then(|_| std::fs::remove_file(file));
    created.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!("{} already exists; choose another name", file.display()),
        _ => format!("{}: {error}; choose another name", file.display()),
    })
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Opens a file for appending and locks it until it is closed; `None` if another process has locked it.
#[cfg(not(windows))]
pub fn claim(path: &Path) -> Result<Option<File>> {
    let file = File::options().create(true).append(true).open(path)?;
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        // A file system without locks cannot show that another process writes the file.
        Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(Some(file)),
    }
}

/// Opens a file for appending and locks it until it is closed; `None` if another process has locked it.
///
/// Denies write access through the share mode, since a Windows lock would also keep other processes from reading.
#[cfg(windows)]
pub fn claim(path: &Path) -> Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;
    const FILE_SHARE_READ: u32 = 1;
    const ERROR_SHARING_VIOLATION: i32 = 32;
    match File::options().create(true).append(true).share_mode(FILE_SHARE_READ).open(path) {
        Err(error) if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) => Ok(None),
        file => file.map(Some),
    }
}

/// True if standard input or output is this file.
fn is_standard_stream(file: &File) -> Result<bool> {
    let file = Handle::from_file(file.try_clone()?)?;
    Ok([Handle::stdin(), Handle::stdout()].into_iter().flatten().any(|stream| stream == file))
}
