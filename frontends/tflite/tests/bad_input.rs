//! Damaged models: an error with a place, never a panic.

use std::path::{Path, PathBuf};

use egret_tflite::{ProblemKind, ReadError, ReadOptions, read, read_bytes};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/tflite");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the cases are part of the project")
        .map(|e| e.expect("a readable folder").path())
        .filter(|p| p.extension().is_some_and(|e| e == "tflite"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 14, "{} cases", paths.len());
    paths
}

fn of(bytes: &[u8]) -> Result<(), ReadError> {
    read_bytes(bytes.to_vec().into(), &ReadOptions::default()).map(|_| ())
}

fn kind(bytes: &[u8]) -> ProblemKind {
    of(bytes).unwrap_err().problems.remove(0).kind
}

#[test]
fn garbage_and_empty_files() {
    assert_eq!(kind(b""), ProblemKind::NotAModel);
    assert_eq!(kind(b"GIF89a not a model at all"), ProblemKind::NotAModel);
    assert!(matches!(kind(b"\xff\xff\xff\xffTFL3"), ProblemKind::Damaged { .. }));
    let e = read(Path::new("/no/such/model.tflite"), &ReadOptions::default()).unwrap_err();
    assert!(e.to_string().starts_with("cannot read /no/such/model.tflite: "), "{e}");
}

#[test]
fn cut_off_files_are_refused() {
    for path in cases() {
        let bytes = std::fs::read(&path).expect("a case");
        for n in (0..bytes.len()).step_by(bytes.len() / 16 + 1) {
            assert!(of(&bytes[..n]).is_err(), "{} cut at {n}", path.display());
        }
    }
}

/// Any answer but a panic. The positions are those of a fixed generator.
#[test]
fn flipped_bytes_are_survived() {
    let mut state = 1u64;
    let mut next = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut refused = 0;
    for path in cases() {
        let bytes = std::fs::read(&path).expect("a case");
        for _ in 0..300 {
            let mut damaged = bytes.clone();
            for _ in 0..=next(3) {
                let at = next(damaged.len());
                damaged[at] ^= 1 << next(8);
            }
            if let Err(e) = of(&damaged) {
                assert!(!e.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(refused > 100, "only {refused} damaged models were refused");
}

/// Every operator that stands in the way is listed, with its place.
#[test]
fn unsupported_operators_are_all_listed() {
    let path = cases().into_iter().find(|p| p.ends_with("dynamic.tflite")).expect("a case");
    let bytes = std::fs::read(path).expect("a case");
    // The codes SHAPE (77) and PACK (83) become WHERE (109) and UNIQUE (103).
    let mut changed = bytes.clone();
    let mut swaps = 0;
    for at in (0..bytes.len() - 4).step_by(4) {
        for (from, to) in [(77u8, 109u8), (83, 103)] {
            if bytes[at..at + 4] == [from, 0, 0, 0] {
                changed[at] = to;
                swaps += 1;
            }
        }
    }
    assert!(swaps >= 2, "{swaps} operator codes found");
    let e = of(&changed).unwrap_err();
    let text = e.to_string();
    assert!(e.is_unsupported(), "{text}");
    assert!(text.contains("subgraph 0, operator 1 (WHERE)"), "{text}");
}

#[test]
fn bindings_that_do_not_fit_are_told() {
    let path = cases().into_iter().find(|p| p.ends_with("dynamic.tflite")).expect("a case");
    let with = |dims: &[(&str, i64)], shapes: &[(&str, &[i64])]| {
        let options = ReadOptions {
            dims: dims.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect(),
            shapes: shapes.iter().map(|(n, v)| ((*n).to_owned(), v.to_vec())).collect(),
        };
        read(&path, &options).map(|i| i.graph.inputs[0].ty.to_string()).map_err(|e| e.to_string())
    };
    assert_eq!(with(&[], &[]).as_deref(), Ok("f32[x.0,4,4,2]"));
    assert_eq!(with(&[("x.0", 5)], &[]).as_deref(), Ok("f32[5,4,4,2]"));
    assert_eq!(with(&[], &[("x", &[7, 4, 4, 2])]).as_deref(), Ok("f32[7,4,4,2]"));
    assert_eq!(with(&[("n", 5)], &[]).unwrap_err(), "--dim: the model has no dimension \"n\"");
    assert!(with(&[], &[("x", &[7, 4, 4])]).unwrap_err().contains("contradicts"));
    assert!(with(&[("x.0", 1)], &[("x", &[7, 4, 4, 2])]).unwrap_err().contains("bound before"));
}
