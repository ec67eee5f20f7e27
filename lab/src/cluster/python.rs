//! Finds a Python interpreter with Ray, or installs Ray into a virtual environment in the user's cache folder.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RAY: &str = "ray==2.60.0";

/// Returns the path of a Python interpreter with Ray: the one named by `OTRERA_PYTHON` (default `python3`), else the
/// one of a virtual environment in the cache folder. Creates this environment and installs Ray if needed.
pub fn with_ray() -> Result<PathBuf, String> {
    let named = env::var_os("OTRERA_PYTHON").map(PathBuf::from);
    if let Some(python) = &named
        && !succeeds(Command::new(python).arg("--version"))
    {
        return Err(format!("OTRERA_PYTHON: {} does not start", python.display()));
    }
    let given = named.unwrap_or_else(|| PathBuf::from("python3"));
    if has_ray(&given) {
        return Ok(given);
    }
    let home =
        env::var_os("HOME").map(PathBuf::from).ok_or("HOME is not set, and Ray needs a folder: set it")?;
    let cache = env::var_os("XDG_CACHE_HOME").map_or_else(|| home.join(".cache"), PathBuf::from);
    let own = cache.join("otrera/ray");
    let python = own.join("bin/python");
    if !has_ray(&python) {
        make(&given, &own, &python)?;
    }
    Ok(python)
}

fn has_ray(python: &Path) -> bool {
    // Importing Ray would take a second.
    let finds = "import importlib.util, sys; sys.exit(importlib.util.find_spec('ray') is None)";
    succeeds(Command::new(python).args(["-c", finds]))
}

fn succeeds(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn make(given: &Path, own: &Path, python: &Path) -> Result<(), String> {
    eprintln!("lab: Ray is missing: fetching it into {}", own.display());
    let mut steps = [Command::new(given), Command::new(python)];
    steps[0].args(["-m", "venv"]).arg(own);
    steps[1].args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", RAY]);
    for step in &mut steps {
        let status = step.stdin(Stdio::null()).status();
        if !status.is_ok_and(|status| status.success()) {
            return Err(format!(
                "Ray cannot be fetched ({step:?} failed; on Debian it needs python3-venv): install it, or set \
                 OTRERA_PYTHON to a Python that has it"
            ));
        }
    }
    Ok(())
}
