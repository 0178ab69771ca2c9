//! The constants of a program as a file, streamed from where they are.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;

use egret_ir::tensor::Tensor;

/// Constants, each once, as the contents of a file. The tensors share their bytes with the program (and with the mapped
/// model); they are copied nowhere but into the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weights {
    /// Where each constant begins, and its bytes; ascending.
    blocks: Vec<(u64, Tensor)>,
    size: u64,
    /// Blocks by length and a sample of the bytes.
    known: BTreeMap<(usize, u64), Vec<usize>>,
}

impl Weights {
    const ALIGN: u64 = 64;

    /// The place of a constant, which is added unless an equal one is there.
    pub(crate) fn add(&mut self, t: &Tensor) -> u64 {
        let bytes = t.bytes();
        let same = self.known.entry((bytes.len(), sample(bytes))).or_default();
        let old = same
            .iter()
            .map(|i| &self.blocks[*i])
            .find(|(_, o)| o.bytes().as_ptr() == bytes.as_ptr() || o.bytes() == bytes);
        if let Some((at, _)) = old {
            return *at;
        }
        let at = self.size.next_multiple_of(Self::ALIGN);
        self.size = at + bytes.len() as u64;
        same.push(self.blocks.len());
        self.blocks.push((at, t.clone()));
        at
    }

    /// Bytes of all constants.
    pub fn bytes(&self) -> u64 {
        self.size
    }

    /// Bytes of the file, which is not empty even where there are no constants.
    pub fn file_bytes(&self) -> u64 {
        self.size.max(Self::ALIGN)
    }

    /// Writes the file.
    pub fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mut at = 0;
        let zeros = |out: &mut dyn Write, n: u64| out.write_all(&[0; Self::ALIGN as usize][..n as usize]);
        for (offset, t) in &self.blocks {
            zeros(out, offset - at)?;
            out.write_all(t.bytes())?;
            at = offset + t.bytes().len() as u64;
        }
        zeros(out, self.file_bytes() - at)
    }
}

/// A hash of both ends of a content.
fn sample(bytes: &[u8]) -> u64 {
    const END: usize = 4096;
    let mut h = DefaultHasher::new();
    bytes[..bytes.len().min(END)].hash(&mut h);
    bytes[bytes.len().saturating_sub(END)..].hash(&mut h);
    h.finish()
}
