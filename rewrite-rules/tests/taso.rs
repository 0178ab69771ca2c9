//! TASO's rule files: small ones written here, byte by byte as protobuf has them.

use egret_rules::taso::{Problem, TasoError, Verdict, judge, read};

fn varint(mut n: u64, out: &mut Vec<u8>) {
    while n >= 128 {
        out.push((n as u8) | 128);
        n >>= 7;
    }
    out.push(n as u8);
}

fn number(field: u64, n: i64) -> Vec<u8> {
    let mut out = Vec::new();
    varint(field << 3, &mut out);
    varint(n as u64, &mut out);
    out
}

fn message(field: u64, parts: &[Vec<u8>]) -> Vec<u8> {
    let body = parts.concat();
    let mut out = Vec::new();
    varint(field << 3 | 2, &mut out);
    varint(body.len() as u64, &mut out);
    [out, body].concat()
}

/// An operator of a side (1: source, 2: target): its code, operands (operator, result), parameters (key, value).
fn operator(side: u64, code: i64, operands: &[(i64, i64)], parameters: &[(i64, i64)]) -> Vec<u8> {
    let pair = |field: u64, (a, b): &(i64, i64)| message(field, &[number(1, *a), number(2, *b)]);
    let operands = operands.iter().map(|p| pair(2, p));
    let parts: Vec<Vec<u8>> =
        std::iter::once(number(1, code)).chain(operands).chain(parameters.iter().map(|p| pair(3, p))).collect();
    message(side, &parts)
}

fn output(source: i64, target: i64, source_result: i64, target_result: i64) -> Vec<u8> {
    message(3, &[number(1, source), number(2, target), number(3, source_result), number(4, target_result)])
}

fn rule(parts: &[Vec<u8>]) -> Vec<u8> {
    message(1, parts)
}

const MATMUL: i64 = 18;
const ADD: i64 = 16;
const CONCAT: i64 = 12;
const SPLIT: i64 = 13;
const RELU: i64 = 8;
const NO_ACTIVATION: (i64, i64) = (9, 0);

#[test]
fn products_associate_and_do_not_commute() {
    let associate = rule(&[
        operator(1, MATMUL, &[(-1, 0), (-2, 0)], &[NO_ACTIVATION]),
        operator(1, MATMUL, &[(0, 0), (-3, 0)], &[NO_ACTIVATION]),
        operator(2, MATMUL, &[(-2, 0), (-3, 0)], &[NO_ACTIVATION]),
        operator(2, MATMUL, &[(-1, 0), (0, 0)], &[NO_ACTIVATION]),
        output(1, 1, 0, 0),
    ]);
    let commute = rule(&[
        operator(1, MATMUL, &[(-1, 0), (-2, 0)], &[NO_ACTIVATION]),
        operator(2, MATMUL, &[(-2, 0), (-1, 0)], &[NO_ACTIVATION]),
        output(0, 0, 0, 0),
    ]);
    let rules = read(&[associate, commute].concat()).expect("a file");
    assert_eq!(judge(0, &rules[0]).verdict, Verdict::Reassociates);
    // Square matrices are all that fit both ways, and for them it is wrong.
    assert!(matches!(judge(1, &rules[1]).verdict, Verdict::Wrong(_)), "{:?}", judge(1, &rules[1]));
}

#[test]
fn splits_undo_concats() {
    let parts = |first: i64, second: i64| {
        rule(&[
            operator(1, RELU, &[(-1, 0)], &[]),
            operator(1, RELU, &[(-2, 0)], &[]),
            operator(2, CONCAT, &[(-1, 0), (-2, 0)], &[(1, 2), (11, 1), (10, 2)]),
            operator(2, RELU, &[(0, 0)], &[]),
            operator(2, SPLIT, &[(1, 0)], &[(2, 2), (11, 1)]),
            output(0, 2, 0, first),
            output(1, 2, 0, second),
        ])
    };
    let rules = read(&[parts(0, 1), parts(1, 0)].concat()).expect("a file");
    let right = judge(0, &rules[0]);
    assert_eq!(right.verdict, Verdict::Exact, "{right:?}");
    assert_eq!(right.assumed, ["a split cuts where its concat joined"]);
    assert!(matches!(judge(1, &rules[1]).verdict, Verdict::Wrong(_)), "{:?}", judge(1, &rules[1]));
}

#[test]
fn sums_of_what_does_not_fit_have_no_shapes() {
    // A sum of a concat of two and a concat of three.
    let joined = |parts: &[(i64, i64)]| operator(1, CONCAT, parts, &[(1, 2), (11, 0), (10, 2)]);
    let r = rule(&[
        joined(&[(-1, 0), (-1, 0)]),
        joined(&[(-1, 0), (-1, 0), (-1, 0)]),
        operator(1, ADD, &[(0, 0), (1, 0)], &[]),
        operator(2, RELU, &[(-1, 0)], &[]),
        output(2, 0, 0, 0),
    ]);
    let rules = read(&r).expect("a file");
    assert!(matches!(judge(0, &rules[0]).verdict, Verdict::Shapeless(_)));
}

#[test]
fn what_is_malformed_is_told_with_its_place() {
    let problem = |bytes: &[u8]| match read(bytes) {
        Err(TasoError::Rule { rule: 0, problem }) => problem,
        other => panic!("{other:?}"),
    };
    let unknown = rule(&[operator(1, 99, &[(-1, 0)], &[])]);
    assert_eq!(problem(&unknown), Problem::Operator { operator: 0, code: 99 });
    let later = rule(&[operator(1, RELU, &[(1, 0)], &[])]);
    assert_eq!(problem(&later), Problem::Operand { operator: 0 });
    let missing = rule(&[operator(1, CONCAT, &[(-1, 0)], &[(10, 2)])]);
    assert_eq!(problem(&missing), Problem::Parameter { operator: 0, parameter: "axis", value: None });
    let one = rule(&[operator(1, ADD, &[(-1, 0)], &[])]);
    assert_eq!(problem(&one), Problem::Arity { operator: 0, got: 1 });
    let nowhere = rule(&[operator(1, RELU, &[(-1, 0)], &[]), output(0, 0, 0, 0)]);
    assert_eq!(problem(&nowhere), Problem::Output);
    assert!(matches!(read(b"not a protobuf"), Err(TasoError::Decode(_))));
}
