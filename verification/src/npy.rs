//! The `.npy` format (NEP 1, versions 1.0 to 3.0) and `.npz` archives of it, for every element type.
//!
//! numpy has no bf16: it is written as the two-byte raw type `<V2`, as its extension types do, and read from it.
//! Nothing is allocated from declared sizes: the data must be there first.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use egret_ir::{DType, Tensor};

const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// Headers longer than this are refused; numpy itself stops at 10,000 characters.
const MAX_HEADER: usize = 1 << 16;

/// Why a file is no array.
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    /// The file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is no zip archive, or a damaged one.
    #[error("{path}: no npz archive: {reason}")]
    Archive {
        /// The file.
        path: PathBuf,
        /// The reader's text.
        reason: String,
    },
    /// Another magic number.
    #[error("{name}: not a npy array (wrong magic number)")]
    Magic {
        /// File or archive member.
        name: String,
    },
    /// A version of the format that is not known.
    #[error("{name}: npy version {major} is unknown (1 to 3)")]
    Version {
        /// File or archive member.
        name: String,
        /// Major version.
        major: u8,
    },
    /// A header that is no dictionary of descr, fortran_order and shape.
    #[error("{name}: damaged header, field {field}")]
    Header {
        /// File or archive member.
        name: String,
        /// The field.
        field: &'static str,
    },
    /// An element type that tensors cannot have.
    #[error("{name}: element type `{descr}` is not supported")]
    DType {
        /// File or archive member.
        name: String,
        /// As in the header.
        descr: String,
    },
    /// Fewer or more bytes than the shape says.
    #[error("{name}: {dtype}{shape:?} takes another number of bytes than {got}")]
    Length {
        /// File or archive member.
        name: String,
        /// Element type.
        dtype: DType,
        /// Shape.
        shape: Vec<usize>,
        /// Bytes found (at least).
        got: usize,
    },
}

/// The `descr` of an element type.
fn descr(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "<f2",
        DType::BF16 => "<V2",
        DType::F32 => "<f4",
        DType::F64 => "<f8",
        DType::I8 => "|i1",
        DType::I16 => "<i2",
        DType::I32 => "<i4",
        DType::I64 => "<i8",
        DType::U8 => "|u1",
        DType::U16 => "<u2",
        DType::U32 => "<u4",
        DType::U64 => "<u8",
        DType::Bool => "|b1",
    }
}

/// The bytes of a `.npy` file with this array (version 1.0, C order).
pub fn to_bytes(tensor: &Tensor) -> Vec<u8> {
    let dims: String = tensor.shape().iter().map(|d| format!("{d}, ")).collect();
    let shape =
        if tensor.shape().len() == 1 { dims.trim_end().to_owned() } else { dims.trim_end_matches(", ").to_owned() };
    let mut header = format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({shape}), }}", descr(tensor.dtype()));
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    let mut out = Vec::with_capacity(10 + header.len() + tensor.bytes().len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&[1, 0]);
    out.extend_from_slice(&(header.len() as u16).to_le_bytes());
    out.extend_from_slice(header.as_bytes());
    out.extend_from_slice(tensor.bytes());
    out
}

/// The array of a `.npy` stream; `name` is for messages.
pub fn from_reader(reader: &mut impl Read, name: &str) -> Result<Tensor, NpyError> {
    let io_error = |source| NpyError::File { path: name.into(), source };
    let mut start = [0; 8];
    let magic = || NpyError::Magic { name: name.to_owned() };
    reader.read_exact(&mut start).map_err(|_| magic())?;
    if &start[..6] != MAGIC {
        return Err(magic());
    }
    let header_error = |field| NpyError::Header { name: name.to_owned(), field };
    let length = match start[6] {
        1 => {
            let mut n = [0; 2];
            reader.read_exact(&mut n).map_err(|_| header_error("length"))?;
            usize::from(u16::from_le_bytes(n))
        }
        2 | 3 => {
            let mut n = [0; 4];
            reader.read_exact(&mut n).map_err(|_| header_error("length"))?;
            u32::from_le_bytes(n) as usize
        }
        major => return Err(NpyError::Version { name: name.to_owned(), major }),
    };
    if length > MAX_HEADER {
        return Err(header_error("length"));
    }
    let mut header = vec![0; length];
    reader.read_exact(&mut header).map_err(|_| header_error("length"))?;
    let header = String::from_utf8(header).map_err(|_| header_error("encoding"))?;
    let Header { dtype, big_endian, fortran, shape } = parse_header(&header, name)?;

    let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
    let expected = count.and_then(|n| n.checked_mul(dtype.size()));
    let too_long = |got| NpyError::Length { name: name.to_owned(), dtype, shape: shape.clone(), got };
    let expected = expected.ok_or_else(|| too_long(0))?;
    let mut data = Vec::new();
    reader.take(expected as u64 + 1).read_to_end(&mut data).map_err(io_error)?;
    if data.len() != expected {
        return Err(too_long(data.len()));
    }
    if big_endian {
        data.chunks_exact_mut(dtype.size()).for_each(<[u8]>::reverse);
    }
    if dtype == DType::Bool {
        for b in &mut data {
            *b = u8::from(*b != 0);
        }
    }
    if fortran {
        data = from_column_major(&data, &shape, dtype.size());
    }
    Tensor::new(dtype, shape.clone(), data).map_err(|_| too_long(expected))
}

struct Header {
    dtype: DType,
    big_endian: bool,
    fortran: bool,
    shape: Vec<usize>,
}

fn parse_header(header: &str, name: &str) -> Result<Header, NpyError> {
    let error = |field| NpyError::Header { name: name.to_owned(), field };
    let after = |field: &'static str| {
        let quoted = [format!("'{field}'"), format!("\"{field}\"")];
        let at = quoted.iter().find_map(|q| header.find(q).map(|i| i + q.len())).ok_or(error(field))?;
        header[at..].trim_start().strip_prefix(':').map(str::trim_start).ok_or(error(field))
    };
    let text = after("descr")?;
    let quote = text.chars().next().filter(|c| *c == '\'' || *c == '"').ok_or(error("descr"))?;
    let descr = text[1..].split(quote).next().ok_or(error("descr"))?;
    let (big_endian, kind) = match descr.chars().next() {
        Some('>') => (true, &descr[1..]),
        Some('<' | '|' | '=') => (false, &descr[1..]),
        _ => (false, descr),
    };
    let dtype = match kind {
        "f2" => DType::F16,
        "V2" => DType::BF16,
        "f4" => DType::F32,
        "f8" => DType::F64,
        "i1" => DType::I8,
        "i2" => DType::I16,
        "i4" => DType::I32,
        "i8" => DType::I64,
        "u1" => DType::U8,
        "u2" => DType::U16,
        "u4" => DType::U32,
        "u8" => DType::U64,
        "b1" | "?" => DType::Bool,
        _ => return Err(NpyError::DType { name: name.to_owned(), descr: descr.to_owned() }),
    };
    let order = after("fortran_order")?;
    let fortran = order.starts_with("True");
    if !fortran && !order.starts_with("False") {
        return Err(error("fortran_order"));
    }
    let list = after("shape")?.strip_prefix('(').and_then(|s| s.split_once(')')).ok_or(error("shape"))?.0;
    let extents = list.split(',').map(str::trim).filter(|d| !d.is_empty());
    let shape: Vec<usize> = extents.map(|d| d.parse().map_err(|_| error("shape"))).collect::<Result<_, _>>()?;
    Ok(Header { dtype, big_endian, fortran, shape })
}

/// Row-major bytes of column-major ones.
fn from_column_major(data: &[u8], shape: &[usize], size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len());
    let mut index = vec![0usize; shape.len()];
    for _ in 0..data.len() / size {
        let at = index.iter().zip(shape).rev().fold(0, |at, (i, d)| at * d + i);
        out.extend_from_slice(&data[at * size..(at + 1) * size]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    out
}

/// Reads a `.npy` file.
pub fn read(path: &Path) -> Result<Tensor, NpyError> {
    let mut file = File::open(path).map_err(|source| NpyError::File { path: path.into(), source })?;
    from_reader(&mut io::BufReader::new(&mut file), &path.display().to_string())
}

/// Writes a `.npy` file; a half-written one is never left under the name.
pub fn write(path: &Path, tensor: &Tensor) -> Result<(), NpyError> {
    write_beside(path, |file| file.write_all(&to_bytes(tensor)))
}

/// Reads a `.npz` archive: names (without `.npy`) and arrays, in the archive's order.
pub fn read_npz(path: &Path) -> Result<Vec<(String, Tensor)>, NpyError> {
    let file = File::open(path).map_err(|source| NpyError::File { path: path.into(), source })?;
    read_npz_from(io::BufReader::new(file), path)
}

fn read_npz_from(reader: impl Read + Seek, path: &Path) -> Result<Vec<(String, Tensor)>, NpyError> {
    let damaged = |e: &dyn std::fmt::Display| NpyError::Archive { path: path.into(), reason: e.to_string() };
    let mut archive = zip::ZipArchive::new(reader).map_err(|e| damaged(&e))?;
    let mut out = Vec::new();
    for i in 0..archive.len() {
        let mut entry = archive.by_index(i).map_err(|e| damaged(&e))?;
        let member = entry.name().to_owned();
        let Some(name) = member.strip_suffix(".npy") else { continue };
        let tensor = from_reader(&mut entry, &format!("{}:{member}", path.display()))?;
        out.push((name.to_owned(), tensor));
    }
    Ok(out)
}

/// Writes a `.npz` archive, stored uncompressed with fixed time stamps, so that equal arrays give equal bytes.
pub fn write_npz<'a>(path: &Path, arrays: impl IntoIterator<Item = (&'a str, &'a Tensor)>) -> Result<(), NpyError> {
    let mut archive = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    let damaged = |e: zip::result::ZipError| NpyError::Archive { path: path.into(), reason: e.to_string() };
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default())
        .large_file(true);
    for (name, tensor) in arrays {
        archive.start_file(format!("{name}.npy"), options).map_err(damaged)?;
        archive.write_all(&to_bytes(tensor)).map_err(|source| NpyError::File { path: path.into(), source })?;
    }
    let bytes = archive.finish().map_err(damaged)?.into_inner();
    write_beside(path, |file| file.write_all(&bytes))
}

fn write_beside(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), NpyError> {
    let error = |source| NpyError::File { path: path.into(), source };
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let result = File::create(&partial).and_then(|mut f| fill(&mut f)).and_then(|()| std::fs::rename(&partial, path));
    if result.is_err() {
        // The error that counts is the one of the write; the leftover may not even exist.
        let _ = std::fs::remove_file(&partial);
    }
    result.map_err(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_and_rank_round_trips() {
        for dtype in DType::ALL {
            for shape in [vec![], vec![3], vec![0, 2], vec![2, 1, 3]] {
                let n = shape.iter().product::<usize>() * dtype.size();
                let bytes: Vec<u8> =
                    (0..n).map(|i| if dtype == DType::Bool { (i % 2) as u8 } else { (i * 37) as u8 }).collect();
                let t = Tensor::new(dtype, shape, bytes).unwrap();
                let file = to_bytes(&t);
                assert_eq!((file.len() - t.bytes().len()) % 64, 0, "data is aligned to 64 bytes");
                assert_eq!(from_reader(&mut file.as_slice(), "t").unwrap(), t);
            }
        }
    }

    fn handmade(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        let mut file = MAGIC.to_vec();
        file.extend_from_slice(&[1, 0]);
        file.extend_from_slice(&(header.len() as u16).to_le_bytes());
        file.extend_from_slice(header.as_bytes());
        file.extend_from_slice(data);
        file
    }

    #[test]
    fn column_major_and_big_endian_are_turned() {
        let file = handmade("<i2", "True", "(2, 3)", &[0, 0, 3, 0, 1, 0, 4, 0, 2, 0, 5, 0]);
        let t = from_reader(&mut file.as_slice(), "t").unwrap();
        assert_eq!(t.to_i64().unwrap(), [0, 1, 2, 3, 4, 5]);
        let file = handmade(">i4", "False", "(1,)", &[0, 0, 1, 2]);
        assert_eq!(from_reader(&mut file.as_slice(), "t").unwrap().to_i64().unwrap(), [258]);
    }

    #[test]
    fn hostile_files_are_errors() {
        let huge = handmade("<f8", "False", "(1152921504606846976, 16)", &[0; 8]);
        assert!(matches!(from_reader(&mut huge.as_slice(), "t"), Err(NpyError::Length { .. })));
        let short = handmade("<f4", "False", "(3,)", &[0; 8]);
        assert!(matches!(from_reader(&mut short.as_slice(), "t"), Err(NpyError::Length { got: 8, .. })));
        let text = handmade("<U4", "False", "(3,)", &[0; 8]);
        assert!(matches!(from_reader(&mut text.as_slice(), "t"), Err(NpyError::DType { .. })));
        assert!(matches!(from_reader(&mut &b"nonsense"[..], "t"), Err(NpyError::Magic { .. })));
        let mut cut = handmade("<f4", "False", "(3,)", &[0; 12]);
        cut.truncate(20);
        assert!(matches!(from_reader(&mut cut.as_slice(), "t"), Err(NpyError::Header { .. })));
    }

    #[test]
    fn archives_round_trip_and_are_reproducible() {
        let folder = std::env::temp_dir().join(format!("egret-npz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (a, b) = (Tensor::from_slice([2], &[1.5f32, -2.0]).unwrap(), Tensor::from_slice([], &[7i64]).unwrap());
        let paths = [folder.join("one.npz"), folder.join("two.npz")];
        for p in &paths {
            write_npz(p, [("x/y", &a), ("z", &b)]).unwrap();
        }
        assert_eq!(std::fs::read(&paths[0]).unwrap(), std::fs::read(&paths[1]).unwrap());
        assert_eq!(read_npz(&paths[0]).unwrap(), [("x/y".to_owned(), a), ("z".to_owned(), b)]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
