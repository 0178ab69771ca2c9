//! The arena: every buffer at a fixed offset, buffers that never live together sharing memory.

/// Offsets are multiples of this.
pub const ALIGN: u64 = 64;

/// Bytes behind every buffer that loads may touch.
pub const SLACK: u64 = 256;

/// A buffer to be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Bytes.
    pub bytes: u64,
    /// First step that writes it.
    pub from: usize,
    /// Last step that touches it.
    pub to: usize,
}

/// Offsets of the buffers, and the size of the arena. Larger buffers are placed first, each at the lowest free offset.
pub fn plan(buffers: &[Lifetime]) -> (Vec<u64>, u64) {
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|i| (std::cmp::Reverse(buffers[*i].bytes), buffers[*i].from, *i));
    let mut offsets = vec![0; buffers.len()];
    let mut placed: Vec<usize> = Vec::new();
    let mut total = 0;
    for i in order {
        let b = buffers[i];
        let size = (b.bytes + SLACK).next_multiple_of(ALIGN);
        let mut taken: Vec<(u64, u64)> = placed
            .iter()
            .filter(|p| buffers[**p].from <= b.to && b.from <= buffers[**p].to)
            .map(|p| (offsets[*p], offsets[*p] + (buffers[*p].bytes + SLACK).next_multiple_of(ALIGN)))
            .collect();
        taken.sort_unstable();
        let mut at = 0;
        for (from, to) in taken {
            if at + size <= from {
                break;
            }
            at = at.max(to);
        }
        offsets[i] = at;
        total = total.max(at + size);
        placed.push(i);
    }
    (offsets, total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_that_live_together_are_apart() {
        let buffers: Vec<Lifetime> = (0..40u64)
            .map(|i| {
                let from = (i * 7 % 13) as usize;
                Lifetime { bytes: 64 * (1 + i * 37 % 11), from, to: from + (i % 5) as usize }
            })
            .collect();
        let (at, total) = plan(&buffers);
        for (i, a) in buffers.iter().enumerate() {
            assert!(at[i] % ALIGN == 0 && at[i] + a.bytes + SLACK <= total);
            for (j, b) in buffers.iter().enumerate().skip(i + 1) {
                let together = a.from <= b.to && b.from <= a.to;
                assert!(!together || at[i] + a.bytes <= at[j] || at[j] + b.bytes <= at[i]);
            }
        }
        assert!(total < buffers.iter().map(|b| b.bytes + SLACK).sum::<u64>());
    }
}
