//! Folders and paths for tests.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Returns the root of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this crate is a folder of the repository")
}

/// Returns Cargo's target folder, three levels above the running test executable in `target/PROFILE/deps`.
pub fn target() -> &'static Path {
    static TARGET: LazyLock<PathBuf> = LazyLock::new(|| {
        let program = std::env::current_exe().expect("a test knows its path");
        program.ancestors().nth(3).expect("the test is in target/PROFILE/deps").to_owned()
    });
    &TARGET
}

/// A new temporary folder, removed when dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Creates a temporary folder whose name contains `name`.
    pub fn new(name: &str) -> Self {
        Self::below(&std::env::temp_dir(), name)
    }

    /// Creates a folder in `target/tmp`, into which programs in `target` can be hard-linked.
    pub fn in_target(name: &str) -> Self {
        Self::below(&target().join("tmp"), name)
    }

    fn below(parent: &Path, name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("otrera-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        Self(folder)
    }

    /// Returns the path of a file in the folder.
    pub fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("paths of tests are UTF-8").to_owned()
    }

    /// Writes a file into the folder, with its parent folders, and returns its path.
    pub fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder in a folder");
        std::fs::write(&path, text).expect("a file fits on the disk");
        self.file(name)
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
