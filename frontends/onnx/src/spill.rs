//! Large tensors that were computed, kept in mapped temporary files: however much folding makes of a model, it takes disk
//! and not memory.

use std::io::Write as _;

use egret_ir::Tensor;

use crate::mmap;

/// Bytes of computed tensors that stay in memory.
const IN_MEMORY: u64 = 64 << 20;

/// Tensors below this many bytes always do.
const SMALL: usize = 1 << 16;

/// Decides which tensors stay in memory: the first [`IN_MEMORY`] bytes, and small ones.
#[derive(Debug, Default)]
pub struct Spill {
    held: u64,
}

impl Spill {
    /// The tensor, its bytes in a file without a name where there are many already. Where no such file can be written
    /// (see [`std::env::temp_dir`]) they stay where they are.
    pub fn keep(&mut self, tensor: Tensor) -> Tensor {
        let size = tensor.bytes().len();
        if size < SMALL || self.held + size as u64 <= IN_MEMORY {
            self.held += size as u64;
            return tensor;
        }
        to_file(&tensor).unwrap_or(tensor)
    }
}

fn to_file(tensor: &Tensor) -> Option<Tensor> {
    let mut file = tempfile::tempfile().ok()?;
    file.write_all(tensor.bytes()).ok()?;
    let bytes = mmap::map_file(&file).ok()?;
    Tensor::new(tensor.dtype(), tensor.shape(), bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_goes_to_a_file_and_stays_the_same() {
        let mut spill = Spill { held: IN_MEMORY };
        let values: Vec<f32> = (0..100_000).map(|i| i as f32).collect();
        let tensor = Tensor::from_slice([100, 1000], &values).unwrap();
        let kept = spill.keep(tensor.clone());
        assert_eq!(kept, tensor);
        assert_ne!(kept.bytes().as_ptr(), tensor.bytes().as_ptr(), "its bytes are elsewhere");
        let small = Tensor::from_slice([2], &[1.0f32, 2.0]).unwrap();
        assert_eq!(spill.keep(small.clone()).bytes().as_ptr(), small.bytes().as_ptr());
        let mut room = Spill::default();
        assert_eq!(room.keep(tensor.clone()).bytes().as_ptr(), tensor.bytes().as_ptr());
    }
}
