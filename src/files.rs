//! The one policy for paths that a client names: which it may reach, and what its answer is when it may not.
//!
//! Roots are the directories of `--filesystemRoot`, those the client announced, and always the temporary directory;
//! when there are none of the first two, the working directory. A path is judged by where it really is, after
//! resolving symbolic links.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::config::Config;

/// A path the client may not reach, or one that cannot be resolved.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// Outside all roots. Both paths as JSON string literals.
    #[error("Access denied: path {given} (canonical: {canonical}) is outside the allowed directories: {roots}")]
    Outside { given: String, canonical: String, roots: String },
    /// Neither the path nor a part of it can be resolved.
    #[error("Access denied: path {given} cannot be resolved: {why}")]
    Unresolvable { given: String, why: String },
}

impl AccessError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            AccessError::Outside { .. } => {
                "use a path inside these directories, or start the server with --workspace=<directory>".into()
            }
            AccessError::Unresolvable { .. } => "check the path's spelling and its permissions".into(),
        }
    }
}

/// Which paths are allowed, given what the client has announced.
#[derive(Debug, Clone)]
pub struct PathPolicy {
    roots: Option<Vec<PathBuf>>,
}

impl PathPolicy {
    /// `client_roots` is `None` until the client has announced some (an empty list counts as announced).
    pub fn new(config: &Config, client_roots: Option<&[PathBuf]>) -> Self {
        if config.allow_unrestricted_paths && client_roots.is_none() {
            return PathPolicy { roots: None };
        }
        let mut roots = Vec::new();
        if !config.allow_unrestricted_paths {
            roots.extend(config.filesystem_roots.iter().cloned());
        }
        roots.extend(client_roots.unwrap_or_default().iter().cloned());
        if config.filesystem_roots.is_empty() && client_roots.is_none() {
            roots.extend(std::env::current_dir());
        }
        roots.push(std::env::temp_dir());
        let mut resolved = Vec::new();
        for root in roots {
            match root.canonicalize() {
                Ok(root) if !resolved.contains(&root) => resolved.push(root),
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(root = %root.display(), %error, "a root cannot be resolved and is skipped")
                }
            }
        }
        PathPolicy { roots: Some(resolved) }
    }

    /// Checks a path as the client wrote it (a path or a `file:` URL) and returns where it really is.
    pub fn check(&self, given: &str) -> Result<PathBuf, AccessError> {
        let unresolvable = |why: String| AccessError::Unresolvable { given: literal(given), why };
        let path = match url::Url::parse(given) {
            Ok(url) if url.scheme() == "file" => {
                url.to_file_path().map_err(|()| unresolvable("the URL names no local file".into()))?
            }
            // A drive letter looks like a scheme of one letter.
            Ok(url) if url.scheme().len() > 1 && given.contains("://") => {
                return Err(unresolvable(format!("{} URLs are not files", url.scheme())));
            }
            _ => PathBuf::from(given),
        };
        let canonical = canonicalize(&path).map_err(|e| unresolvable(e.to_string()))?;
        match &self.roots {
            None => Ok(canonical),
            Some(roots) if roots.iter().any(|root| canonical.starts_with(root)) => Ok(canonical),
            Some(roots) => Err(AccessError::Outside {
                given: literal(given),
                canonical: literal(&canonical.to_string_lossy()),
                roots: roots.iter().map(|r| r.display().to_string()).collect::<Vec<_>>().join(", "),
            }),
        }
    }
}

/// Why an output file was not written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The path is a directory.
    #[error("Could not write {path}: it is a directory")]
    Directory { path: String },
    /// The name ends as files of another kind do.
    #[error("Could not write {path}: the name ends in .{extension}, but the content is {content}")]
    Extension { path: String, extension: String, content: &'static str },
    /// The system refused.
    #[error("Could not write {path}: {why}")]
    Io { path: String, why: String },
}

impl OutputError {
    /// This is a directory.
    pub fn directory(path: &Path) -> Self {
        OutputError::Directory { path: literal(&path.to_string_lossy()) }
    }

    /// Writing to this file failed.
    pub fn io(path: &Path, error: &std::io::Error) -> Self {
        OutputError::Io { path: literal(&path.to_string_lossy()), why: error.to_string() }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            OutputError::Directory { .. } => "add a file name to the path",
            OutputError::Extension { .. } => "use the matching extension, or ask for the matching format",
            OutputError::Io { .. } => "check the path, its permissions and the free space",
        }
    }
}

impl PathPolicy {
    /// Makes a file that a client asked for, or empties it; readable only by its owner, missing directories are made.
    /// `path` has been checked; what it has become since then is checked again.
    pub fn create(&self, path: &Path) -> Result<std::fs::File, OutputError> {
        let name = || literal(&path.to_string_lossy());
        let failed = |why: String| OutputError::Io { path: name(), why };
        if path.is_dir() {
            return Err(OutputError::Directory { path: name() });
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|e| failed(e.to_string()))?;
        }
        let now = self.check(&path.to_string_lossy()).map_err(|e| failed(e.to_string()))?;
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // A link that appears between the check and here is not followed.
            options.mode(0o600).custom_flags(libc::O_NOFOLLOW);
        }
        options.open(&now).map_err(|e| failed(e.to_string()))
    }

    /// Makes such a file with this content.
    pub fn write(&self, path: &Path, content: &[u8]) -> Result<(), OutputError> {
        let mut file = self.create(path)?;
        std::io::Write::write_all(&mut file, content).map_err(|error| OutputError::io(path, &error))
    }
}

/// A file in a fresh temporary directory, as the original names them.
pub fn temporary(name: &str) -> std::io::Result<PathBuf> {
    let folder = tempfile::Builder::new().prefix("chrome-devtools-mcp-").tempdir()?;
    Ok(folder.keep().join(name))
}

/// The path with an extension added if its name has none. A directory stays what it is, to be refused.
pub fn with_extension(path: PathBuf, extension: &str) -> PathBuf {
    if path.extension().is_some() || path.is_dir() { path } else { path.with_extension(extension) }
}

/// Resolves symbolic links; of a path that does not exist, those of its nearest existing ancestor.
fn canonicalize(path: &Path) -> std::io::Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = absolute.as_path();
    loop {
        match existing.canonicalize() {
            Ok(mut result) => {
                for name in missing.iter().rev() {
                    // `..` after a missing name would leave the checked ancestor.
                    if name == ".." {
                        result.pop();
                    } else {
                        result.push(name);
                    }
                }
                return Ok(result);
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let Some(parent) = existing.parent() else { return Err(error) };
                match existing.components().next_back() {
                    Some(std::path::Component::Normal(name)) => missing.push(name.to_owned()),
                    Some(std::path::Component::ParentDir) => missing.push("..".into()),
                    _ => return Err(error),
                }
                existing = parent;
            }
            Err(error) => return Err(error),
        }
    }
}

/// A JSON string literal in which nothing invisible survives: DEL, C1 controls and line separators are escaped too.
fn literal(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    let mut result = String::with_capacity(quoted.len());
    for c in quoted.chars() {
        match c {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => result.push_str(&format!("\\u{:04x}", c as u32)),
            c => result.push(c),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(roots: &[&Path]) -> PathPolicy {
        PathPolicy { roots: Some(roots.iter().map(|r| r.canonicalize().unwrap()).collect()) }
    }

    #[test]
    fn paths_are_judged_by_where_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
        std::fs::create_dir_all(&inside).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        let policy = policy(&[&inside]);
        let inside = inside.canonicalize().unwrap();
        assert_eq!(policy.check(inside.join("new/deep.json").to_str().unwrap()).unwrap(), inside.join("new/deep.json"));
        assert!(policy.check(&format!("file://{}", inside.join("a b.json").display())).is_ok());
        assert!(matches!(policy.check(inside.join("../out/x").to_str().unwrap()), Err(AccessError::Outside { .. })));
        assert!(matches!(policy.check(&format!("{}-sibling", inside.display())), Err(AccessError::Outside { .. })));
        assert!(matches!(policy.check("https://example.test/x"), Err(AccessError::Unresolvable { .. })));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
            assert!(matches!(policy.check(inside.join("link/x").to_str().unwrap()), Err(AccessError::Outside { .. })));
            assert!(matches!(
                policy.check(inside.join("nope/../../out").to_str().unwrap()),
                Err(AccessError::Outside { .. })
            ));
        }
    }

    #[test]
    fn outputs_are_private_and_follow_no_links() {
        let dir = tempfile::tempdir().unwrap();
        let policy = policy(&[dir.path()]);
        let root = dir.path().canonicalize().unwrap();
        let file = with_extension(root.join("new/deep/out"), "json");
        policy.write(&file, b"1").unwrap();
        assert_eq!(std::fs::read(root.join("new/deep/out.json")).unwrap(), b"1");
        assert!(matches!(policy.write(&root.join("new"), b"1"), Err(OutputError::Directory { .. })));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
            let outside = tempfile::tempdir().unwrap();
            std::os::unix::fs::symlink(outside.path().join("x"), root.join("link")).unwrap();
            assert!(matches!(policy.write(&root.join("link"), b"1"), Err(OutputError::Io { .. })));
            assert!(!outside.path().join("x").exists());
        }
        assert_eq!(with_extension("a.txt".into(), "json"), Path::new("a.txt"));
    }

    #[test]
    fn refusals_name_both_paths_without_invisible_characters() {
        let dir = tempfile::tempdir().unwrap();
        let error = policy(&[dir.path()]).check("/etc/a\u{85}\u{2028}\"b").unwrap_err().to_string();
        assert!(error.starts_with(r#"Access denied: path "/etc/a\u0085\u2028\"b" (canonical: "/etc/a"#), "{error}");
    }
}
