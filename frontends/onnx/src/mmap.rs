//! Files as [`Bytes`] without copying: the one place of this crate with `unsafe`.
#![expect(unsafe_code, reason = "mapping a file is unsafe: another process could change it meanwhile")]

use std::fs::File;
use std::io;
use std::path::Path;

use bytes::Bytes;

/// Maps a file read-only. The mapping lives as long as any slice of the result.
///
/// The file must not be truncated while it is mapped (the system would end the process with SIGBUS); writers of this
/// workspace therefore write beside a file and rename.
///
/// # Errors
/// What the system says; a folder or a special file is refused.
pub fn map(path: &Path) -> io::Result<Bytes> {
    map_file(&File::open(path)?)
}

/// Maps an open file, as [`map`].
///
/// # Errors
/// As [`map`].
pub fn map_file(file: &File) -> io::Result<Bytes> {
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    if meta.len() == 0 {
        return Ok(Bytes::new());
    }
    // SAFETY: the mapping is private and read-only and `Bytes` owns it; a change of the file by others shows as other
    // bytes, which every reader of this crate checks as untrusted input.
    let mapped = unsafe { memmap2::Mmap::map(file)? };
    Ok(Bytes::from_owner(mapped))
}
