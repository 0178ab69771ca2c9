//! Artifacts as files: written beside their place, then renamed, so that a failed run leaves no half-written file, and
//! that a model may be written over the one it was read from while that is still mapped.

use std::ffi::OsStr;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use egret_onnx::external::folder_of;
use egret_onnx::proto::ModelProto;
use egret_onnx::store::{self, MAX_MESSAGE, THRESHOLD};

use crate::{Error, Result};

/// Where the weights of a written model go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Weights {
    /// Into the model's file; beside it where that would not hold them (2 GiB).
    #[default]
    Auto,
    /// Into a file beside the model.
    Beside {
        /// Its name, without folders; None: the model's name with `.data` behind it.
        name: Option<String>,
        /// Constants of fewer bytes stay in the model.
        threshold: u64,
    },
}

/// The files of a written model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenModel {
    /// Bytes of all files.
    pub bytes: u64,
    /// The data file, where there is one.
    pub data: Option<PathBuf>,
}

/// A file to be: beside its place until all files of the artifact are complete.
struct Pending<'a> {
    path: &'a Path,
    file: tempfile::NamedTempFile,
}

impl<'a> Pending<'a> {
    fn write(path: &'a Path, contents: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<Self> {
        let failed = |e: std::io::Error| Error::Write { path: path.to_owned(), reason: e.to_string() };
        if path.is_dir() {
            return Err(failed(std::io::ErrorKind::IsADirectory.into()));
        }
        let file = tempfile::Builder::new().prefix(".egret-").tempfile_in(folder_of(path)).map_err(failed)?;
        let mut out = BufWriter::new(file.as_file());
        contents(&mut out).and_then(|()| out.flush()).map_err(failed)?;
        drop(out);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::Permissions::from_mode(0o644);
            file.as_file().set_permissions(mode).map_err(failed)?;
        }
        Ok(Self { path, file })
    }

    fn finish(self) -> Result<()> {
        let path = self.path;
        let failed = |e: std::io::Error| Error::Write { path: path.to_owned(), reason: e.to_string() };
        self.file.persist(path).map(drop).map_err(|e| failed(e.error))
    }
}

/// Writes a file as a whole or not at all.
pub fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    Pending::write(path, |out| out.write_all(bytes))?.finish()
}

/// Writes a model, tensor data streamed from where it is. Both files are complete before the first takes its place.
///
/// `used` are the data files of the model that this one was made from, which is `source`: unless `source` itself is
/// replaced, its data may not be.
pub fn write_model(
    path: &Path,
    mut model: ModelProto,
    weights: &Weights,
    source: &Path,
    used: &[PathBuf],
) -> Result<WrittenModel> {
    let embedded = store::message_bytes(&model);
    let (name, threshold) = match weights {
        Weights::Auto if embedded <= MAX_MESSAGE => {
            Pending::write(path, |out| store::write(model, out))?.finish()?;
            return Ok(WrittenModel { bytes: embedded, data: None });
        }
        Weights::Auto => (None, THRESHOLD),
        Weights::Beside { name, threshold } => (name.as_deref(), *threshold),
    };
    let usage = |text: String| Error::Usage(format!("--external-data: {text}"));
    let name = match name {
        Some(name) => name.to_owned(),
        None => {
            let own = path.file_name().and_then(OsStr::to_str);
            format!("{}.data", own.ok_or_else(|| usage(format!("{} has no name in UTF-8", path.display())))?)
        }
    };
    // Only a bare name is safe everywhere: no folder, no drive, nothing hidden in it.
    let bare = Path::new(&name).file_name() == Some(OsStr::new(&name)) && !name.contains(['\\', ':', '\0']);
    if !bare {
        return Err(usage(format!("{name:?} is not the name of a file beside the model")));
    }
    let beside = folder_of(path).join(&name);
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    };
    if beside == path || same(&beside, source) {
        return Err(usage(format!("{} is the model", beside.display())));
    }
    if !same(path, source) && used.iter().any(|u| same(u, &beside)) {
        return Err(usage(format!("{} holds weights of {}", beside.display(), source.display())));
    }
    let data = store::externalize(&mut model, &name, threshold);
    let message = store::message_bytes(&model);
    if message > MAX_MESSAGE {
        let reason = format!("the model takes {message} bytes without its weights, a protobuf file holds 2 GiB");
        return Err(Error::Write { path: path.to_owned(), reason });
    }
    if data.blocks.is_empty() {
        Pending::write(path, |out| store::write(model, out))?.finish()?;
        return Ok(WrittenModel { bytes: message, data: None });
    }
    let weights = Pending::write(&beside, |out| data.write(out))?;
    let head = Pending::write(path, |out| store::write(model, out))?;
    weights.finish()?;
    head.finish()?;
    Ok(WrittenModel { bytes: message + data.size, data: Some(beside) })
}

/// Whether a path names a compiled library, by its extension.
pub fn is_library(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "so" || e == "dylib" || e == "dll")
}
