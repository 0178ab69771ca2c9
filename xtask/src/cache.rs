//! The user's cache: what was fetched or built, keyed by hash.
//!
//! An entry is a folder `<cache>/<sha256>/` and appears whole, by a rename, or not at all. Work on
//! a component holds that component's lock, so two runs at once do not fetch the same thing twice.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// The cache's folder, there and writable.
pub struct Cache {
    dir: PathBuf,
}

impl Cache {
    /// `$XDG_CACHE_HOME/egret`, or `~/.cache/egret`.
    pub fn open() -> Result<Self> {
        let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let base = set("XDG_CACHE_HOME")
            .or_else(|| set("HOME").map(|home| home.join(".cache")))
            .context("neither XDG_CACHE_HOME nor HOME is set: there is no place for the cache")?;
        let dir = base.join("egret");
        fs::create_dir_all(&dir).with_context(|| format!("creating the cache {}", dir.display()))?;
        Ok(Cache { dir })
    }

    /// The entry's folder, whether or not it is there.
    pub fn entry(&self, key: &str) -> PathBuf {
        self.dir.join(key)
    }

    /// An empty folder on the cache's own file system; it goes away with the value.
    pub fn scratch(&self) -> Result<tempfile::TempDir> {
        tempfile::Builder::new()
            .prefix("part-")
            .tempdir_in(&self.dir)
            .with_context(|| format!("writing to the cache {}", self.dir.display()))
    }

    /// Makes a finished folder the entry `key`. Where another run was first, its entry stays.
    pub fn publish(&self, folder: &Path, key: &str) -> Result<()> {
        let entry = self.entry(key);
        match fs::rename(folder, &entry) {
            Err(_) if entry.is_dir() => Ok(()),
            other => other.with_context(|| format!("moving {} to {}", folder.display(), entry.display())),
        }
    }

    /// Takes the lock of a component, waiting for another run that holds it. It is released when
    /// the file is dropped.
    pub fn lock(&self, component: &str) -> Result<File> {
        let path = self.dir.join(format!("{component}.lock"));
        let file = File::create(&path).with_context(|| format!("creating {}", path.display()))?;
        if file.try_lock().is_err() {
            println!("  {component}: waiting for another run that is setting it up");
            file.lock().with_context(|| format!("locking {}", path.display()))?;
        }
        Ok(file)
    }
}

/// Hash of a file's bytes, in hexadecimal.
pub fn hash_file(path: &Path) -> Result<String> {
    let mut file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).with_context(|| format!("reading {}", path.display()))? {
            0 => return Ok(hex(&hasher.finalize())),
            n => hasher.update(&buffer[..n]),
        }
    }
}

/// Hash of several texts, each with its length, so that no two lists of texts collide.
pub fn hash_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hex(&hasher.finalize())
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a String does not fail");
        text
    })
}

/// Makes `link` a symbolic link to `to`, replacing in one step what was there.
pub fn link(to: &Path, link: &Path) -> Result<()> {
    if fs::read_link(link).is_ok_and(|old| old == to) {
        return Ok(());
    }
    let folder = link.parent().context("a link needs a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    if link.is_dir() && !link.is_symlink() {
        fs::remove_dir_all(link).with_context(|| format!("removing {}", link.display()))?;
    }
    let name = link.file_name().context("a link needs a name")?.to_string_lossy();
    let fresh = folder.join(format!(".{name}.{}", std::process::id()));
    symlink(to, &fresh)
        .and_then(|()| fs::rename(&fresh, link))
        .with_context(|| format!("linking {} to {}", link.display(), to.display()))
}

#[cfg(unix)]
fn symlink(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "symbolic links need Unix"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hash() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("abc");
        fs::write(&path, "abc").unwrap();
        // FIPS 180-4, the one-block example.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash_file(&path).unwrap(), expected);
        assert_ne!(hash_texts(["ab", "c"]), hash_texts(["a", "bc"]));
    }

    #[test]
    fn links_replace_files_and_folders() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b, at) = (dir.path().join("a"), dir.path().join("b"), dir.path().join("sub/at"));
        fs::write(&a, "a").unwrap();
        fs::write(&b, "b").unwrap();
        link(&a, &at).unwrap();
        link(&b, &at).unwrap();
        assert_eq!(fs::read_to_string(&at).unwrap(), "b");
        fs::remove_file(&at).unwrap();
        fs::create_dir(&at).unwrap();
        link(&a, &at).unwrap();
        assert_eq!(fs::read_to_string(&at).unwrap(), "a");
    }

    #[test]
    fn the_first_to_publish_wins() {
        let dir = tempfile::tempdir().unwrap();
        let cache = Cache { dir: dir.path().to_owned() };
        for text in ["first", "second"] {
            let part = cache.scratch().unwrap();
            fs::write(part.path().join("x"), text).unwrap();
            cache.publish(part.path(), "key").unwrap();
        }
        assert_eq!(fs::read_to_string(cache.entry("key").join("x")).unwrap(), "first");
    }
}
