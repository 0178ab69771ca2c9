//! Bytes as text: base 64 with the standard alphabet and padding (RFC 4648, section 4).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The text of bytes.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let sextet = (bits >> (18 - 6 * i)) & 63;
            out.push(if i <= chunk.len() { char::from(ALPHABET[sextet as usize]) } else { '=' });
        }
    }
    out
}

/// The bytes of a text; None where it is no such text.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut values = [255u8; 256];
    for (v, c) in (0u8..).zip(ALPHABET) {
        values[usize::from(*c)] = v;
    }
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text.iter().rev().take(2).take_while(|c| **c == b'=').count();
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    for (k, chunk) in text.chunks_exact(4).enumerate() {
        let last = 4 * (k + 1) == text.len();
        let mut bits = 0u32;
        for (i, c) in chunk.iter().enumerate() {
            let pad = last && i >= 4 - padding;
            let v = if pad { 0 } else { values[usize::from(*c)] };
            if v > 63 {
                return None;
            }
            bits = bits << 6 | u32::from(v);
        }
        let bytes = bits.to_be_bytes();
        out.extend_from_slice(&bytes[1..if last { 4 - padding } else { 4 }]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 4648, section 10.
    #[test]
    fn examples_of_the_standard() {
        let pairs = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in pairs {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        for wrong in ["Z", "Zg=", "Zm9v=", "Z!==", "=g==", "===="] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
