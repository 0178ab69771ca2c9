//! Artifacts as files: written beside their place, then renamed, so that a failed run leaves no half-written file.

use std::io::Write as _;
use std::path::Path;

use crate::{Error, Result};

/// Writes a file as a whole or not at all.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |e: std::io::Error| Error::Write { path: path.to_owned(), reason: e.to_string() };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".egret-").tempfile_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::Permissions::from_mode(0o644);
        file.as_file().set_permissions(mode).map_err(failed)?;
    }
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// Whether a path names a compiled library, by its extension.
pub fn is_library(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "so" || e == "dylib" || e == "dll")
}
