//! The user's address on the site. It contains a secret, so that it never appears in a message.

use otrera_front::files;
use std::fmt;
use std::path::{Path, PathBuf};

/// Environment variable that contains the address.
pub const VARIABLE: &str = "OTRERA_BOTZONE";

/// Name of the file beside the program that contains the address.
pub const FILE: &str = "botzone-address.txt";

/// Form of an address, for help and errors.
pub const FORM: &str = "https://www.botzone.org.cn/api/USER/SECRET/localai";

/// Text shown in place of the secret.
const HIDDEN: &str = "***";

/// Maximum size of the file with the address, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// The address of a user's local AI.
pub struct Address {
    /// `https://HOST/api/USER/SECRET`, without a slash at the end.
    base: String,
    host: String,
    /// Parts that no output contains, the longest first.
    hidden: Vec<String>,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{HIDDEN}", self.host)
    }
}

impl Address {
    /// Reads the address from `file`, else from the environment variable [`VARIABLE`], else from the file [`FILE`]
    /// beside the program. Also returns a warning if other users can read the file.
    pub fn find(file: Option<&Path>) -> Result<(Self, Option<String>), String> {
        if let (None, Some(text)) = (file, std::env::var_os(VARIABLE)) {
            let address = Self::parse(&text.to_string_lossy());
            return Ok((address.map_err(|problem| format!("{VARIABLE}: {problem}"))?, None));
        }
        let beside = || Some(std::env::current_exe().ok()?.parent()?.join(FILE));
        let path = file.map(Path::to_owned).or_else(beside).unwrap_or_else(|| PathBuf::from(FILE));
        let text = files::read_text(&path, MAX_FILE_BYTES).map_err(|error| {
            let path = path.display();
            format!("{path}: {error}; put the address {FORM} into this file or into {VARIABLE}")
        })?;
        let address = Self::parse(&text).map_err(|problem| format!("{}: {problem}", path.display()))?;
        Ok((address, warning(&path)))
    }

    /// Parses the first line of a text that is neither empty nor a comment (`#`). The error does not repeat the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let line =
            lines.into_iter().find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
        let line = line.trim_matches(['"', '\'', '<', '>']);
        let form = || format!("expected an address like {FORM}");
        let (scheme, rest) = line.split_once("://").ok_or_else(form)?;
        let is_plain = |c: char| c.is_ascii_graphic() && !r#"?#@\"'<>^`{}|"#.contains(c);
        if !rest.chars().all(is_plain) {
            return Err(form());
        }
        let parts: Vec<&str> = rest.trim_end_matches('/').split('/').collect();
        let &[host, api, user, secret] = parts.strip_suffix(&["localai"]).unwrap_or(&parts) else {
            return Err(form());
        };
        if [host, user, secret].contains(&"") || api != "api" {
            return Err(form());
        }
        match scheme.to_ascii_lowercase().as_str() {
            "https" => {}
            "http" if is_this_machine(host) => {}
            "http" => {
                return Err("the address must begin with https://, which hides the secret on its way".into());
            }
            _ => return Err(form()),
        }
        let base = format!("{}://{host}/api/{user}/{secret}", scheme.to_ascii_lowercase());
        let mut hidden = vec![format!("{user}/{secret}"), secret.to_owned(), user.to_owned()];
        // Hiding a text of one or two letters would make every message unreadable, and such a text is no secret.
        hidden.retain(|part| part.len() > 2);
        Ok(Self { base, host: host.to_owned(), hidden })
    }

    /// Returns the name of the site.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// True for a site on this machine, which no proxy reaches.
    pub fn is_on_this_machine(&self) -> bool {
        is_this_machine(&self.host)
    }

    /// Returns the address of one of the interface's requests: `localai`, `runmatch` or `abortmatch`.
    pub(crate) fn of_request(&self, name: &str) -> String {
        format!("{}/{name}", self.base)
    }

    /// True for a text with the secret.
    pub fn has_secret(&self, text: &str) -> bool {
        let secret = self.base.rsplit('/').next().unwrap_or_default();
        self.hidden.iter().any(|part| part == secret) && text.contains(secret)
    }

    /// Replaces the secret and the user in a text with `***`.
    pub fn hide(&self, text: &str) -> String {
        self.hidden.iter().fold(text.to_owned(), |text, part| text.replace(part, HIDDEN))
    }
}

fn is_this_machine(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    ["127.0.0.1", "localhost", "[::1]"].contains(&name)
}

/// Returns a warning if other users of this machine can read the file.
#[cfg(unix)]
fn warning(path: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = path.metadata().ok()?.permissions().mode();
    let path = path.display();
    (mode & 0o044 != 0).then(|| format!("other users of this machine can read the secret: chmod 600 {path}"))
}

/// Returns no warning: the program does not read Windows' access lists.
#[cfg(not(unix))]
fn warning(_path: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_in_the_forms_that_people_paste() {
        for text in [
            "https://www.botzone.org.cn/api/5be1/s3cret/localai",
            "\u{feff}# my address\r\n\r\n  \"https://www.botzone.org.cn/api/5be1/s3cret/localai/\"\r\n",
            "HTTPS://www.botzone.org.cn/api/5be1/s3cret",
        ] {
            let address = Address::parse(text).unwrap_or_else(|problem| unreachable!("{text}: {problem}"));
            assert_eq!(address.of_request("runmatch"), "https://www.botzone.org.cn/api/5be1/s3cret/runmatch");
            assert_eq!(address.host(), "www.botzone.org.cn");
            assert_eq!(address.hide("GET /api/5be1/s3cret/localai: s3cret"), "GET /api/***/localai: ***");
            assert!(!format!("{address:?}").contains("s3cret"));
            assert!(address.has_secret("--match=s3cret") && !address.has_secret("5be1"));
        }
    }

    #[test]
    fn an_error_does_not_repeat_the_secret() {
        for text in [
            "",
            "s3cret",
            "ftp://host/api/5be1/s3cret/localai",
            "http://www.botzone.org.cn/api/5be1/s3cret/localai",
            "https://www.botzone.org.cn/5be1/s3cret/localai",
            "https://www.botzone.org.cn/api/5be1/s3cret/localai/more",
            "https://user@www.botzone.org.cn/api/5be1/s3cret",
            "https://www.botzone.org.cn/api//s3cret",
            "https://www.botzone.org.cn/api/5be1/s3cret?x=1",
        ] {
            let problem = Address::parse(text).err().unwrap_or_else(|| unreachable!("{text} was accepted"));
            assert!(problem.contains("https://") && !problem.contains("s3cret"), "{text}: {problem}");
        }
    }
}
