// Made by the FlatBuffers compiler from schema/tflite.fbs: do not edit. Its notice:
//
// Copyright 2017 The TensorFlow Authors. All Rights Reserved.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

use core::cmp::Ordering;
use core::mem;

extern crate flatbuffers;
use self::flatbuffers::{EndianScalar, Follow};

#[allow(unused_imports, dead_code)]
pub mod tflite {

    use core::cmp::Ordering;
    use core::mem;

    extern crate flatbuffers;
    use self::flatbuffers::{EndianScalar, Follow};

    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MIN_TENSOR_TYPE: i8 = 0;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MAX_TENSOR_TYPE: i8 = 22;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    #[allow(non_camel_case_types)]
    pub const ENUM_VALUES_TENSOR_TYPE: [TensorType; 23] = [
        TensorType::FLOAT32,
        TensorType::FLOAT16,
        TensorType::INT32,
        TensorType::UINT8,
        TensorType::INT64,
        TensorType::STRING,
        TensorType::BOOL,
        TensorType::INT16,
        TensorType::COMPLEX64,
        TensorType::INT8,
        TensorType::FLOAT64,
        TensorType::COMPLEX128,
        TensorType::UINT64,
        TensorType::RESOURCE,
        TensorType::VARIANT,
        TensorType::UINT32,
        TensorType::UINT16,
        TensorType::INT4,
        TensorType::BFLOAT16,
        TensorType::INT2,
        TensorType::UINT4,
        TensorType::FLOAT8_E4M3FN,
        TensorType::FLOAT8_E5M2,
    ];

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[repr(transparent)]
    pub struct TensorType(pub i8);
    #[allow(non_upper_case_globals)]
    impl TensorType {
        pub const FLOAT32: Self = Self(0);
        pub const FLOAT16: Self = Self(1);
        pub const INT32: Self = Self(2);
        pub const UINT8: Self = Self(3);
        pub const INT64: Self = Self(4);
        pub const STRING: Self = Self(5);
        pub const BOOL: Self = Self(6);
        pub const INT16: Self = Self(7);
        pub const COMPLEX64: Self = Self(8);
        pub const INT8: Self = Self(9);
        pub const FLOAT64: Self = Self(10);
        pub const COMPLEX128: Self = Self(11);
        pub const UINT64: Self = Self(12);
        pub const RESOURCE: Self = Self(13);
        pub const VARIANT: Self = Self(14);
        pub const UINT32: Self = Self(15);
        pub const UINT16: Self = Self(16);
        pub const INT4: Self = Self(17);
        pub const BFLOAT16: Self = Self(18);
        pub const INT2: Self = Self(19);
        pub const UINT4: Self = Self(20);
        pub const FLOAT8_E4M3FN: Self = Self(21);
        pub const FLOAT8_E5M2: Self = Self(22);

        pub const ENUM_MIN: i8 = 0;
        pub const ENUM_MAX: i8 = 22;
        pub const ENUM_VALUES: &'static [Self] = &[
            Self::FLOAT32,
            Self::FLOAT16,
            Self::INT32,
            Self::UINT8,
            Self::INT64,
            Self::STRING,
            Self::BOOL,
            Self::INT16,
            Self::COMPLEX64,
            Self::INT8,
            Self::FLOAT64,
            Self::COMPLEX128,
            Self::UINT64,
            Self::RESOURCE,
            Self::VARIANT,
            Self::UINT32,
            Self::UINT16,
            Self::INT4,
            Self::BFLOAT16,
            Self::INT2,
            Self::UINT4,
            Self::FLOAT8_E4M3FN,
            Self::FLOAT8_E5M2,
        ];
        /// Returns the variant's name or "" if unknown.
        pub fn variant_name(self) -> Option<&'static str> {
            match self {
                Self::FLOAT32 => Some("FLOAT32"),
                Self::FLOAT16 => Some("FLOAT16"),
                Self::INT32 => Some("INT32"),
                Self::UINT8 => Some("UINT8"),
                Self::INT64 => Some("INT64"),
                Self::STRING => Some("STRING"),
                Self::BOOL => Some("BOOL"),
                Self::INT16 => Some("INT16"),
                Self::COMPLEX64 => Some("COMPLEX64"),
                Self::INT8 => Some("INT8"),
                Self::FLOAT64 => Some("FLOAT64"),
                Self::COMPLEX128 => Some("COMPLEX128"),
                Self::UINT64 => Some("UINT64"),
                Self::RESOURCE => Some("RESOURCE"),
                Self::VARIANT => Some("VARIANT"),
                Self::UINT32 => Some("UINT32"),
                Self::UINT16 => Some("UINT16"),
                Self::INT4 => Some("INT4"),
                Self::BFLOAT16 => Some("BFLOAT16"),
                Self::INT2 => Some("INT2"),
                Self::UINT4 => Some("UINT4"),
                Self::FLOAT8_E4M3FN => Some("FLOAT8_E4M3FN"),
                Self::FLOAT8_E5M2 => Some("FLOAT8_E5M2"),
                _ => None,
            }
        }
    }
    impl core::fmt::Debug for TensorType {
        fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
            if let Some(name) = self.variant_name() {
                f.write_str(name)
            } else {
                f.write_fmt(format_args!("<UNKNOWN {:?}>", self.0))
            }
        }
    }
    impl<'a> flatbuffers::Follow<'a> for TensorType {
        type Inner = Self;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            let b = flatbuffers::read_scalar_at::<i8>(buf, loc);
            Self(b)
        }
    }

    impl flatbuffers::Push for TensorType {
        type Output = TensorType;
        #[inline]
        unsafe fn push(&self, dst: &mut [u8], _written_len: usize) {
            flatbuffers::emplace_scalar::<i8>(dst, self.0);
        }
    }

    impl flatbuffers::EndianScalar for TensorType {
        type Scalar = i8;
        #[inline]
        fn to_little_endian(self) -> i8 {
            self.0.to_le()
        }
        #[inline]
        #[allow(clippy::wrong_self_convention)]
        fn from_little_endian(v: i8) -> Self {
            let b = i8::from_le(v);
            Self(b)
        }
    }

    impl<'a> flatbuffers::Verifiable for TensorType {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            i8::run_verifier(v, pos)
        }
    }

    impl flatbuffers::SimpleToVerifyInSlice for TensorType {}
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MIN_QUANTIZATION_DETAILS: u8 = 0;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MAX_QUANTIZATION_DETAILS: u8 = 1;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    #[allow(non_camel_case_types)]
    pub const ENUM_VALUES_QUANTIZATION_DETAILS: [QuantizationDetails; 2] =
        [QuantizationDetails::NONE, QuantizationDetails::CustomQuantization];

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[repr(transparent)]
    pub struct QuantizationDetails(pub u8);
    #[allow(non_upper_case_globals)]
    impl QuantizationDetails {
        pub const NONE: Self = Self(0);
        pub const CustomQuantization: Self = Self(1);

        pub const ENUM_MIN: u8 = 0;
        pub const ENUM_MAX: u8 = 1;
        pub const ENUM_VALUES: &'static [Self] = &[Self::NONE, Self::CustomQuantization];
        /// Returns the variant's name or "" if unknown.
        pub fn variant_name(self) -> Option<&'static str> {
            match self {
                Self::NONE => Some("NONE"),
                Self::CustomQuantization => Some("CustomQuantization"),
                _ => None,
            }
        }
    }
    impl core::fmt::Debug for QuantizationDetails {
        fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
            if let Some(name) = self.variant_name() {
                f.write_str(name)
            } else {
                f.write_fmt(format_args!("<UNKNOWN {:?}>", self.0))
            }
        }
    }
    impl<'a> flatbuffers::Follow<'a> for QuantizationDetails {
        type Inner = Self;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            let b = flatbuffers::read_scalar_at::<u8>(buf, loc);
            Self(b)
        }
    }

    impl flatbuffers::Push for QuantizationDetails {
        type Output = QuantizationDetails;
        #[inline]
        unsafe fn push(&self, dst: &mut [u8], _written_len: usize) {
            flatbuffers::emplace_scalar::<u8>(dst, self.0);
        }
    }

    impl flatbuffers::EndianScalar for QuantizationDetails {
        type Scalar = u8;
        #[inline]
        fn to_little_endian(self) -> u8 {
            self.0.to_le()
        }
        #[inline]
        #[allow(clippy::wrong_self_convention)]
        fn from_little_endian(v: u8) -> Self {
            let b = u8::from_le(v);
            Self(b)
        }
    }

    impl<'a> flatbuffers::Verifiable for QuantizationDetails {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            u8::run_verifier(v, pos)
        }
    }

    impl flatbuffers::SimpleToVerifyInSlice for QuantizationDetails {}
    pub struct QuantizationDetailsUnionTableOffset {}

    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MIN_BUILTIN_OPERATOR: i32 = 0;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MAX_BUILTIN_OPERATOR: i32 = 209;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    #[allow(non_camel_case_types)]
    pub const ENUM_VALUES_BUILTIN_OPERATOR: [BuiltinOperator; 210] = [
        BuiltinOperator::ADD,
        BuiltinOperator::AVERAGE_POOL_2D,
        BuiltinOperator::CONCATENATION,
        BuiltinOperator::CONV_2D,
        BuiltinOperator::DEPTHWISE_CONV_2D,
        BuiltinOperator::DEPTH_TO_SPACE,
        BuiltinOperator::DEQUANTIZE,
        BuiltinOperator::EMBEDDING_LOOKUP,
        BuiltinOperator::FLOOR,
        BuiltinOperator::FULLY_CONNECTED,
        BuiltinOperator::HASHTABLE_LOOKUP,
        BuiltinOperator::L2_NORMALIZATION,
        BuiltinOperator::L2_POOL_2D,
        BuiltinOperator::LOCAL_RESPONSE_NORMALIZATION,
        BuiltinOperator::LOGISTIC,
        BuiltinOperator::LSH_PROJECTION,
        BuiltinOperator::LSTM,
        BuiltinOperator::MAX_POOL_2D,
        BuiltinOperator::MUL,
        BuiltinOperator::RELU,
        BuiltinOperator::RELU_N1_TO_1,
        BuiltinOperator::RELU6,
        BuiltinOperator::RESHAPE,
        BuiltinOperator::RESIZE_BILINEAR,
        BuiltinOperator::RNN,
        BuiltinOperator::SOFTMAX,
        BuiltinOperator::SPACE_TO_DEPTH,
        BuiltinOperator::SVDF,
        BuiltinOperator::TANH,
        BuiltinOperator::CONCAT_EMBEDDINGS,
        BuiltinOperator::SKIP_GRAM,
        BuiltinOperator::CALL,
        BuiltinOperator::CUSTOM,
        BuiltinOperator::EMBEDDING_LOOKUP_SPARSE,
        BuiltinOperator::PAD,
        BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN,
        BuiltinOperator::GATHER,
        BuiltinOperator::BATCH_TO_SPACE_ND,
        BuiltinOperator::SPACE_TO_BATCH_ND,
        BuiltinOperator::TRANSPOSE,
        BuiltinOperator::MEAN,
        BuiltinOperator::SUB,
        BuiltinOperator::DIV,
        BuiltinOperator::SQUEEZE,
        BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM,
        BuiltinOperator::STRIDED_SLICE,
        BuiltinOperator::BIDIRECTIONAL_SEQUENCE_RNN,
        BuiltinOperator::EXP,
        BuiltinOperator::TOPK_V2,
        BuiltinOperator::SPLIT,
        BuiltinOperator::LOG_SOFTMAX,
        BuiltinOperator::DELEGATE,
        BuiltinOperator::BIDIRECTIONAL_SEQUENCE_LSTM,
        BuiltinOperator::CAST,
        BuiltinOperator::PRELU,
        BuiltinOperator::MAXIMUM,
        BuiltinOperator::ARG_MAX,
        BuiltinOperator::MINIMUM,
        BuiltinOperator::LESS,
        BuiltinOperator::NEG,
        BuiltinOperator::PADV2,
        BuiltinOperator::GREATER,
        BuiltinOperator::GREATER_EQUAL,
        BuiltinOperator::LESS_EQUAL,
        BuiltinOperator::SELECT,
        BuiltinOperator::SLICE,
        BuiltinOperator::SIN,
        BuiltinOperator::TRANSPOSE_CONV,
        BuiltinOperator::SPARSE_TO_DENSE,
        BuiltinOperator::TILE,
        BuiltinOperator::EXPAND_DIMS,
        BuiltinOperator::EQUAL,
        BuiltinOperator::NOT_EQUAL,
        BuiltinOperator::LOG,
        BuiltinOperator::SUM,
        BuiltinOperator::SQRT,
        BuiltinOperator::RSQRT,
        BuiltinOperator::SHAPE,
        BuiltinOperator::POW,
        BuiltinOperator::ARG_MIN,
        BuiltinOperator::FAKE_QUANT,
        BuiltinOperator::REDUCE_PROD,
        BuiltinOperator::REDUCE_MAX,
        BuiltinOperator::PACK,
        BuiltinOperator::LOGICAL_OR,
        BuiltinOperator::ONE_HOT,
        BuiltinOperator::LOGICAL_AND,
        BuiltinOperator::LOGICAL_NOT,
        BuiltinOperator::UNPACK,
        BuiltinOperator::REDUCE_MIN,
        BuiltinOperator::FLOOR_DIV,
        BuiltinOperator::REDUCE_ANY,
        BuiltinOperator::SQUARE,
        BuiltinOperator::ZEROS_LIKE,
        BuiltinOperator::FILL,
        BuiltinOperator::FLOOR_MOD,
        BuiltinOperator::RANGE,
        BuiltinOperator::RESIZE_NEAREST_NEIGHBOR,
        BuiltinOperator::LEAKY_RELU,
        BuiltinOperator::SQUARED_DIFFERENCE,
        BuiltinOperator::MIRROR_PAD,
        BuiltinOperator::ABS,
        BuiltinOperator::SPLIT_V,
        BuiltinOperator::UNIQUE,
        BuiltinOperator::CEIL,
        BuiltinOperator::REVERSE_V2,
        BuiltinOperator::ADD_N,
        BuiltinOperator::GATHER_ND,
        BuiltinOperator::COS,
        BuiltinOperator::WHERE,
        BuiltinOperator::RANK,
        BuiltinOperator::ELU,
        BuiltinOperator::REVERSE_SEQUENCE,
        BuiltinOperator::MATRIX_DIAG,
        BuiltinOperator::QUANTIZE,
        BuiltinOperator::MATRIX_SET_DIAG,
        BuiltinOperator::ROUND,
        BuiltinOperator::HARD_SWISH,
        BuiltinOperator::IF,
        BuiltinOperator::WHILE,
        BuiltinOperator::NON_MAX_SUPPRESSION_V4,
        BuiltinOperator::NON_MAX_SUPPRESSION_V5,
        BuiltinOperator::SCATTER_ND,
        BuiltinOperator::SELECT_V2,
        BuiltinOperator::DENSIFY,
        BuiltinOperator::SEGMENT_SUM,
        BuiltinOperator::BATCH_MATMUL,
        BuiltinOperator::PLACEHOLDER_FOR_GREATER_OP_CODES,
        BuiltinOperator::CUMSUM,
        BuiltinOperator::CALL_ONCE,
        BuiltinOperator::BROADCAST_TO,
        BuiltinOperator::RFFT2D,
        BuiltinOperator::CONV_3D,
        BuiltinOperator::IMAG,
        BuiltinOperator::REAL,
        BuiltinOperator::COMPLEX_ABS,
        BuiltinOperator::HASHTABLE,
        BuiltinOperator::HASHTABLE_FIND,
        BuiltinOperator::HASHTABLE_IMPORT,
        BuiltinOperator::HASHTABLE_SIZE,
        BuiltinOperator::REDUCE_ALL,
        BuiltinOperator::CONV_3D_TRANSPOSE,
        BuiltinOperator::VAR_HANDLE,
        BuiltinOperator::READ_VARIABLE,
        BuiltinOperator::ASSIGN_VARIABLE,
        BuiltinOperator::BROADCAST_ARGS,
        BuiltinOperator::RANDOM_STANDARD_NORMAL,
        BuiltinOperator::BUCKETIZE,
        BuiltinOperator::RANDOM_UNIFORM,
        BuiltinOperator::MULTINOMIAL,
        BuiltinOperator::GELU,
        BuiltinOperator::DYNAMIC_UPDATE_SLICE,
        BuiltinOperator::RELU_0_TO_1,
        BuiltinOperator::UNSORTED_SEGMENT_PROD,
        BuiltinOperator::UNSORTED_SEGMENT_MAX,
        BuiltinOperator::UNSORTED_SEGMENT_SUM,
        BuiltinOperator::ATAN2,
        BuiltinOperator::UNSORTED_SEGMENT_MIN,
        BuiltinOperator::SIGN,
        BuiltinOperator::BITCAST,
        BuiltinOperator::BITWISE_XOR,
        BuiltinOperator::RIGHT_SHIFT,
        BuiltinOperator::STABLEHLO_LOGISTIC,
        BuiltinOperator::STABLEHLO_ADD,
        BuiltinOperator::STABLEHLO_DIVIDE,
        BuiltinOperator::STABLEHLO_MULTIPLY,
        BuiltinOperator::STABLEHLO_MAXIMUM,
        BuiltinOperator::STABLEHLO_RESHAPE,
        BuiltinOperator::STABLEHLO_CLAMP,
        BuiltinOperator::STABLEHLO_CONCATENATE,
        BuiltinOperator::STABLEHLO_BROADCAST_IN_DIM,
        BuiltinOperator::STABLEHLO_CONVOLUTION,
        BuiltinOperator::STABLEHLO_SLICE,
        BuiltinOperator::STABLEHLO_CUSTOM_CALL,
        BuiltinOperator::STABLEHLO_REDUCE,
        BuiltinOperator::STABLEHLO_ABS,
        BuiltinOperator::STABLEHLO_AND,
        BuiltinOperator::STABLEHLO_COSINE,
        BuiltinOperator::STABLEHLO_EXPONENTIAL,
        BuiltinOperator::STABLEHLO_FLOOR,
        BuiltinOperator::STABLEHLO_LOG,
        BuiltinOperator::STABLEHLO_MINIMUM,
        BuiltinOperator::STABLEHLO_NEGATE,
        BuiltinOperator::STABLEHLO_OR,
        BuiltinOperator::STABLEHLO_POWER,
        BuiltinOperator::STABLEHLO_REMAINDER,
        BuiltinOperator::STABLEHLO_RSQRT,
        BuiltinOperator::STABLEHLO_SELECT,
        BuiltinOperator::STABLEHLO_SUBTRACT,
        BuiltinOperator::STABLEHLO_TANH,
        BuiltinOperator::STABLEHLO_SCATTER,
        BuiltinOperator::STABLEHLO_COMPARE,
        BuiltinOperator::STABLEHLO_CONVERT,
        BuiltinOperator::STABLEHLO_DYNAMIC_SLICE,
        BuiltinOperator::STABLEHLO_DYNAMIC_UPDATE_SLICE,
        BuiltinOperator::STABLEHLO_PAD,
        BuiltinOperator::STABLEHLO_IOTA,
        BuiltinOperator::STABLEHLO_DOT_GENERAL,
        BuiltinOperator::STABLEHLO_REDUCE_WINDOW,
        BuiltinOperator::STABLEHLO_SORT,
        BuiltinOperator::STABLEHLO_WHILE,
        BuiltinOperator::STABLEHLO_GATHER,
        BuiltinOperator::STABLEHLO_TRANSPOSE,
        BuiltinOperator::DILATE,
        BuiltinOperator::STABLEHLO_RNG_BIT_GENERATOR,
        BuiltinOperator::REDUCE_WINDOW,
        BuiltinOperator::STABLEHLO_COMPOSITE,
        BuiltinOperator::STABLEHLO_SHIFT_LEFT,
        BuiltinOperator::STABLEHLO_CBRT,
        BuiltinOperator::STABLEHLO_CASE,
    ];

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[repr(transparent)]
    pub struct BuiltinOperator(pub i32);
    #[allow(non_upper_case_globals)]
    impl BuiltinOperator {
        pub const ADD: Self = Self(0);
        pub const AVERAGE_POOL_2D: Self = Self(1);
        pub const CONCATENATION: Self = Self(2);
        pub const CONV_2D: Self = Self(3);
        pub const DEPTHWISE_CONV_2D: Self = Self(4);
        pub const DEPTH_TO_SPACE: Self = Self(5);
        pub const DEQUANTIZE: Self = Self(6);
        pub const EMBEDDING_LOOKUP: Self = Self(7);
        pub const FLOOR: Self = Self(8);
        pub const FULLY_CONNECTED: Self = Self(9);
        pub const HASHTABLE_LOOKUP: Self = Self(10);
        pub const L2_NORMALIZATION: Self = Self(11);
        pub const L2_POOL_2D: Self = Self(12);
        pub const LOCAL_RESPONSE_NORMALIZATION: Self = Self(13);
        pub const LOGISTIC: Self = Self(14);
        pub const LSH_PROJECTION: Self = Self(15);
        pub const LSTM: Self = Self(16);
        pub const MAX_POOL_2D: Self = Self(17);
        pub const MUL: Self = Self(18);
        pub const RELU: Self = Self(19);
        pub const RELU_N1_TO_1: Self = Self(20);
        pub const RELU6: Self = Self(21);
        pub const RESHAPE: Self = Self(22);
        pub const RESIZE_BILINEAR: Self = Self(23);
        pub const RNN: Self = Self(24);
        pub const SOFTMAX: Self = Self(25);
        pub const SPACE_TO_DEPTH: Self = Self(26);
        pub const SVDF: Self = Self(27);
        pub const TANH: Self = Self(28);
        pub const CONCAT_EMBEDDINGS: Self = Self(29);
        pub const SKIP_GRAM: Self = Self(30);
        pub const CALL: Self = Self(31);
        pub const CUSTOM: Self = Self(32);
        pub const EMBEDDING_LOOKUP_SPARSE: Self = Self(33);
        pub const PAD: Self = Self(34);
        pub const UNIDIRECTIONAL_SEQUENCE_RNN: Self = Self(35);
        pub const GATHER: Self = Self(36);
        pub const BATCH_TO_SPACE_ND: Self = Self(37);
        pub const SPACE_TO_BATCH_ND: Self = Self(38);
        pub const TRANSPOSE: Self = Self(39);
        pub const MEAN: Self = Self(40);
        pub const SUB: Self = Self(41);
        pub const DIV: Self = Self(42);
        pub const SQUEEZE: Self = Self(43);
        pub const UNIDIRECTIONAL_SEQUENCE_LSTM: Self = Self(44);
        pub const STRIDED_SLICE: Self = Self(45);
        pub const BIDIRECTIONAL_SEQUENCE_RNN: Self = Self(46);
        pub const EXP: Self = Self(47);
        pub const TOPK_V2: Self = Self(48);
        pub const SPLIT: Self = Self(49);
        pub const LOG_SOFTMAX: Self = Self(50);
        pub const DELEGATE: Self = Self(51);
        pub const BIDIRECTIONAL_SEQUENCE_LSTM: Self = Self(52);
        pub const CAST: Self = Self(53);
        pub const PRELU: Self = Self(54);
        pub const MAXIMUM: Self = Self(55);
        pub const ARG_MAX: Self = Self(56);
        pub const MINIMUM: Self = Self(57);
        pub const LESS: Self = Self(58);
        pub const NEG: Self = Self(59);
        pub const PADV2: Self = Self(60);
        pub const GREATER: Self = Self(61);
        pub const GREATER_EQUAL: Self = Self(62);
        pub const LESS_EQUAL: Self = Self(63);
        pub const SELECT: Self = Self(64);
        pub const SLICE: Self = Self(65);
        pub const SIN: Self = Self(66);
        pub const TRANSPOSE_CONV: Self = Self(67);
        pub const SPARSE_TO_DENSE: Self = Self(68);
        pub const TILE: Self = Self(69);
        pub const EXPAND_DIMS: Self = Self(70);
        pub const EQUAL: Self = Self(71);
        pub const NOT_EQUAL: Self = Self(72);
        pub const LOG: Self = Self(73);
        pub const SUM: Self = Self(74);
        pub const SQRT: Self = Self(75);
        pub const RSQRT: Self = Self(76);
        pub const SHAPE: Self = Self(77);
        pub const POW: Self = Self(78);
        pub const ARG_MIN: Self = Self(79);
        pub const FAKE_QUANT: Self = Self(80);
        pub const REDUCE_PROD: Self = Self(81);
        pub const REDUCE_MAX: Self = Self(82);
        pub const PACK: Self = Self(83);
        pub const LOGICAL_OR: Self = Self(84);
        pub const ONE_HOT: Self = Self(85);
        pub const LOGICAL_AND: Self = Self(86);
        pub const LOGICAL_NOT: Self = Self(87);
        pub const UNPACK: Self = Self(88);
        pub const REDUCE_MIN: Self = Self(89);
        pub const FLOOR_DIV: Self = Self(90);
        pub const REDUCE_ANY: Self = Self(91);
        pub const SQUARE: Self = Self(92);
        pub const ZEROS_LIKE: Self = Self(93);
        pub const FILL: Self = Self(94);
        pub const FLOOR_MOD: Self = Self(95);
        pub const RANGE: Self = Self(96);
        pub const RESIZE_NEAREST_NEIGHBOR: Self = Self(97);
        pub const LEAKY_RELU: Self = Self(98);
        pub const SQUARED_DIFFERENCE: Self = Self(99);
        pub const MIRROR_PAD: Self = Self(100);
        pub const ABS: Self = Self(101);
        pub const SPLIT_V: Self = Self(102);
        pub const UNIQUE: Self = Self(103);
        pub const CEIL: Self = Self(104);
        pub const REVERSE_V2: Self = Self(105);
        pub const ADD_N: Self = Self(106);
        pub const GATHER_ND: Self = Self(107);
        pub const COS: Self = Self(108);
        pub const WHERE: Self = Self(109);
        pub const RANK: Self = Self(110);
        pub const ELU: Self = Self(111);
        pub const REVERSE_SEQUENCE: Self = Self(112);
        pub const MATRIX_DIAG: Self = Self(113);
        pub const QUANTIZE: Self = Self(114);
        pub const MATRIX_SET_DIAG: Self = Self(115);
        pub const ROUND: Self = Self(116);
        pub const HARD_SWISH: Self = Self(117);
        pub const IF: Self = Self(118);
        pub const WHILE: Self = Self(119);
        pub const NON_MAX_SUPPRESSION_V4: Self = Self(120);
        pub const NON_MAX_SUPPRESSION_V5: Self = Self(121);
        pub const SCATTER_ND: Self = Self(122);
        pub const SELECT_V2: Self = Self(123);
        pub const DENSIFY: Self = Self(124);
        pub const SEGMENT_SUM: Self = Self(125);
        pub const BATCH_MATMUL: Self = Self(126);
        pub const PLACEHOLDER_FOR_GREATER_OP_CODES: Self = Self(127);
        pub const CUMSUM: Self = Self(128);
        pub const CALL_ONCE: Self = Self(129);
        pub const BROADCAST_TO: Self = Self(130);
        pub const RFFT2D: Self = Self(131);
        pub const CONV_3D: Self = Self(132);
        pub const IMAG: Self = Self(133);
        pub const REAL: Self = Self(134);
        pub const COMPLEX_ABS: Self = Self(135);
        pub const HASHTABLE: Self = Self(136);
        pub const HASHTABLE_FIND: Self = Self(137);
        pub const HASHTABLE_IMPORT: Self = Self(138);
        pub const HASHTABLE_SIZE: Self = Self(139);
        pub const REDUCE_ALL: Self = Self(140);
        pub const CONV_3D_TRANSPOSE: Self = Self(141);
        pub const VAR_HANDLE: Self = Self(142);
        pub const READ_VARIABLE: Self = Self(143);
        pub const ASSIGN_VARIABLE: Self = Self(144);
        pub const BROADCAST_ARGS: Self = Self(145);
        pub const RANDOM_STANDARD_NORMAL: Self = Self(146);
        pub const BUCKETIZE: Self = Self(147);
        pub const RANDOM_UNIFORM: Self = Self(148);
        pub const MULTINOMIAL: Self = Self(149);
        pub const GELU: Self = Self(150);
        pub const DYNAMIC_UPDATE_SLICE: Self = Self(151);
        pub const RELU_0_TO_1: Self = Self(152);
        pub const UNSORTED_SEGMENT_PROD: Self = Self(153);
        pub const UNSORTED_SEGMENT_MAX: Self = Self(154);
        pub const UNSORTED_SEGMENT_SUM: Self = Self(155);
        pub const ATAN2: Self = Self(156);
        pub const UNSORTED_SEGMENT_MIN: Self = Self(157);
        pub const SIGN: Self = Self(158);
        pub const BITCAST: Self = Self(159);
        pub const BITWISE_XOR: Self = Self(160);
        pub const RIGHT_SHIFT: Self = Self(161);
        pub const STABLEHLO_LOGISTIC: Self = Self(162);
        pub const STABLEHLO_ADD: Self = Self(163);
        pub const STABLEHLO_DIVIDE: Self = Self(164);
        pub const STABLEHLO_MULTIPLY: Self = Self(165);
        pub const STABLEHLO_MAXIMUM: Self = Self(166);
        pub const STABLEHLO_RESHAPE: Self = Self(167);
        pub const STABLEHLO_CLAMP: Self = Self(168);
        pub const STABLEHLO_CONCATENATE: Self = Self(169);
        pub const STABLEHLO_BROADCAST_IN_DIM: Self = Self(170);
        pub const STABLEHLO_CONVOLUTION: Self = Self(171);
        pub const STABLEHLO_SLICE: Self = Self(172);
        pub const STABLEHLO_CUSTOM_CALL: Self = Self(173);
        pub const STABLEHLO_REDUCE: Self = Self(174);
        pub const STABLEHLO_ABS: Self = Self(175);
        pub const STABLEHLO_AND: Self = Self(176);
        pub const STABLEHLO_COSINE: Self = Self(177);
        pub const STABLEHLO_EXPONENTIAL: Self = Self(178);
        pub const STABLEHLO_FLOOR: Self = Self(179);
        pub const STABLEHLO_LOG: Self = Self(180);
        pub const STABLEHLO_MINIMUM: Self = Self(181);
        pub const STABLEHLO_NEGATE: Self = Self(182);
        pub const STABLEHLO_OR: Self = Self(183);
        pub const STABLEHLO_POWER: Self = Self(184);
        pub const STABLEHLO_REMAINDER: Self = Self(185);
        pub const STABLEHLO_RSQRT: Self = Self(186);
        pub const STABLEHLO_SELECT: Self = Self(187);
        pub const STABLEHLO_SUBTRACT: Self = Self(188);
        pub const STABLEHLO_TANH: Self = Self(189);
        pub const STABLEHLO_SCATTER: Self = Self(190);
        pub const STABLEHLO_COMPARE: Self = Self(191);
        pub const STABLEHLO_CONVERT: Self = Self(192);
        pub const STABLEHLO_DYNAMIC_SLICE: Self = Self(193);
        pub const STABLEHLO_DYNAMIC_UPDATE_SLICE: Self = Self(194);
        pub const STABLEHLO_PAD: Self = Self(195);
        pub const STABLEHLO_IOTA: Self = Self(196);
        pub const STABLEHLO_DOT_GENERAL: Self = Self(197);
        pub const STABLEHLO_REDUCE_WINDOW: Self = Self(198);
        pub const STABLEHLO_SORT: Self = Self(199);
        pub const STABLEHLO_WHILE: Self = Self(200);
        pub const STABLEHLO_GATHER: Self = Self(201);
        pub const STABLEHLO_TRANSPOSE: Self = Self(202);
        pub const DILATE: Self = Self(203);
        pub const STABLEHLO_RNG_BIT_GENERATOR: Self = Self(204);
        pub const REDUCE_WINDOW: Self = Self(205);
        pub const STABLEHLO_COMPOSITE: Self = Self(206);
        pub const STABLEHLO_SHIFT_LEFT: Self = Self(207);
        pub const STABLEHLO_CBRT: Self = Self(208);
        pub const STABLEHLO_CASE: Self = Self(209);

        pub const ENUM_MIN: i32 = 0;
        pub const ENUM_MAX: i32 = 209;
        pub const ENUM_VALUES: &'static [Self] = &[
            Self::ADD,
            Self::AVERAGE_POOL_2D,
            Self::CONCATENATION,
            Self::CONV_2D,
            Self::DEPTHWISE_CONV_2D,
            Self::DEPTH_TO_SPACE,
            Self::DEQUANTIZE,
            Self::EMBEDDING_LOOKUP,
            Self::FLOOR,
            Self::FULLY_CONNECTED,
            Self::HASHTABLE_LOOKUP,
            Self::L2_NORMALIZATION,
            Self::L2_POOL_2D,
            Self::LOCAL_RESPONSE_NORMALIZATION,
            Self::LOGISTIC,
            Self::LSH_PROJECTION,
            Self::LSTM,
            Self::MAX_POOL_2D,
            Self::MUL,
            Self::RELU,
            Self::RELU_N1_TO_1,
            Self::RELU6,
            Self::RESHAPE,
            Self::RESIZE_BILINEAR,
            Self::RNN,
            Self::SOFTMAX,
            Self::SPACE_TO_DEPTH,
            Self::SVDF,
            Self::TANH,
            Self::CONCAT_EMBEDDINGS,
            Self::SKIP_GRAM,
            Self::CALL,
            Self::CUSTOM,
            Self::EMBEDDING_LOOKUP_SPARSE,
            Self::PAD,
            Self::UNIDIRECTIONAL_SEQUENCE_RNN,
            Self::GATHER,
            Self::BATCH_TO_SPACE_ND,
            Self::SPACE_TO_BATCH_ND,
            Self::TRANSPOSE,
            Self::MEAN,
            Self::SUB,
            Self::DIV,
            Self::SQUEEZE,
            Self::UNIDIRECTIONAL_SEQUENCE_LSTM,
            Self::STRIDED_SLICE,
            Self::BIDIRECTIONAL_SEQUENCE_RNN,
            Self::EXP,
            Self::TOPK_V2,
            Self::SPLIT,
            Self::LOG_SOFTMAX,
            Self::DELEGATE,
            Self::BIDIRECTIONAL_SEQUENCE_LSTM,
            Self::CAST,
            Self::PRELU,
            Self::MAXIMUM,
            Self::ARG_MAX,
            Self::MINIMUM,
            Self::LESS,
            Self::NEG,
            Self::PADV2,
            Self::GREATER,
            Self::GREATER_EQUAL,
            Self::LESS_EQUAL,
            Self::SELECT,
            Self::SLICE,
            Self::SIN,
            Self::TRANSPOSE_CONV,
            Self::SPARSE_TO_DENSE,
            Self::TILE,
            Self::EXPAND_DIMS,
            Self::EQUAL,
            Self::NOT_EQUAL,
            Self::LOG,
            Self::SUM,
            Self::SQRT,
            Self::RSQRT,
            Self::SHAPE,
            Self::POW,
            Self::ARG_MIN,
            Self::FAKE_QUANT,
            Self::REDUCE_PROD,
            Self::REDUCE_MAX,
            Self::PACK,
            Self::LOGICAL_OR,
            Self::ONE_HOT,
            Self::LOGICAL_AND,
            Self::LOGICAL_NOT,
            Self::UNPACK,
            Self::REDUCE_MIN,
            Self::FLOOR_DIV,
            Self::REDUCE_ANY,
            Self::SQUARE,
            Self::ZEROS_LIKE,
            Self::FILL,
            Self::FLOOR_MOD,
            Self::RANGE,
            Self::RESIZE_NEAREST_NEIGHBOR,
            Self::LEAKY_RELU,
            Self::SQUARED_DIFFERENCE,
            Self::MIRROR_PAD,
            Self::ABS,
            Self::SPLIT_V,
            Self::UNIQUE,
            Self::CEIL,
            Self::REVERSE_V2,
            Self::ADD_N,
            Self::GATHER_ND,
            Self::COS,
            Self::WHERE,
            Self::RANK,
            Self::ELU,
            Self::REVERSE_SEQUENCE,
            Self::MATRIX_DIAG,
            Self::QUANTIZE,
            Self::MATRIX_SET_DIAG,
            Self::ROUND,
            Self::HARD_SWISH,
            Self::IF,
            Self::WHILE,
            Self::NON_MAX_SUPPRESSION_V4,
            Self::NON_MAX_SUPPRESSION_V5,
            Self::SCATTER_ND,
            Self::SELECT_V2,
            Self::DENSIFY,
            Self::SEGMENT_SUM,
            Self::BATCH_MATMUL,
            Self::PLACEHOLDER_FOR_GREATER_OP_CODES,
            Self::CUMSUM,
            Self::CALL_ONCE,
            Self::BROADCAST_TO,
            Self::RFFT2D,
            Self::CONV_3D,
            Self::IMAG,
            Self::REAL,
            Self::COMPLEX_ABS,
            Self::HASHTABLE,
            Self::HASHTABLE_FIND,
            Self::HASHTABLE_IMPORT,
            Self::HASHTABLE_SIZE,
            Self::REDUCE_ALL,
            Self::CONV_3D_TRANSPOSE,
            Self::VAR_HANDLE,
            Self::READ_VARIABLE,
            Self::ASSIGN_VARIABLE,
            Self::BROADCAST_ARGS,
            Self::RANDOM_STANDARD_NORMAL,
            Self::BUCKETIZE,
            Self::RANDOM_UNIFORM,
            Self::MULTINOMIAL,
            Self::GELU,
            Self::DYNAMIC_UPDATE_SLICE,
            Self::RELU_0_TO_1,
            Self::UNSORTED_SEGMENT_PROD,
            Self::UNSORTED_SEGMENT_MAX,
            Self::UNSORTED_SEGMENT_SUM,
            Self::ATAN2,
            Self::UNSORTED_SEGMENT_MIN,
            Self::SIGN,
            Self::BITCAST,
            Self::BITWISE_XOR,
            Self::RIGHT_SHIFT,
            Self::STABLEHLO_LOGISTIC,
            Self::STABLEHLO_ADD,
            Self::STABLEHLO_DIVIDE,
            Self::STABLEHLO_MULTIPLY,
            Self::STABLEHLO_MAXIMUM,
            Self::STABLEHLO_RESHAPE,
            Self::STABLEHLO_CLAMP,
            Self::STABLEHLO_CONCATENATE,
            Self::STABLEHLO_BROADCAST_IN_DIM,
            Self::STABLEHLO_CONVOLUTION,
            Self::STABLEHLO_SLICE,
            Self::STABLEHLO_CUSTOM_CALL,
            Self::STABLEHLO_REDUCE,
            Self::STABLEHLO_ABS,
            Self::STABLEHLO_AND,
            Self::STABLEHLO_COSINE,
            Self::STABLEHLO_EXPONENTIAL,
            Self::STABLEHLO_FLOOR,
            Self::STABLEHLO_LOG,
            Self::STABLEHLO_MINIMUM,
            Self::STABLEHLO_NEGATE,
            Self::STABLEHLO_OR,
            Self::STABLEHLO_POWER,
            Self::STABLEHLO_REMAINDER,
            Self::STABLEHLO_RSQRT,
            Self::STABLEHLO_SELECT,
            Self::STABLEHLO_SUBTRACT,
            Self::STABLEHLO_TANH,
            Self::STABLEHLO_SCATTER,
            Self::STABLEHLO_COMPARE,
            Self::STABLEHLO_CONVERT,
            Self::STABLEHLO_DYNAMIC_SLICE,
            Self::STABLEHLO_DYNAMIC_UPDATE_SLICE,
            Self::STABLEHLO_PAD,
            Self::STABLEHLO_IOTA,
            Self::STABLEHLO_DOT_GENERAL,
            Self::STABLEHLO_REDUCE_WINDOW,
            Self::STABLEHLO_SORT,
            Self::STABLEHLO_WHILE,
            Self::STABLEHLO_GATHER,
            Self::STABLEHLO_TRANSPOSE,
            Self::DILATE,
            Self::STABLEHLO_RNG_BIT_GENERATOR,
            Self::REDUCE_WINDOW,
            Self::STABLEHLO_COMPOSITE,
            Self::STABLEHLO_SHIFT_LEFT,
            Self::STABLEHLO_CBRT,
            Self::STABLEHLO_CASE,
        ];
        /// Returns the variant's name or "" if unknown.
        pub fn variant_name(self) -> Option<&'static str> {
            match self {
                Self::ADD => Some("ADD"),
                Self::AVERAGE_POOL_2D => Some("AVERAGE_POOL_2D"),
                Self::CONCATENATION => Some("CONCATENATION"),
                Self::CONV_2D => Some("CONV_2D"),
                Self::DEPTHWISE_CONV_2D => Some("DEPTHWISE_CONV_2D"),
                Self::DEPTH_TO_SPACE => Some("DEPTH_TO_SPACE"),
                Self::DEQUANTIZE => Some("DEQUANTIZE"),
                Self::EMBEDDING_LOOKUP => Some("EMBEDDING_LOOKUP"),
                Self::FLOOR => Some("FLOOR"),
                Self::FULLY_CONNECTED => Some("FULLY_CONNECTED"),
                Self::HASHTABLE_LOOKUP => Some("HASHTABLE_LOOKUP"),
                Self::L2_NORMALIZATION => Some("L2_NORMALIZATION"),
                Self::L2_POOL_2D => Some("L2_POOL_2D"),
                Self::LOCAL_RESPONSE_NORMALIZATION => Some("LOCAL_RESPONSE_NORMALIZATION"),
                Self::LOGISTIC => Some("LOGISTIC"),
                Self::LSH_PROJECTION => Some("LSH_PROJECTION"),
                Self::LSTM => Some("LSTM"),
                Self::MAX_POOL_2D => Some("MAX_POOL_2D"),
                Self::MUL => Some("MUL"),
                Self::RELU => Some("RELU"),
                Self::RELU_N1_TO_1 => Some("RELU_N1_TO_1"),
                Self::RELU6 => Some("RELU6"),
                Self::RESHAPE => Some("RESHAPE"),
                Self::RESIZE_BILINEAR => Some("RESIZE_BILINEAR"),
                Self::RNN => Some("RNN"),
                Self::SOFTMAX => Some("SOFTMAX"),
                Self::SPACE_TO_DEPTH => Some("SPACE_TO_DEPTH"),
                Self::SVDF => Some("SVDF"),
                Self::TANH => Some("TANH"),
                Self::CONCAT_EMBEDDINGS => Some("CONCAT_EMBEDDINGS"),
                Self::SKIP_GRAM => Some("SKIP_GRAM"),
                Self::CALL => Some("CALL"),
                Self::CUSTOM => Some("CUSTOM"),
                Self::EMBEDDING_LOOKUP_SPARSE => Some("EMBEDDING_LOOKUP_SPARSE"),
                Self::PAD => Some("PAD"),
                Self::UNIDIRECTIONAL_SEQUENCE_RNN => Some("UNIDIRECTIONAL_SEQUENCE_RNN"),
                Self::GATHER => Some("GATHER"),
                Self::BATCH_TO_SPACE_ND => Some("BATCH_TO_SPACE_ND"),
                Self::SPACE_TO_BATCH_ND => Some("SPACE_TO_BATCH_ND"),
                Self::TRANSPOSE => Some("TRANSPOSE"),
                Self::MEAN => Some("MEAN"),
                Self::SUB => Some("SUB"),
                Self::DIV => Some("DIV"),
                Self::SQUEEZE => Some("SQUEEZE"),
                Self::UNIDIRECTIONAL_SEQUENCE_LSTM => Some("UNIDIRECTIONAL_SEQUENCE_LSTM"),
                Self::STRIDED_SLICE => Some("STRIDED_SLICE"),
                Self::BIDIRECTIONAL_SEQUENCE_RNN => Some("BIDIRECTIONAL_SEQUENCE_RNN"),
                Self::EXP => Some("EXP"),
                Self::TOPK_V2 => Some("TOPK_V2"),
                Self::SPLIT => Some("SPLIT"),
                Self::LOG_SOFTMAX => Some("LOG_SOFTMAX"),
                Self::DELEGATE => Some("DELEGATE"),
                Self::BIDIRECTIONAL_SEQUENCE_LSTM => Some("BIDIRECTIONAL_SEQUENCE_LSTM"),
                Self::CAST => Some("CAST"),
                Self::PRELU => Some("PRELU"),
                Self::MAXIMUM => Some("MAXIMUM"),
                Self::ARG_MAX => Some("ARG_MAX"),
                Self::MINIMUM => Some("MINIMUM"),
                Self::LESS => Some("LESS"),
                Self::NEG => Some("NEG"),
                Self::PADV2 => Some("PADV2"),
                Self::GREATER => Some("GREATER"),
                Self::GREATER_EQUAL => Some("GREATER_EQUAL"),
                Self::LESS_EQUAL => Some("LESS_EQUAL"),
                Self::SELECT => Some("SELECT"),
                Self::SLICE => Some("SLICE"),
                Self::SIN => Some("SIN"),
                Self::TRANSPOSE_CONV => Some("TRANSPOSE_CONV"),
                Self::SPARSE_TO_DENSE => Some("SPARSE_TO_DENSE"),
                Self::TILE => Some("TILE"),
                Self::EXPAND_DIMS => Some("EXPAND_DIMS"),
                Self::EQUAL => Some("EQUAL"),
                Self::NOT_EQUAL => Some("NOT_EQUAL"),
                Self::LOG => Some("LOG"),
                Self::SUM => Some("SUM"),
                Self::SQRT => Some("SQRT"),
                Self::RSQRT => Some("RSQRT"),
                Self::SHAPE => Some("SHAPE"),
                Self::POW => Some("POW"),
                Self::ARG_MIN => Some("ARG_MIN"),
                Self::FAKE_QUANT => Some("FAKE_QUANT"),
                Self::REDUCE_PROD => Some("REDUCE_PROD"),
                Self::REDUCE_MAX => Some("REDUCE_MAX"),
                Self::PACK => Some("PACK"),
                Self::LOGICAL_OR => Some("LOGICAL_OR"),
                Self::ONE_HOT => Some("ONE_HOT"),
                Self::LOGICAL_AND => Some("LOGICAL_AND"),
                Self::LOGICAL_NOT => Some("LOGICAL_NOT"),
                Self::UNPACK => Some("UNPACK"),
                Self::REDUCE_MIN => Some("REDUCE_MIN"),
                Self::FLOOR_DIV => Some("FLOOR_DIV"),
                Self::REDUCE_ANY => Some("REDUCE_ANY"),
                Self::SQUARE => Some("SQUARE"),
                Self::ZEROS_LIKE => Some("ZEROS_LIKE"),
                Self::FILL => Some("FILL"),
                Self::FLOOR_MOD => Some("FLOOR_MOD"),
                Self::RANGE => Some("RANGE"),
                Self::RESIZE_NEAREST_NEIGHBOR => Some("RESIZE_NEAREST_NEIGHBOR"),
                Self::LEAKY_RELU => Some("LEAKY_RELU"),
                Self::SQUARED_DIFFERENCE => Some("SQUARED_DIFFERENCE"),
                Self::MIRROR_PAD => Some("MIRROR_PAD"),
                Self::ABS => Some("ABS"),
                Self::SPLIT_V => Some("SPLIT_V"),
                Self::UNIQUE => Some("UNIQUE"),
                Self::CEIL => Some("CEIL"),
                Self::REVERSE_V2 => Some("REVERSE_V2"),
                Self::ADD_N => Some("ADD_N"),
                Self::GATHER_ND => Some("GATHER_ND"),
                Self::COS => Some("COS"),
                Self::WHERE => Some("WHERE"),
                Self::RANK => Some("RANK"),
                Self::ELU => Some("ELU"),
                Self::REVERSE_SEQUENCE => Some("REVERSE_SEQUENCE"),
                Self::MATRIX_DIAG => Some("MATRIX_DIAG"),
                Self::QUANTIZE => Some("QUANTIZE"),
                Self::MATRIX_SET_DIAG => Some("MATRIX_SET_DIAG"),
                Self::ROUND => Some("ROUND"),
                Self::HARD_SWISH => Some("HARD_SWISH"),
                Self::IF => Some("IF"),
                Self::WHILE => Some("WHILE"),
                Self::NON_MAX_SUPPRESSION_V4 => Some("NON_MAX_SUPPRESSION_V4"),
                Self::NON_MAX_SUPPRESSION_V5 => Some("NON_MAX_SUPPRESSION_V5"),
                Self::SCATTER_ND => Some("SCATTER_ND"),
                Self::SELECT_V2 => Some("SELECT_V2"),
                Self::DENSIFY => Some("DENSIFY"),
                Self::SEGMENT_SUM => Some("SEGMENT_SUM"),
                Self::BATCH_MATMUL => Some("BATCH_MATMUL"),
                Self::PLACEHOLDER_FOR_GREATER_OP_CODES => Some("PLACEHOLDER_FOR_GREATER_OP_CODES"),
                Self::CUMSUM => Some("CUMSUM"),
                Self::CALL_ONCE => Some("CALL_ONCE"),
                Self::BROADCAST_TO => Some("BROADCAST_TO"),
                Self::RFFT2D => Some("RFFT2D"),
                Self::CONV_3D => Some("CONV_3D"),
                Self::IMAG => Some("IMAG"),
                Self::REAL => Some("REAL"),
                Self::COMPLEX_ABS => Some("COMPLEX_ABS"),
                Self::HASHTABLE => Some("HASHTABLE"),
                Self::HASHTABLE_FIND => Some("HASHTABLE_FIND"),
                Self::HASHTABLE_IMPORT => Some("HASHTABLE_IMPORT"),
                Self::HASHTABLE_SIZE => Some("HASHTABLE_SIZE"),
                Self::REDUCE_ALL => Some("REDUCE_ALL"),
                Self::CONV_3D_TRANSPOSE => Some("CONV_3D_TRANSPOSE"),
                Self::VAR_HANDLE => Some("VAR_HANDLE"),
                Self::READ_VARIABLE => Some("READ_VARIABLE"),
                Self::ASSIGN_VARIABLE => Some("ASSIGN_VARIABLE"),
                Self::BROADCAST_ARGS => Some("BROADCAST_ARGS"),
                Self::RANDOM_STANDARD_NORMAL => Some("RANDOM_STANDARD_NORMAL"),
                Self::BUCKETIZE => Some("BUCKETIZE"),
                Self::RANDOM_UNIFORM => Some("RANDOM_UNIFORM"),
                Self::MULTINOMIAL => Some("MULTINOMIAL"),
                Self::GELU => Some("GELU"),
                Self::DYNAMIC_UPDATE_SLICE => Some("DYNAMIC_UPDATE_SLICE"),
                Self::RELU_0_TO_1 => Some("RELU_0_TO_1"),
                Self::UNSORTED_SEGMENT_PROD => Some("UNSORTED_SEGMENT_PROD"),
                Self::UNSORTED_SEGMENT_MAX => Some("UNSORTED_SEGMENT_MAX"),
                Self::UNSORTED_SEGMENT_SUM => Some("UNSORTED_SEGMENT_SUM"),
                Self::ATAN2 => Some("ATAN2"),
                Self::UNSORTED_SEGMENT_MIN => Some("UNSORTED_SEGMENT_MIN"),
                Self::SIGN => Some("SIGN"),
                Self::BITCAST => Some("BITCAST"),
                Self::BITWISE_XOR => Some("BITWISE_XOR"),
                Self::RIGHT_SHIFT => Some("RIGHT_SHIFT"),
                Self::STABLEHLO_LOGISTIC => Some("STABLEHLO_LOGISTIC"),
                Self::STABLEHLO_ADD => Some("STABLEHLO_ADD"),
                Self::STABLEHLO_DIVIDE => Some("STABLEHLO_DIVIDE"),
                Self::STABLEHLO_MULTIPLY => Some("STABLEHLO_MULTIPLY"),
                Self::STABLEHLO_MAXIMUM => Some("STABLEHLO_MAXIMUM"),
                Self::STABLEHLO_RESHAPE => Some("STABLEHLO_RESHAPE"),
                Self::STABLEHLO_CLAMP => Some("STABLEHLO_CLAMP"),
                Self::STABLEHLO_CONCATENATE => Some("STABLEHLO_CONCATENATE"),
                Self::STABLEHLO_BROADCAST_IN_DIM => Some("STABLEHLO_BROADCAST_IN_DIM"),
                Self::STABLEHLO_CONVOLUTION => Some("STABLEHLO_CONVOLUTION"),
                Self::STABLEHLO_SLICE => Some("STABLEHLO_SLICE"),
                Self::STABLEHLO_CUSTOM_CALL => Some("STABLEHLO_CUSTOM_CALL"),
                Self::STABLEHLO_REDUCE => Some("STABLEHLO_REDUCE"),
                Self::STABLEHLO_ABS => Some("STABLEHLO_ABS"),
                Self::STABLEHLO_AND => Some("STABLEHLO_AND"),
                Self::STABLEHLO_COSINE => Some("STABLEHLO_COSINE"),
                Self::STABLEHLO_EXPONENTIAL => Some("STABLEHLO_EXPONENTIAL"),
                Self::STABLEHLO_FLOOR => Some("STABLEHLO_FLOOR"),
                Self::STABLEHLO_LOG => Some("STABLEHLO_LOG"),
                Self::STABLEHLO_MINIMUM => Some("STABLEHLO_MINIMUM"),
                Self::STABLEHLO_NEGATE => Some("STABLEHLO_NEGATE"),
                Self::STABLEHLO_OR => Some("STABLEHLO_OR"),
                Self::STABLEHLO_POWER => Some("STABLEHLO_POWER"),
                Self::STABLEHLO_REMAINDER => Some("STABLEHLO_REMAINDER"),
                Self::STABLEHLO_RSQRT => Some("STABLEHLO_RSQRT"),
                Self::STABLEHLO_SELECT => Some("STABLEHLO_SELECT"),
                Self::STABLEHLO_SUBTRACT => Some("STABLEHLO_SUBTRACT"),
                Self::STABLEHLO_TANH => Some("STABLEHLO_TANH"),
                Self::STABLEHLO_SCATTER => Some("STABLEHLO_SCATTER"),
                Self::STABLEHLO_COMPARE => Some("STABLEHLO_COMPARE"),
                Self::STABLEHLO_CONVERT => Some("STABLEHLO_CONVERT"),
                Self::STABLEHLO_DYNAMIC_SLICE => Some("STABLEHLO_DYNAMIC_SLICE"),
                Self::STABLEHLO_DYNAMIC_UPDATE_SLICE => Some("STABLEHLO_DYNAMIC_UPDATE_SLICE"),
                Self::STABLEHLO_PAD => Some("STABLEHLO_PAD"),
                Self::STABLEHLO_IOTA => Some("STABLEHLO_IOTA"),
                Self::STABLEHLO_DOT_GENERAL => Some("STABLEHLO_DOT_GENERAL"),
                Self::STABLEHLO_REDUCE_WINDOW => Some("STABLEHLO_REDUCE_WINDOW"),
                Self::STABLEHLO_SORT => Some("STABLEHLO_SORT"),
                Self::STABLEHLO_WHILE => Some("STABLEHLO_WHILE"),
                Self::STABLEHLO_GATHER => Some("STABLEHLO_GATHER"),
                Self::STABLEHLO_TRANSPOSE => Some("STABLEHLO_TRANSPOSE"),
                Self::DILATE => Some("DILATE"),
                Self::STABLEHLO_RNG_BIT_GENERATOR => Some("STABLEHLO_RNG_BIT_GENERATOR"),
                Self::REDUCE_WINDOW => Some("REDUCE_WINDOW"),
                Self::STABLEHLO_COMPOSITE => Some("STABLEHLO_COMPOSITE"),
                Self::STABLEHLO_SHIFT_LEFT => Some("STABLEHLO_SHIFT_LEFT"),
                Self::STABLEHLO_CBRT => Some("STABLEHLO_CBRT"),
                Self::STABLEHLO_CASE => Some("STABLEHLO_CASE"),
                _ => None,
            }
        }
    }
    impl core::fmt::Debug for BuiltinOperator {
        fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
            if let Some(name) = self.variant_name() {
                f.write_str(name)
            } else {
                f.write_fmt(format_args!("<UNKNOWN {:?}>", self.0))
            }
        }
    }
    impl<'a> flatbuffers::Follow<'a> for BuiltinOperator {
        type Inner = Self;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            let b = flatbuffers::read_scalar_at::<i32>(buf, loc);
            Self(b)
        }
    }

    impl flatbuffers::Push for BuiltinOperator {
        type Output = BuiltinOperator;
        #[inline]
        unsafe fn push(&self, dst: &mut [u8], _written_len: usize) {
            flatbuffers::emplace_scalar::<i32>(dst, self.0);
        }
    }

    impl flatbuffers::EndianScalar for BuiltinOperator {
        type Scalar = i32;
        #[inline]
        fn to_little_endian(self) -> i32 {
            self.0.to_le()
        }
        #[inline]
        #[allow(clippy::wrong_self_convention)]
        fn from_little_endian(v: i32) -> Self {
            let b = i32::from_le(v);
            Self(b)
        }
    }

    impl<'a> flatbuffers::Verifiable for BuiltinOperator {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            i32::run_verifier(v, pos)
        }
    }

    impl flatbuffers::SimpleToVerifyInSlice for BuiltinOperator {}
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MIN_BUILTIN_OPTIONS: u8 = 0;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MAX_BUILTIN_OPTIONS: u8 = 116;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    #[allow(non_camel_case_types)]
    pub const ENUM_VALUES_BUILTIN_OPTIONS: [BuiltinOptions; 34] = [
        BuiltinOptions::NONE,
        BuiltinOptions::Conv2DOptions,
        BuiltinOptions::DepthwiseConv2DOptions,
        BuiltinOptions::Pool2DOptions,
        BuiltinOptions::FullyConnectedOptions,
        BuiltinOptions::SoftmaxOptions,
        BuiltinOptions::ConcatenationOptions,
        BuiltinOptions::AddOptions,
        BuiltinOptions::L2NormOptions,
        BuiltinOptions::LocalResponseNormalizationOptions,
        BuiltinOptions::ResizeBilinearOptions,
        BuiltinOptions::ReshapeOptions,
        BuiltinOptions::SpaceToDepthOptions,
        BuiltinOptions::MulOptions,
        BuiltinOptions::GatherOptions,
        BuiltinOptions::ReducerOptions,
        BuiltinOptions::SubOptions,
        BuiltinOptions::DivOptions,
        BuiltinOptions::SqueezeOptions,
        BuiltinOptions::StridedSliceOptions,
        BuiltinOptions::SplitOptions,
        BuiltinOptions::TransposeConvOptions,
        BuiltinOptions::PackOptions,
        BuiltinOptions::OneHotOptions,
        BuiltinOptions::UnpackOptions,
        BuiltinOptions::ResizeNearestNeighborOptions,
        BuiltinOptions::LeakyReluOptions,
        BuiltinOptions::MirrorPadOptions,
        BuiltinOptions::SplitVOptions,
        BuiltinOptions::ReverseSequenceOptions,
        BuiltinOptions::DepthToSpaceOptions,
        BuiltinOptions::BatchMatMulOptions,
        BuiltinOptions::CumsumOptions,
        BuiltinOptions::GeluOptions,
    ];

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[repr(transparent)]
    pub struct BuiltinOptions(pub u8);
    #[allow(non_upper_case_globals)]
    impl BuiltinOptions {
        pub const NONE: Self = Self(0);
        pub const Conv2DOptions: Self = Self(1);
        pub const DepthwiseConv2DOptions: Self = Self(2);
        pub const Pool2DOptions: Self = Self(5);
        pub const FullyConnectedOptions: Self = Self(8);
        pub const SoftmaxOptions: Self = Self(9);
        pub const ConcatenationOptions: Self = Self(10);
        pub const AddOptions: Self = Self(11);
        pub const L2NormOptions: Self = Self(12);
        pub const LocalResponseNormalizationOptions: Self = Self(13);
        pub const ResizeBilinearOptions: Self = Self(15);
        pub const ReshapeOptions: Self = Self(17);
        pub const SpaceToDepthOptions: Self = Self(19);
        pub const MulOptions: Self = Self(21);
        pub const GatherOptions: Self = Self(23);
        pub const ReducerOptions: Self = Self(27);
        pub const SubOptions: Self = Self(28);
        pub const DivOptions: Self = Self(29);
        pub const SqueezeOptions: Self = Self(30);
        pub const StridedSliceOptions: Self = Self(32);
        pub const SplitOptions: Self = Self(35);
        pub const TransposeConvOptions: Self = Self(49);
        pub const PackOptions: Self = Self(59);
        pub const OneHotOptions: Self = Self(61);
        pub const UnpackOptions: Self = Self(64);
        pub const ResizeNearestNeighborOptions: Self = Self(74);
        pub const LeakyReluOptions: Self = Self(75);
        pub const MirrorPadOptions: Self = Self(77);
        pub const SplitVOptions: Self = Self(79);
        pub const ReverseSequenceOptions: Self = Self(87);
        pub const DepthToSpaceOptions: Self = Self(94);
        pub const BatchMatMulOptions: Self = Self(101);
        pub const CumsumOptions: Self = Self(102);
        pub const GeluOptions: Self = Self(116);

        pub const ENUM_MIN: u8 = 0;
        pub const ENUM_MAX: u8 = 116;
        pub const ENUM_VALUES: &'static [Self] = &[
            Self::NONE,
            Self::Conv2DOptions,
            Self::DepthwiseConv2DOptions,
            Self::Pool2DOptions,
            Self::FullyConnectedOptions,
            Self::SoftmaxOptions,
            Self::ConcatenationOptions,
            Self::AddOptions,
            Self::L2NormOptions,
            Self::LocalResponseNormalizationOptions,
            Self::ResizeBilinearOptions,
            Self::ReshapeOptions,
            Self::SpaceToDepthOptions,
            Self::MulOptions,
            Self::GatherOptions,
            Self::ReducerOptions,
            Self::SubOptions,
            Self::DivOptions,
            Self::SqueezeOptions,
            Self::StridedSliceOptions,
            Self::SplitOptions,
            Self::TransposeConvOptions,
            Self::PackOptions,
            Self::OneHotOptions,
            Self::UnpackOptions,
            Self::ResizeNearestNeighborOptions,
            Self::LeakyReluOptions,
            Self::MirrorPadOptions,
            Self::SplitVOptions,
            Self::ReverseSequenceOptions,
            Self::DepthToSpaceOptions,
            Self::BatchMatMulOptions,
            Self::CumsumOptions,
            Self::GeluOptions,
        ];
        /// Returns the variant's name or "" if unknown.
        pub fn variant_name(self) -> Option<&'static str> {
            match self {
                Self::NONE => Some("NONE"),
                Self::Conv2DOptions => Some("Conv2DOptions"),
                Self::DepthwiseConv2DOptions => Some("DepthwiseConv2DOptions"),
                Self::Pool2DOptions => Some("Pool2DOptions"),
                Self::FullyConnectedOptions => Some("FullyConnectedOptions"),
                Self::SoftmaxOptions => Some("SoftmaxOptions"),
                Self::ConcatenationOptions => Some("ConcatenationOptions"),
                Self::AddOptions => Some("AddOptions"),
                Self::L2NormOptions => Some("L2NormOptions"),
                Self::LocalResponseNormalizationOptions => Some("LocalResponseNormalizationOptions"),
                Self::ResizeBilinearOptions => Some("ResizeBilinearOptions"),
                Self::ReshapeOptions => Some("ReshapeOptions"),
                Self::SpaceToDepthOptions => Some("SpaceToDepthOptions"),
                Self::MulOptions => Some("MulOptions"),
                Self::GatherOptions => Some("GatherOptions"),
                Self::ReducerOptions => Some("ReducerOptions"),
                Self::SubOptions => Some("SubOptions"),
                Self::DivOptions => Some("DivOptions"),
                Self::SqueezeOptions => Some("SqueezeOptions"),
                Self::StridedSliceOptions => Some("StridedSliceOptions"),
                Self::SplitOptions => Some("SplitOptions"),
                Self::TransposeConvOptions => Some("TransposeConvOptions"),
                Self::PackOptions => Some("PackOptions"),
                Self::OneHotOptions => Some("OneHotOptions"),
                Self::UnpackOptions => Some("UnpackOptions"),
                Self::ResizeNearestNeighborOptions => Some("ResizeNearestNeighborOptions"),
                Self::LeakyReluOptions => Some("LeakyReluOptions"),
                Self::MirrorPadOptions => Some("MirrorPadOptions"),
                Self::SplitVOptions => Some("SplitVOptions"),
                Self::ReverseSequenceOptions => Some("ReverseSequenceOptions"),
                Self::DepthToSpaceOptions => Some("DepthToSpaceOptions"),
                Self::BatchMatMulOptions => Some("BatchMatMulOptions"),
                Self::CumsumOptions => Some("CumsumOptions"),
                Self::GeluOptions => Some("GeluOptions"),
                _ => None,
            }
        }
    }
    impl core::fmt::Debug for BuiltinOptions {
        fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
            if let Some(name) = self.variant_name() {
                f.write_str(name)
            } else {
                f.write_fmt(format_args!("<UNKNOWN {:?}>", self.0))
            }
        }
    }
    impl<'a> flatbuffers::Follow<'a> for BuiltinOptions {
        type Inner = Self;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            let b = flatbuffers::read_scalar_at::<u8>(buf, loc);
            Self(b)
        }
    }

    impl flatbuffers::Push for BuiltinOptions {
        type Output = BuiltinOptions;
        #[inline]
        unsafe fn push(&self, dst: &mut [u8], _written_len: usize) {
            flatbuffers::emplace_scalar::<u8>(dst, self.0);
        }
    }

    impl flatbuffers::EndianScalar for BuiltinOptions {
        type Scalar = u8;
        #[inline]
        fn to_little_endian(self) -> u8 {
            self.0.to_le()
        }
        #[inline]
        #[allow(clippy::wrong_self_convention)]
        fn from_little_endian(v: u8) -> Self {
            let b = u8::from_le(v);
            Self(b)
        }
    }

    impl<'a> flatbuffers::Verifiable for BuiltinOptions {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            u8::run_verifier(v, pos)
        }
    }

    impl flatbuffers::SimpleToVerifyInSlice for BuiltinOptions {}
    pub struct BuiltinOptionsUnionTableOffset {}

    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MIN_PADDING: i8 = 0;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MAX_PADDING: i8 = 1;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    #[allow(non_camel_case_types)]
    pub const ENUM_VALUES_PADDING: [Padding; 2] = [Padding::SAME, Padding::VALID];

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[repr(transparent)]
    pub struct Padding(pub i8);
    #[allow(non_upper_case_globals)]
    impl Padding {
        pub const SAME: Self = Self(0);
        pub const VALID: Self = Self(1);

        pub const ENUM_MIN: i8 = 0;
        pub const ENUM_MAX: i8 = 1;
        pub const ENUM_VALUES: &'static [Self] = &[Self::SAME, Self::VALID];
        /// Returns the variant's name or "" if unknown.
        pub fn variant_name(self) -> Option<&'static str> {
            match self {
                Self::SAME => Some("SAME"),
                Self::VALID => Some("VALID"),
                _ => None,
            }
        }
    }
    impl core::fmt::Debug for Padding {
        fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
            if let Some(name) = self.variant_name() {
                f.write_str(name)
            } else {
                f.write_fmt(format_args!("<UNKNOWN {:?}>", self.0))
            }
        }
    }
    impl<'a> flatbuffers::Follow<'a> for Padding {
        type Inner = Self;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            let b = flatbuffers::read_scalar_at::<i8>(buf, loc);
            Self(b)
        }
    }

    impl flatbuffers::Push for Padding {
        type Output = Padding;
        #[inline]
        unsafe fn push(&self, dst: &mut [u8], _written_len: usize) {
            flatbuffers::emplace_scalar::<i8>(dst, self.0);
        }
    }

    impl flatbuffers::EndianScalar for Padding {
        type Scalar = i8;
        #[inline]
        fn to_little_endian(self) -> i8 {
            self.0.to_le()
        }
        #[inline]
        #[allow(clippy::wrong_self_convention)]
        fn from_little_endian(v: i8) -> Self {
            let b = i8::from_le(v);
            Self(b)
        }
    }

    impl<'a> flatbuffers::Verifiable for Padding {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            i8::run_verifier(v, pos)
        }
    }

    impl flatbuffers::SimpleToVerifyInSlice for Padding {}
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MIN_ACTIVATION_FUNCTION_TYPE: i8 = 0;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MAX_ACTIVATION_FUNCTION_TYPE: i8 = 5;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    #[allow(non_camel_case_types)]
    pub const ENUM_VALUES_ACTIVATION_FUNCTION_TYPE: [ActivationFunctionType; 6] = [
        ActivationFunctionType::NONE,
        ActivationFunctionType::RELU,
        ActivationFunctionType::RELU_N1_TO_1,
        ActivationFunctionType::RELU6,
        ActivationFunctionType::TANH,
        ActivationFunctionType::SIGN_BIT,
    ];

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[repr(transparent)]
    pub struct ActivationFunctionType(pub i8);
    #[allow(non_upper_case_globals)]
    impl ActivationFunctionType {
        pub const NONE: Self = Self(0);
        pub const RELU: Self = Self(1);
        pub const RELU_N1_TO_1: Self = Self(2);
        pub const RELU6: Self = Self(3);
        pub const TANH: Self = Self(4);
        pub const SIGN_BIT: Self = Self(5);

        pub const ENUM_MIN: i8 = 0;
        pub const ENUM_MAX: i8 = 5;
        pub const ENUM_VALUES: &'static [Self] =
            &[Self::NONE, Self::RELU, Self::RELU_N1_TO_1, Self::RELU6, Self::TANH, Self::SIGN_BIT];
        /// Returns the variant's name or "" if unknown.
        pub fn variant_name(self) -> Option<&'static str> {
            match self {
                Self::NONE => Some("NONE"),
                Self::RELU => Some("RELU"),
                Self::RELU_N1_TO_1 => Some("RELU_N1_TO_1"),
                Self::RELU6 => Some("RELU6"),
                Self::TANH => Some("TANH"),
                Self::SIGN_BIT => Some("SIGN_BIT"),
                _ => None,
            }
        }
    }
    impl core::fmt::Debug for ActivationFunctionType {
        fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
            if let Some(name) = self.variant_name() {
                f.write_str(name)
            } else {
                f.write_fmt(format_args!("<UNKNOWN {:?}>", self.0))
            }
        }
    }
    impl<'a> flatbuffers::Follow<'a> for ActivationFunctionType {
        type Inner = Self;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            let b = flatbuffers::read_scalar_at::<i8>(buf, loc);
            Self(b)
        }
    }

    impl flatbuffers::Push for ActivationFunctionType {
        type Output = ActivationFunctionType;
        #[inline]
        unsafe fn push(&self, dst: &mut [u8], _written_len: usize) {
            flatbuffers::emplace_scalar::<i8>(dst, self.0);
        }
    }

    impl flatbuffers::EndianScalar for ActivationFunctionType {
        type Scalar = i8;
        #[inline]
        fn to_little_endian(self) -> i8 {
            self.0.to_le()
        }
        #[inline]
        #[allow(clippy::wrong_self_convention)]
        fn from_little_endian(v: i8) -> Self {
            let b = i8::from_le(v);
            Self(b)
        }
    }

    impl<'a> flatbuffers::Verifiable for ActivationFunctionType {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            i8::run_verifier(v, pos)
        }
    }

    impl flatbuffers::SimpleToVerifyInSlice for ActivationFunctionType {}
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MIN_FULLY_CONNECTED_OPTIONS_WEIGHTS_FORMAT: i8 = 0;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MAX_FULLY_CONNECTED_OPTIONS_WEIGHTS_FORMAT: i8 = 1;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    #[allow(non_camel_case_types)]
    pub const ENUM_VALUES_FULLY_CONNECTED_OPTIONS_WEIGHTS_FORMAT: [FullyConnectedOptionsWeightsFormat; 2] =
        [FullyConnectedOptionsWeightsFormat::DEFAULT, FullyConnectedOptionsWeightsFormat::SHUFFLED4x16INT8];

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[repr(transparent)]
    pub struct FullyConnectedOptionsWeightsFormat(pub i8);
    #[allow(non_upper_case_globals)]
    impl FullyConnectedOptionsWeightsFormat {
        pub const DEFAULT: Self = Self(0);
        pub const SHUFFLED4x16INT8: Self = Self(1);

        pub const ENUM_MIN: i8 = 0;
        pub const ENUM_MAX: i8 = 1;
        pub const ENUM_VALUES: &'static [Self] = &[Self::DEFAULT, Self::SHUFFLED4x16INT8];
        /// Returns the variant's name or "" if unknown.
        pub fn variant_name(self) -> Option<&'static str> {
            match self {
                Self::DEFAULT => Some("DEFAULT"),
                Self::SHUFFLED4x16INT8 => Some("SHUFFLED4x16INT8"),
                _ => None,
            }
        }
    }
    impl core::fmt::Debug for FullyConnectedOptionsWeightsFormat {
        fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
            if let Some(name) = self.variant_name() {
                f.write_str(name)
            } else {
                f.write_fmt(format_args!("<UNKNOWN {:?}>", self.0))
            }
        }
    }
    impl<'a> flatbuffers::Follow<'a> for FullyConnectedOptionsWeightsFormat {
        type Inner = Self;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            let b = flatbuffers::read_scalar_at::<i8>(buf, loc);
            Self(b)
        }
    }

    impl flatbuffers::Push for FullyConnectedOptionsWeightsFormat {
        type Output = FullyConnectedOptionsWeightsFormat;
        #[inline]
        unsafe fn push(&self, dst: &mut [u8], _written_len: usize) {
            flatbuffers::emplace_scalar::<i8>(dst, self.0);
        }
    }

    impl flatbuffers::EndianScalar for FullyConnectedOptionsWeightsFormat {
        type Scalar = i8;
        #[inline]
        fn to_little_endian(self) -> i8 {
            self.0.to_le()
        }
        #[inline]
        #[allow(clippy::wrong_self_convention)]
        fn from_little_endian(v: i8) -> Self {
            let b = i8::from_le(v);
            Self(b)
        }
    }

    impl<'a> flatbuffers::Verifiable for FullyConnectedOptionsWeightsFormat {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            i8::run_verifier(v, pos)
        }
    }

    impl flatbuffers::SimpleToVerifyInSlice for FullyConnectedOptionsWeightsFormat {}
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MIN_MIRROR_PAD_MODE: i8 = 0;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MAX_MIRROR_PAD_MODE: i8 = 1;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    #[allow(non_camel_case_types)]
    pub const ENUM_VALUES_MIRROR_PAD_MODE: [MirrorPadMode; 2] = [MirrorPadMode::REFLECT, MirrorPadMode::SYMMETRIC];

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[repr(transparent)]
    pub struct MirrorPadMode(pub i8);
    #[allow(non_upper_case_globals)]
    impl MirrorPadMode {
        pub const REFLECT: Self = Self(0);
        pub const SYMMETRIC: Self = Self(1);

        pub const ENUM_MIN: i8 = 0;
        pub const ENUM_MAX: i8 = 1;
        pub const ENUM_VALUES: &'static [Self] = &[Self::REFLECT, Self::SYMMETRIC];
        /// Returns the variant's name or "" if unknown.
        pub fn variant_name(self) -> Option<&'static str> {
            match self {
                Self::REFLECT => Some("REFLECT"),
                Self::SYMMETRIC => Some("SYMMETRIC"),
                _ => None,
            }
        }
    }
    impl core::fmt::Debug for MirrorPadMode {
        fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
            if let Some(name) = self.variant_name() {
                f.write_str(name)
            } else {
                f.write_fmt(format_args!("<UNKNOWN {:?}>", self.0))
            }
        }
    }
    impl<'a> flatbuffers::Follow<'a> for MirrorPadMode {
        type Inner = Self;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            let b = flatbuffers::read_scalar_at::<i8>(buf, loc);
            Self(b)
        }
    }

    impl flatbuffers::Push for MirrorPadMode {
        type Output = MirrorPadMode;
        #[inline]
        unsafe fn push(&self, dst: &mut [u8], _written_len: usize) {
            flatbuffers::emplace_scalar::<i8>(dst, self.0);
        }
    }

    impl flatbuffers::EndianScalar for MirrorPadMode {
        type Scalar = i8;
        #[inline]
        fn to_little_endian(self) -> i8 {
            self.0.to_le()
        }
        #[inline]
        #[allow(clippy::wrong_self_convention)]
        fn from_little_endian(v: i8) -> Self {
            let b = i8::from_le(v);
            Self(b)
        }
    }

    impl<'a> flatbuffers::Verifiable for MirrorPadMode {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            i8::run_verifier(v, pos)
        }
    }

    impl flatbuffers::SimpleToVerifyInSlice for MirrorPadMode {}
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MIN_CUSTOM_OPTIONS_FORMAT: i8 = 0;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    pub const ENUM_MAX_CUSTOM_OPTIONS_FORMAT: i8 = 0;
    #[deprecated(since = "2.0.0", note = "Use associated constants instead. This will no longer be generated in 2021.")]
    #[allow(non_camel_case_types)]
    pub const ENUM_VALUES_CUSTOM_OPTIONS_FORMAT: [CustomOptionsFormat; 1] = [CustomOptionsFormat::FLEXBUFFERS];

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    #[repr(transparent)]
    pub struct CustomOptionsFormat(pub i8);
    #[allow(non_upper_case_globals)]
    impl CustomOptionsFormat {
        pub const FLEXBUFFERS: Self = Self(0);

        pub const ENUM_MIN: i8 = 0;
        pub const ENUM_MAX: i8 = 0;
        pub const ENUM_VALUES: &'static [Self] = &[Self::FLEXBUFFERS];
        /// Returns the variant's name or "" if unknown.
        pub fn variant_name(self) -> Option<&'static str> {
            match self {
                Self::FLEXBUFFERS => Some("FLEXBUFFERS"),
                _ => None,
            }
        }
    }
    impl core::fmt::Debug for CustomOptionsFormat {
        fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
            if let Some(name) = self.variant_name() {
                f.write_str(name)
            } else {
                f.write_fmt(format_args!("<UNKNOWN {:?}>", self.0))
            }
        }
    }
    impl<'a> flatbuffers::Follow<'a> for CustomOptionsFormat {
        type Inner = Self;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            let b = flatbuffers::read_scalar_at::<i8>(buf, loc);
            Self(b)
        }
    }

    impl flatbuffers::Push for CustomOptionsFormat {
        type Output = CustomOptionsFormat;
        #[inline]
        unsafe fn push(&self, dst: &mut [u8], _written_len: usize) {
            flatbuffers::emplace_scalar::<i8>(dst, self.0);
        }
    }

    impl flatbuffers::EndianScalar for CustomOptionsFormat {
        type Scalar = i8;
        #[inline]
        fn to_little_endian(self) -> i8 {
            self.0.to_le()
        }
        #[inline]
        #[allow(clippy::wrong_self_convention)]
        fn from_little_endian(v: i8) -> Self {
            let b = i8::from_le(v);
            Self(b)
        }
    }

    impl<'a> flatbuffers::Verifiable for CustomOptionsFormat {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            i8::run_verifier(v, pos)
        }
    }

    impl flatbuffers::SimpleToVerifyInSlice for CustomOptionsFormat {}
    pub enum CustomQuantizationOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct CustomQuantization<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for CustomQuantization<'a> {
        type Inner = CustomQuantization<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> CustomQuantization<'a> {
        pub const VT_CUSTOM: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            CustomQuantization { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args CustomQuantizationArgs<'args>,
        ) -> flatbuffers::WIPOffset<CustomQuantization<'bldr>> {
            let mut builder = CustomQuantizationBuilder::new(_fbb);
            if let Some(x) = args.custom {
                builder.add_custom(x);
            }
            builder.finish()
        }

        #[inline]
        pub fn custom(&self) -> Option<flatbuffers::Vector<'a, u8>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, u8>>>(
                    CustomQuantization::VT_CUSTOM,
                    None,
                )
            }
        }
    }

    impl flatbuffers::Verifiable for CustomQuantization<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, u8>>>(
                    "custom",
                    Self::VT_CUSTOM,
                    false,
                )?
                .finish();
            Ok(())
        }
    }
    pub struct CustomQuantizationArgs<'a> {
        pub custom: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, u8>>>,
    }
    impl<'a> Default for CustomQuantizationArgs<'a> {
        #[inline]
        fn default() -> Self {
            CustomQuantizationArgs { custom: None }
        }
    }

    pub struct CustomQuantizationBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> CustomQuantizationBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_custom(&mut self, custom: flatbuffers::WIPOffset<flatbuffers::Vector<'b, u8>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(CustomQuantization::VT_CUSTOM, custom);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> CustomQuantizationBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            CustomQuantizationBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<CustomQuantization<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for CustomQuantization<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("CustomQuantization");
            ds.field("custom", &self.custom());
            ds.finish()
        }
    }
    pub enum QuantizationParametersOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct QuantizationParameters<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for QuantizationParameters<'a> {
        type Inner = QuantizationParameters<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> QuantizationParameters<'a> {
        pub const VT_MIN: flatbuffers::VOffsetT = 4;
        pub const VT_MAX: flatbuffers::VOffsetT = 6;
        pub const VT_SCALE: flatbuffers::VOffsetT = 8;
        pub const VT_ZERO_POINT: flatbuffers::VOffsetT = 10;
        pub const VT_DETAILS_TYPE: flatbuffers::VOffsetT = 12;
        pub const VT_DETAILS: flatbuffers::VOffsetT = 14;
        pub const VT_QUANTIZED_DIMENSION: flatbuffers::VOffsetT = 16;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            QuantizationParameters { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args QuantizationParametersArgs<'args>,
        ) -> flatbuffers::WIPOffset<QuantizationParameters<'bldr>> {
            let mut builder = QuantizationParametersBuilder::new(_fbb);
            builder.add_quantized_dimension(args.quantized_dimension);
            if let Some(x) = args.details {
                builder.add_details(x);
            }
            if let Some(x) = args.zero_point {
                builder.add_zero_point(x);
            }
            if let Some(x) = args.scale {
                builder.add_scale(x);
            }
            if let Some(x) = args.max {
                builder.add_max(x);
            }
            if let Some(x) = args.min {
                builder.add_min(x);
            }
            builder.add_details_type(args.details_type);
            builder.finish()
        }

        #[inline]
        pub fn min(&self) -> Option<flatbuffers::Vector<'a, f32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, f32>>>(
                    QuantizationParameters::VT_MIN,
                    None,
                )
            }
        }
        #[inline]
        pub fn max(&self) -> Option<flatbuffers::Vector<'a, f32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, f32>>>(
                    QuantizationParameters::VT_MAX,
                    None,
                )
            }
        }
        #[inline]
        pub fn scale(&self) -> Option<flatbuffers::Vector<'a, f32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, f32>>>(
                    QuantizationParameters::VT_SCALE,
                    None,
                )
            }
        }
        #[inline]
        pub fn zero_point(&self) -> Option<flatbuffers::Vector<'a, i64>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, i64>>>(
                    QuantizationParameters::VT_ZERO_POINT,
                    None,
                )
            }
        }
        #[inline]
        pub fn details_type(&self) -> QuantizationDetails {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<QuantizationDetails>(
                        QuantizationParameters::VT_DETAILS_TYPE,
                        Some(QuantizationDetails::NONE),
                    )
                    .unwrap()
            }
        }
        #[inline]
        pub fn details(&self) -> Option<flatbuffers::Table<'a>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Table<'a>>>(
                    QuantizationParameters::VT_DETAILS,
                    None,
                )
            }
        }
        #[inline]
        pub fn quantized_dimension(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(QuantizationParameters::VT_QUANTIZED_DIMENSION, Some(0)).unwrap() }
        }
        #[inline]
        #[allow(non_snake_case)]
        pub fn details_as_custom_quantization(&self) -> Option<CustomQuantization<'a>> {
            if self.details_type() == QuantizationDetails::CustomQuantization {
                self.details().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { CustomQuantization::init_from_table(t) }
                })
            } else {
                None
            }
        }
    }

    impl flatbuffers::Verifiable for QuantizationParameters<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, f32>>>("min", Self::VT_MIN, false)?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, f32>>>("max", Self::VT_MAX, false)?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, f32>>>(
                    "scale",
                    Self::VT_SCALE,
                    false,
                )?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, i64>>>(
                    "zero_point",
                    Self::VT_ZERO_POINT,
                    false,
                )?
                .visit_union::<QuantizationDetails, _>(
                    "details_type",
                    Self::VT_DETAILS_TYPE,
                    "details",
                    Self::VT_DETAILS,
                    false,
                    |key, v, pos| match key {
                        QuantizationDetails::CustomQuantization => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<CustomQuantization>>(
                                "QuantizationDetails::CustomQuantization",
                                pos,
                            ),
                        _ => Ok(()),
                    },
                )?
                .visit_field::<i32>("quantized_dimension", Self::VT_QUANTIZED_DIMENSION, false)?
                .finish();
            Ok(())
        }
    }
    pub struct QuantizationParametersArgs<'a> {
        pub min: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, f32>>>,
        pub max: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, f32>>>,
        pub scale: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, f32>>>,
        pub zero_point: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, i64>>>,
        pub details_type: QuantizationDetails,
        pub details: Option<flatbuffers::WIPOffset<flatbuffers::UnionWIPOffset>>,
        pub quantized_dimension: i32,
    }
    impl<'a> Default for QuantizationParametersArgs<'a> {
        #[inline]
        fn default() -> Self {
            QuantizationParametersArgs {
                min: None,
                max: None,
                scale: None,
                zero_point: None,
                details_type: QuantizationDetails::NONE,
                details: None,
                quantized_dimension: 0,
            }
        }
    }

    pub struct QuantizationParametersBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> QuantizationParametersBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_min(&mut self, min: flatbuffers::WIPOffset<flatbuffers::Vector<'b, f32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(QuantizationParameters::VT_MIN, min);
        }
        #[inline]
        pub fn add_max(&mut self, max: flatbuffers::WIPOffset<flatbuffers::Vector<'b, f32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(QuantizationParameters::VT_MAX, max);
        }
        #[inline]
        pub fn add_scale(&mut self, scale: flatbuffers::WIPOffset<flatbuffers::Vector<'b, f32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(QuantizationParameters::VT_SCALE, scale);
        }
        #[inline]
        pub fn add_zero_point(&mut self, zero_point: flatbuffers::WIPOffset<flatbuffers::Vector<'b, i64>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(QuantizationParameters::VT_ZERO_POINT, zero_point);
        }
        #[inline]
        pub fn add_details_type(&mut self, details_type: QuantizationDetails) {
            self.fbb_.push_slot::<QuantizationDetails>(
                QuantizationParameters::VT_DETAILS_TYPE,
                details_type,
                QuantizationDetails::NONE,
            );
        }
        #[inline]
        pub fn add_details(&mut self, details: flatbuffers::WIPOffset<flatbuffers::UnionWIPOffset>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(QuantizationParameters::VT_DETAILS, details);
        }
        #[inline]
        pub fn add_quantized_dimension(&mut self, quantized_dimension: i32) {
            self.fbb_.push_slot::<i32>(QuantizationParameters::VT_QUANTIZED_DIMENSION, quantized_dimension, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> QuantizationParametersBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            QuantizationParametersBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<QuantizationParameters<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for QuantizationParameters<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("QuantizationParameters");
            ds.field("min", &self.min());
            ds.field("max", &self.max());
            ds.field("scale", &self.scale());
            ds.field("zero_point", &self.zero_point());
            ds.field("details_type", &self.details_type());
            match self.details_type() {
                QuantizationDetails::CustomQuantization => {
                    if let Some(x) = self.details_as_custom_quantization() {
                        ds.field("details", &x)
                    } else {
                        ds.field("details", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                _ => {
                    let x: Option<()> = None;
                    ds.field("details", &x)
                }
            };
            ds.field("quantized_dimension", &self.quantized_dimension());
            ds.finish()
        }
    }
    pub enum SparsityParametersOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct SparsityParameters<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for SparsityParameters<'a> {
        type Inner = SparsityParameters<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> SparsityParameters<'a> {
        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            SparsityParameters { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            _args: &'args SparsityParametersArgs,
        ) -> flatbuffers::WIPOffset<SparsityParameters<'bldr>> {
            let mut builder = SparsityParametersBuilder::new(_fbb);
            builder.finish()
        }
    }

    impl flatbuffers::Verifiable for SparsityParameters<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?.finish();
            Ok(())
        }
    }
    pub struct SparsityParametersArgs {}
    impl<'a> Default for SparsityParametersArgs {
        #[inline]
        fn default() -> Self {
            SparsityParametersArgs {}
        }
    }

    pub struct SparsityParametersBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> SparsityParametersBuilder<'a, 'b, A> {
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> SparsityParametersBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            SparsityParametersBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<SparsityParameters<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for SparsityParameters<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("SparsityParameters");
            ds.finish()
        }
    }
    pub enum TensorOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct Tensor<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for Tensor<'a> {
        type Inner = Tensor<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> Tensor<'a> {
        pub const VT_SHAPE: flatbuffers::VOffsetT = 4;
        pub const VT_TYPE_: flatbuffers::VOffsetT = 6;
        pub const VT_BUFFER: flatbuffers::VOffsetT = 8;
        pub const VT_NAME: flatbuffers::VOffsetT = 10;
        pub const VT_QUANTIZATION: flatbuffers::VOffsetT = 12;
        pub const VT_IS_VARIABLE: flatbuffers::VOffsetT = 14;
        pub const VT_SPARSITY: flatbuffers::VOffsetT = 16;
        pub const VT_SHAPE_SIGNATURE: flatbuffers::VOffsetT = 18;
        pub const VT_HAS_RANK: flatbuffers::VOffsetT = 20;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            Tensor { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args TensorArgs<'args>,
        ) -> flatbuffers::WIPOffset<Tensor<'bldr>> {
            let mut builder = TensorBuilder::new(_fbb);
            if let Some(x) = args.shape_signature {
                builder.add_shape_signature(x);
            }
            if let Some(x) = args.sparsity {
                builder.add_sparsity(x);
            }
            if let Some(x) = args.quantization {
                builder.add_quantization(x);
            }
            if let Some(x) = args.name {
                builder.add_name(x);
            }
            builder.add_buffer(args.buffer);
            if let Some(x) = args.shape {
                builder.add_shape(x);
            }
            builder.add_has_rank(args.has_rank);
            builder.add_is_variable(args.is_variable);
            builder.add_type_(args.type_);
            builder.finish()
        }

        #[inline]
        pub fn shape(&self) -> Option<flatbuffers::Vector<'a, i32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, i32>>>(Tensor::VT_SHAPE, None)
            }
        }
        #[inline]
        pub fn type_(&self) -> TensorType {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<TensorType>(Tensor::VT_TYPE_, Some(TensorType::FLOAT32)).unwrap() }
        }
        #[inline]
        pub fn buffer(&self) -> u32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<u32>(Tensor::VT_BUFFER, Some(0)).unwrap() }
        }
        #[inline]
        pub fn name(&self) -> Option<&'a str> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<&str>>(Tensor::VT_NAME, None) }
        }
        #[inline]
        pub fn quantization(&self) -> Option<QuantizationParameters<'a>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<QuantizationParameters>>(Tensor::VT_QUANTIZATION, None)
            }
        }
        #[inline]
        pub fn is_variable(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(Tensor::VT_IS_VARIABLE, Some(false)).unwrap() }
        }
        #[inline]
        pub fn sparsity(&self) -> Option<SparsityParameters<'a>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<SparsityParameters>>(Tensor::VT_SPARSITY, None) }
        }
        #[inline]
        pub fn shape_signature(&self) -> Option<flatbuffers::Vector<'a, i32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, i32>>>(Tensor::VT_SHAPE_SIGNATURE, None)
            }
        }
        #[inline]
        pub fn has_rank(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(Tensor::VT_HAS_RANK, Some(false)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for Tensor<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, i32>>>(
                    "shape",
                    Self::VT_SHAPE,
                    false,
                )?
                .visit_field::<TensorType>("type_", Self::VT_TYPE_, false)?
                .visit_field::<u32>("buffer", Self::VT_BUFFER, false)?
                .visit_field::<flatbuffers::ForwardsUOffset<&str>>("name", Self::VT_NAME, false)?
                .visit_field::<flatbuffers::ForwardsUOffset<QuantizationParameters>>(
                    "quantization",
                    Self::VT_QUANTIZATION,
                    false,
                )?
                .visit_field::<bool>("is_variable", Self::VT_IS_VARIABLE, false)?
                .visit_field::<flatbuffers::ForwardsUOffset<SparsityParameters>>("sparsity", Self::VT_SPARSITY, false)?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, i32>>>(
                    "shape_signature",
                    Self::VT_SHAPE_SIGNATURE,
                    false,
                )?
                .visit_field::<bool>("has_rank", Self::VT_HAS_RANK, false)?
                .finish();
            Ok(())
        }
    }
    pub struct TensorArgs<'a> {
        pub shape: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, i32>>>,
        pub type_: TensorType,
        pub buffer: u32,
        pub name: Option<flatbuffers::WIPOffset<&'a str>>,
        pub quantization: Option<flatbuffers::WIPOffset<QuantizationParameters<'a>>>,
        pub is_variable: bool,
        pub sparsity: Option<flatbuffers::WIPOffset<SparsityParameters<'a>>>,
        pub shape_signature: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, i32>>>,
        pub has_rank: bool,
    }
    impl<'a> Default for TensorArgs<'a> {
        #[inline]
        fn default() -> Self {
            TensorArgs {
                shape: None,
                type_: TensorType::FLOAT32,
                buffer: 0,
                name: None,
                quantization: None,
                is_variable: false,
                sparsity: None,
                shape_signature: None,
                has_rank: false,
            }
        }
    }

    pub struct TensorBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> TensorBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_shape(&mut self, shape: flatbuffers::WIPOffset<flatbuffers::Vector<'b, i32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Tensor::VT_SHAPE, shape);
        }
        #[inline]
        pub fn add_type_(&mut self, type_: TensorType) {
            self.fbb_.push_slot::<TensorType>(Tensor::VT_TYPE_, type_, TensorType::FLOAT32);
        }
        #[inline]
        pub fn add_buffer(&mut self, buffer: u32) {
            self.fbb_.push_slot::<u32>(Tensor::VT_BUFFER, buffer, 0);
        }
        #[inline]
        pub fn add_name(&mut self, name: flatbuffers::WIPOffset<&'b str>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Tensor::VT_NAME, name);
        }
        #[inline]
        pub fn add_quantization(&mut self, quantization: flatbuffers::WIPOffset<QuantizationParameters<'b>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<QuantizationParameters>>(
                Tensor::VT_QUANTIZATION,
                quantization,
            );
        }
        #[inline]
        pub fn add_is_variable(&mut self, is_variable: bool) {
            self.fbb_.push_slot::<bool>(Tensor::VT_IS_VARIABLE, is_variable, false);
        }
        #[inline]
        pub fn add_sparsity(&mut self, sparsity: flatbuffers::WIPOffset<SparsityParameters<'b>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<SparsityParameters>>(Tensor::VT_SPARSITY, sparsity);
        }
        #[inline]
        pub fn add_shape_signature(&mut self, shape_signature: flatbuffers::WIPOffset<flatbuffers::Vector<'b, i32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Tensor::VT_SHAPE_SIGNATURE, shape_signature);
        }
        #[inline]
        pub fn add_has_rank(&mut self, has_rank: bool) {
            self.fbb_.push_slot::<bool>(Tensor::VT_HAS_RANK, has_rank, false);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> TensorBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            TensorBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<Tensor<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for Tensor<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("Tensor");
            ds.field("shape", &self.shape());
            ds.field("type_", &self.type_());
            ds.field("buffer", &self.buffer());
            ds.field("name", &self.name());
            ds.field("quantization", &self.quantization());
            ds.field("is_variable", &self.is_variable());
            ds.field("sparsity", &self.sparsity());
            ds.field("shape_signature", &self.shape_signature());
            ds.field("has_rank", &self.has_rank());
            ds.finish()
        }
    }
    pub enum Conv2DOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct Conv2DOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for Conv2DOptions<'a> {
        type Inner = Conv2DOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> Conv2DOptions<'a> {
        pub const VT_PADDING: flatbuffers::VOffsetT = 4;
        pub const VT_STRIDE_W: flatbuffers::VOffsetT = 6;
        pub const VT_STRIDE_H: flatbuffers::VOffsetT = 8;
        pub const VT_FUSED_ACTIVATION_FUNCTION: flatbuffers::VOffsetT = 10;
        pub const VT_DILATION_W_FACTOR: flatbuffers::VOffsetT = 12;
        pub const VT_DILATION_H_FACTOR: flatbuffers::VOffsetT = 14;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            Conv2DOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args Conv2DOptionsArgs,
        ) -> flatbuffers::WIPOffset<Conv2DOptions<'bldr>> {
            let mut builder = Conv2DOptionsBuilder::new(_fbb);
            builder.add_dilation_h_factor(args.dilation_h_factor);
            builder.add_dilation_w_factor(args.dilation_w_factor);
            builder.add_stride_h(args.stride_h);
            builder.add_stride_w(args.stride_w);
            builder.add_fused_activation_function(args.fused_activation_function);
            builder.add_padding(args.padding);
            builder.finish()
        }

        #[inline]
        pub fn padding(&self) -> Padding {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<Padding>(Conv2DOptions::VT_PADDING, Some(Padding::SAME)).unwrap() }
        }
        #[inline]
        pub fn stride_w(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(Conv2DOptions::VT_STRIDE_W, Some(0)).unwrap() }
        }
        #[inline]
        pub fn stride_h(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(Conv2DOptions::VT_STRIDE_H, Some(0)).unwrap() }
        }
        #[inline]
        pub fn fused_activation_function(&self) -> ActivationFunctionType {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<ActivationFunctionType>(
                        Conv2DOptions::VT_FUSED_ACTIVATION_FUNCTION,
                        Some(ActivationFunctionType::NONE),
                    )
                    .unwrap()
            }
        }
        #[inline]
        pub fn dilation_w_factor(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(Conv2DOptions::VT_DILATION_W_FACTOR, Some(1)).unwrap() }
        }
        #[inline]
        pub fn dilation_h_factor(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(Conv2DOptions::VT_DILATION_H_FACTOR, Some(1)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for Conv2DOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<Padding>("padding", Self::VT_PADDING, false)?
                .visit_field::<i32>("stride_w", Self::VT_STRIDE_W, false)?
                .visit_field::<i32>("stride_h", Self::VT_STRIDE_H, false)?
                .visit_field::<ActivationFunctionType>(
                    "fused_activation_function",
                    Self::VT_FUSED_ACTIVATION_FUNCTION,
                    false,
                )?
                .visit_field::<i32>("dilation_w_factor", Self::VT_DILATION_W_FACTOR, false)?
                .visit_field::<i32>("dilation_h_factor", Self::VT_DILATION_H_FACTOR, false)?
                .finish();
            Ok(())
        }
    }
    pub struct Conv2DOptionsArgs {
        pub padding: Padding,
        pub stride_w: i32,
        pub stride_h: i32,
        pub fused_activation_function: ActivationFunctionType,
        pub dilation_w_factor: i32,
        pub dilation_h_factor: i32,
    }
    impl<'a> Default for Conv2DOptionsArgs {
        #[inline]
        fn default() -> Self {
            Conv2DOptionsArgs {
                padding: Padding::SAME,
                stride_w: 0,
                stride_h: 0,
                fused_activation_function: ActivationFunctionType::NONE,
                dilation_w_factor: 1,
                dilation_h_factor: 1,
            }
        }
    }

    pub struct Conv2DOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> Conv2DOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_padding(&mut self, padding: Padding) {
            self.fbb_.push_slot::<Padding>(Conv2DOptions::VT_PADDING, padding, Padding::SAME);
        }
        #[inline]
        pub fn add_stride_w(&mut self, stride_w: i32) {
            self.fbb_.push_slot::<i32>(Conv2DOptions::VT_STRIDE_W, stride_w, 0);
        }
        #[inline]
        pub fn add_stride_h(&mut self, stride_h: i32) {
            self.fbb_.push_slot::<i32>(Conv2DOptions::VT_STRIDE_H, stride_h, 0);
        }
        #[inline]
        pub fn add_fused_activation_function(&mut self, fused_activation_function: ActivationFunctionType) {
            self.fbb_.push_slot::<ActivationFunctionType>(
                Conv2DOptions::VT_FUSED_ACTIVATION_FUNCTION,
                fused_activation_function,
                ActivationFunctionType::NONE,
            );
        }
        #[inline]
        pub fn add_dilation_w_factor(&mut self, dilation_w_factor: i32) {
            self.fbb_.push_slot::<i32>(Conv2DOptions::VT_DILATION_W_FACTOR, dilation_w_factor, 1);
        }
        #[inline]
        pub fn add_dilation_h_factor(&mut self, dilation_h_factor: i32) {
            self.fbb_.push_slot::<i32>(Conv2DOptions::VT_DILATION_H_FACTOR, dilation_h_factor, 1);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> Conv2DOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            Conv2DOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<Conv2DOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for Conv2DOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("Conv2DOptions");
            ds.field("padding", &self.padding());
            ds.field("stride_w", &self.stride_w());
            ds.field("stride_h", &self.stride_h());
            ds.field("fused_activation_function", &self.fused_activation_function());
            ds.field("dilation_w_factor", &self.dilation_w_factor());
            ds.field("dilation_h_factor", &self.dilation_h_factor());
            ds.finish()
        }
    }
    pub enum DepthwiseConv2DOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct DepthwiseConv2DOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for DepthwiseConv2DOptions<'a> {
        type Inner = DepthwiseConv2DOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> DepthwiseConv2DOptions<'a> {
        pub const VT_PADDING: flatbuffers::VOffsetT = 4;
        pub const VT_STRIDE_W: flatbuffers::VOffsetT = 6;
        pub const VT_STRIDE_H: flatbuffers::VOffsetT = 8;
        pub const VT_DEPTH_MULTIPLIER: flatbuffers::VOffsetT = 10;
        pub const VT_FUSED_ACTIVATION_FUNCTION: flatbuffers::VOffsetT = 12;
        pub const VT_DILATION_W_FACTOR: flatbuffers::VOffsetT = 14;
        pub const VT_DILATION_H_FACTOR: flatbuffers::VOffsetT = 16;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            DepthwiseConv2DOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args DepthwiseConv2DOptionsArgs,
        ) -> flatbuffers::WIPOffset<DepthwiseConv2DOptions<'bldr>> {
            let mut builder = DepthwiseConv2DOptionsBuilder::new(_fbb);
            builder.add_dilation_h_factor(args.dilation_h_factor);
            builder.add_dilation_w_factor(args.dilation_w_factor);
            builder.add_depth_multiplier(args.depth_multiplier);
            builder.add_stride_h(args.stride_h);
            builder.add_stride_w(args.stride_w);
            builder.add_fused_activation_function(args.fused_activation_function);
            builder.add_padding(args.padding);
            builder.finish()
        }

        #[inline]
        pub fn padding(&self) -> Padding {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<Padding>(DepthwiseConv2DOptions::VT_PADDING, Some(Padding::SAME)).unwrap() }
        }
        #[inline]
        pub fn stride_w(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(DepthwiseConv2DOptions::VT_STRIDE_W, Some(0)).unwrap() }
        }
        #[inline]
        pub fn stride_h(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(DepthwiseConv2DOptions::VT_STRIDE_H, Some(0)).unwrap() }
        }
        #[inline]
        pub fn depth_multiplier(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(DepthwiseConv2DOptions::VT_DEPTH_MULTIPLIER, Some(0)).unwrap() }
        }
        #[inline]
        pub fn fused_activation_function(&self) -> ActivationFunctionType {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<ActivationFunctionType>(
                        DepthwiseConv2DOptions::VT_FUSED_ACTIVATION_FUNCTION,
                        Some(ActivationFunctionType::NONE),
                    )
                    .unwrap()
            }
        }
        #[inline]
        pub fn dilation_w_factor(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(DepthwiseConv2DOptions::VT_DILATION_W_FACTOR, Some(1)).unwrap() }
        }
        #[inline]
        pub fn dilation_h_factor(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(DepthwiseConv2DOptions::VT_DILATION_H_FACTOR, Some(1)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for DepthwiseConv2DOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<Padding>("padding", Self::VT_PADDING, false)?
                .visit_field::<i32>("stride_w", Self::VT_STRIDE_W, false)?
                .visit_field::<i32>("stride_h", Self::VT_STRIDE_H, false)?
                .visit_field::<i32>("depth_multiplier", Self::VT_DEPTH_MULTIPLIER, false)?
                .visit_field::<ActivationFunctionType>(
                    "fused_activation_function",
                    Self::VT_FUSED_ACTIVATION_FUNCTION,
                    false,
                )?
                .visit_field::<i32>("dilation_w_factor", Self::VT_DILATION_W_FACTOR, false)?
                .visit_field::<i32>("dilation_h_factor", Self::VT_DILATION_H_FACTOR, false)?
                .finish();
            Ok(())
        }
    }
    pub struct DepthwiseConv2DOptionsArgs {
        pub padding: Padding,
        pub stride_w: i32,
        pub stride_h: i32,
        pub depth_multiplier: i32,
        pub fused_activation_function: ActivationFunctionType,
        pub dilation_w_factor: i32,
        pub dilation_h_factor: i32,
    }
    impl<'a> Default for DepthwiseConv2DOptionsArgs {
        #[inline]
        fn default() -> Self {
            DepthwiseConv2DOptionsArgs {
                padding: Padding::SAME,
                stride_w: 0,
                stride_h: 0,
                depth_multiplier: 0,
                fused_activation_function: ActivationFunctionType::NONE,
                dilation_w_factor: 1,
                dilation_h_factor: 1,
            }
        }
    }

    pub struct DepthwiseConv2DOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> DepthwiseConv2DOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_padding(&mut self, padding: Padding) {
            self.fbb_.push_slot::<Padding>(DepthwiseConv2DOptions::VT_PADDING, padding, Padding::SAME);
        }
        #[inline]
        pub fn add_stride_w(&mut self, stride_w: i32) {
            self.fbb_.push_slot::<i32>(DepthwiseConv2DOptions::VT_STRIDE_W, stride_w, 0);
        }
        #[inline]
        pub fn add_stride_h(&mut self, stride_h: i32) {
            self.fbb_.push_slot::<i32>(DepthwiseConv2DOptions::VT_STRIDE_H, stride_h, 0);
        }
        #[inline]
        pub fn add_depth_multiplier(&mut self, depth_multiplier: i32) {
            self.fbb_.push_slot::<i32>(DepthwiseConv2DOptions::VT_DEPTH_MULTIPLIER, depth_multiplier, 0);
        }
        #[inline]
        pub fn add_fused_activation_function(&mut self, fused_activation_function: ActivationFunctionType) {
            self.fbb_.push_slot::<ActivationFunctionType>(
                DepthwiseConv2DOptions::VT_FUSED_ACTIVATION_FUNCTION,
                fused_activation_function,
                ActivationFunctionType::NONE,
            );
        }
        #[inline]
        pub fn add_dilation_w_factor(&mut self, dilation_w_factor: i32) {
            self.fbb_.push_slot::<i32>(DepthwiseConv2DOptions::VT_DILATION_W_FACTOR, dilation_w_factor, 1);
        }
        #[inline]
        pub fn add_dilation_h_factor(&mut self, dilation_h_factor: i32) {
            self.fbb_.push_slot::<i32>(DepthwiseConv2DOptions::VT_DILATION_H_FACTOR, dilation_h_factor, 1);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> DepthwiseConv2DOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            DepthwiseConv2DOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<DepthwiseConv2DOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for DepthwiseConv2DOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("DepthwiseConv2DOptions");
            ds.field("padding", &self.padding());
            ds.field("stride_w", &self.stride_w());
            ds.field("stride_h", &self.stride_h());
            ds.field("depth_multiplier", &self.depth_multiplier());
            ds.field("fused_activation_function", &self.fused_activation_function());
            ds.field("dilation_w_factor", &self.dilation_w_factor());
            ds.field("dilation_h_factor", &self.dilation_h_factor());
            ds.finish()
        }
    }
    pub enum Pool2DOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct Pool2DOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for Pool2DOptions<'a> {
        type Inner = Pool2DOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> Pool2DOptions<'a> {
        pub const VT_PADDING: flatbuffers::VOffsetT = 4;
        pub const VT_STRIDE_W: flatbuffers::VOffsetT = 6;
        pub const VT_STRIDE_H: flatbuffers::VOffsetT = 8;
        pub const VT_FILTER_WIDTH: flatbuffers::VOffsetT = 10;
        pub const VT_FILTER_HEIGHT: flatbuffers::VOffsetT = 12;
        pub const VT_FUSED_ACTIVATION_FUNCTION: flatbuffers::VOffsetT = 14;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            Pool2DOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args Pool2DOptionsArgs,
        ) -> flatbuffers::WIPOffset<Pool2DOptions<'bldr>> {
            let mut builder = Pool2DOptionsBuilder::new(_fbb);
            builder.add_filter_height(args.filter_height);
            builder.add_filter_width(args.filter_width);
            builder.add_stride_h(args.stride_h);
            builder.add_stride_w(args.stride_w);
            builder.add_fused_activation_function(args.fused_activation_function);
            builder.add_padding(args.padding);
            builder.finish()
        }

        #[inline]
        pub fn padding(&self) -> Padding {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<Padding>(Pool2DOptions::VT_PADDING, Some(Padding::SAME)).unwrap() }
        }
        #[inline]
        pub fn stride_w(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(Pool2DOptions::VT_STRIDE_W, Some(0)).unwrap() }
        }
        #[inline]
        pub fn stride_h(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(Pool2DOptions::VT_STRIDE_H, Some(0)).unwrap() }
        }
        #[inline]
        pub fn filter_width(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(Pool2DOptions::VT_FILTER_WIDTH, Some(0)).unwrap() }
        }
        #[inline]
        pub fn filter_height(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(Pool2DOptions::VT_FILTER_HEIGHT, Some(0)).unwrap() }
        }
        #[inline]
        pub fn fused_activation_function(&self) -> ActivationFunctionType {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<ActivationFunctionType>(
                        Pool2DOptions::VT_FUSED_ACTIVATION_FUNCTION,
                        Some(ActivationFunctionType::NONE),
                    )
                    .unwrap()
            }
        }
    }

    impl flatbuffers::Verifiable for Pool2DOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<Padding>("padding", Self::VT_PADDING, false)?
                .visit_field::<i32>("stride_w", Self::VT_STRIDE_W, false)?
                .visit_field::<i32>("stride_h", Self::VT_STRIDE_H, false)?
                .visit_field::<i32>("filter_width", Self::VT_FILTER_WIDTH, false)?
                .visit_field::<i32>("filter_height", Self::VT_FILTER_HEIGHT, false)?
                .visit_field::<ActivationFunctionType>(
                    "fused_activation_function",
                    Self::VT_FUSED_ACTIVATION_FUNCTION,
                    false,
                )?
                .finish();
            Ok(())
        }
    }
    pub struct Pool2DOptionsArgs {
        pub padding: Padding,
        pub stride_w: i32,
        pub stride_h: i32,
        pub filter_width: i32,
        pub filter_height: i32,
        pub fused_activation_function: ActivationFunctionType,
    }
    impl<'a> Default for Pool2DOptionsArgs {
        #[inline]
        fn default() -> Self {
            Pool2DOptionsArgs {
                padding: Padding::SAME,
                stride_w: 0,
                stride_h: 0,
                filter_width: 0,
                filter_height: 0,
                fused_activation_function: ActivationFunctionType::NONE,
            }
        }
    }

    pub struct Pool2DOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> Pool2DOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_padding(&mut self, padding: Padding) {
            self.fbb_.push_slot::<Padding>(Pool2DOptions::VT_PADDING, padding, Padding::SAME);
        }
        #[inline]
        pub fn add_stride_w(&mut self, stride_w: i32) {
            self.fbb_.push_slot::<i32>(Pool2DOptions::VT_STRIDE_W, stride_w, 0);
        }
        #[inline]
        pub fn add_stride_h(&mut self, stride_h: i32) {
            self.fbb_.push_slot::<i32>(Pool2DOptions::VT_STRIDE_H, stride_h, 0);
        }
        #[inline]
        pub fn add_filter_width(&mut self, filter_width: i32) {
            self.fbb_.push_slot::<i32>(Pool2DOptions::VT_FILTER_WIDTH, filter_width, 0);
        }
        #[inline]
        pub fn add_filter_height(&mut self, filter_height: i32) {
            self.fbb_.push_slot::<i32>(Pool2DOptions::VT_FILTER_HEIGHT, filter_height, 0);
        }
        #[inline]
        pub fn add_fused_activation_function(&mut self, fused_activation_function: ActivationFunctionType) {
            self.fbb_.push_slot::<ActivationFunctionType>(
                Pool2DOptions::VT_FUSED_ACTIVATION_FUNCTION,
                fused_activation_function,
                ActivationFunctionType::NONE,
            );
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> Pool2DOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            Pool2DOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<Pool2DOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for Pool2DOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("Pool2DOptions");
            ds.field("padding", &self.padding());
            ds.field("stride_w", &self.stride_w());
            ds.field("stride_h", &self.stride_h());
            ds.field("filter_width", &self.filter_width());
            ds.field("filter_height", &self.filter_height());
            ds.field("fused_activation_function", &self.fused_activation_function());
            ds.finish()
        }
    }
    pub enum FullyConnectedOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct FullyConnectedOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for FullyConnectedOptions<'a> {
        type Inner = FullyConnectedOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> FullyConnectedOptions<'a> {
        pub const VT_FUSED_ACTIVATION_FUNCTION: flatbuffers::VOffsetT = 4;
        pub const VT_WEIGHTS_FORMAT: flatbuffers::VOffsetT = 6;
        pub const VT_KEEP_NUM_DIMS: flatbuffers::VOffsetT = 8;
        pub const VT_ASYMMETRIC_QUANTIZE_INPUTS: flatbuffers::VOffsetT = 10;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            FullyConnectedOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args FullyConnectedOptionsArgs,
        ) -> flatbuffers::WIPOffset<FullyConnectedOptions<'bldr>> {
            let mut builder = FullyConnectedOptionsBuilder::new(_fbb);
            builder.add_asymmetric_quantize_inputs(args.asymmetric_quantize_inputs);
            builder.add_keep_num_dims(args.keep_num_dims);
            builder.add_weights_format(args.weights_format);
            builder.add_fused_activation_function(args.fused_activation_function);
            builder.finish()
        }

        #[inline]
        pub fn fused_activation_function(&self) -> ActivationFunctionType {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<ActivationFunctionType>(
                        FullyConnectedOptions::VT_FUSED_ACTIVATION_FUNCTION,
                        Some(ActivationFunctionType::NONE),
                    )
                    .unwrap()
            }
        }
        #[inline]
        pub fn weights_format(&self) -> FullyConnectedOptionsWeightsFormat {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<FullyConnectedOptionsWeightsFormat>(
                        FullyConnectedOptions::VT_WEIGHTS_FORMAT,
                        Some(FullyConnectedOptionsWeightsFormat::DEFAULT),
                    )
                    .unwrap()
            }
        }
        #[inline]
        pub fn keep_num_dims(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(FullyConnectedOptions::VT_KEEP_NUM_DIMS, Some(false)).unwrap() }
        }
        #[inline]
        pub fn asymmetric_quantize_inputs(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(FullyConnectedOptions::VT_ASYMMETRIC_QUANTIZE_INPUTS, Some(false)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for FullyConnectedOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<ActivationFunctionType>(
                    "fused_activation_function",
                    Self::VT_FUSED_ACTIVATION_FUNCTION,
                    false,
                )?
                .visit_field::<FullyConnectedOptionsWeightsFormat>("weights_format", Self::VT_WEIGHTS_FORMAT, false)?
                .visit_field::<bool>("keep_num_dims", Self::VT_KEEP_NUM_DIMS, false)?
                .visit_field::<bool>("asymmetric_quantize_inputs", Self::VT_ASYMMETRIC_QUANTIZE_INPUTS, false)?
                .finish();
            Ok(())
        }
    }
    pub struct FullyConnectedOptionsArgs {
        pub fused_activation_function: ActivationFunctionType,
        pub weights_format: FullyConnectedOptionsWeightsFormat,
        pub keep_num_dims: bool,
        pub asymmetric_quantize_inputs: bool,
    }
    impl<'a> Default for FullyConnectedOptionsArgs {
        #[inline]
        fn default() -> Self {
            FullyConnectedOptionsArgs {
                fused_activation_function: ActivationFunctionType::NONE,
                weights_format: FullyConnectedOptionsWeightsFormat::DEFAULT,
                keep_num_dims: false,
                asymmetric_quantize_inputs: false,
            }
        }
    }

    pub struct FullyConnectedOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> FullyConnectedOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_fused_activation_function(&mut self, fused_activation_function: ActivationFunctionType) {
            self.fbb_.push_slot::<ActivationFunctionType>(
                FullyConnectedOptions::VT_FUSED_ACTIVATION_FUNCTION,
                fused_activation_function,
                ActivationFunctionType::NONE,
            );
        }
        #[inline]
        pub fn add_weights_format(&mut self, weights_format: FullyConnectedOptionsWeightsFormat) {
            self.fbb_.push_slot::<FullyConnectedOptionsWeightsFormat>(
                FullyConnectedOptions::VT_WEIGHTS_FORMAT,
                weights_format,
                FullyConnectedOptionsWeightsFormat::DEFAULT,
            );
        }
        #[inline]
        pub fn add_keep_num_dims(&mut self, keep_num_dims: bool) {
            self.fbb_.push_slot::<bool>(FullyConnectedOptions::VT_KEEP_NUM_DIMS, keep_num_dims, false);
        }
        #[inline]
        pub fn add_asymmetric_quantize_inputs(&mut self, asymmetric_quantize_inputs: bool) {
            self.fbb_.push_slot::<bool>(
                FullyConnectedOptions::VT_ASYMMETRIC_QUANTIZE_INPUTS,
                asymmetric_quantize_inputs,
                false,
            );
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> FullyConnectedOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            FullyConnectedOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<FullyConnectedOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for FullyConnectedOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("FullyConnectedOptions");
            ds.field("fused_activation_function", &self.fused_activation_function());
            ds.field("weights_format", &self.weights_format());
            ds.field("keep_num_dims", &self.keep_num_dims());
            ds.field("asymmetric_quantize_inputs", &self.asymmetric_quantize_inputs());
            ds.finish()
        }
    }
    pub enum SoftmaxOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct SoftmaxOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for SoftmaxOptions<'a> {
        type Inner = SoftmaxOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> SoftmaxOptions<'a> {
        pub const VT_BETA: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            SoftmaxOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args SoftmaxOptionsArgs,
        ) -> flatbuffers::WIPOffset<SoftmaxOptions<'bldr>> {
            let mut builder = SoftmaxOptionsBuilder::new(_fbb);
            builder.add_beta(args.beta);
            builder.finish()
        }

        #[inline]
        pub fn beta(&self) -> f32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<f32>(SoftmaxOptions::VT_BETA, Some(0.0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for SoftmaxOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?.visit_field::<f32>("beta", Self::VT_BETA, false)?.finish();
            Ok(())
        }
    }
    pub struct SoftmaxOptionsArgs {
        pub beta: f32,
    }
    impl<'a> Default for SoftmaxOptionsArgs {
        #[inline]
        fn default() -> Self {
            SoftmaxOptionsArgs { beta: 0.0 }
        }
    }

    pub struct SoftmaxOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> SoftmaxOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_beta(&mut self, beta: f32) {
            self.fbb_.push_slot::<f32>(SoftmaxOptions::VT_BETA, beta, 0.0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> SoftmaxOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            SoftmaxOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<SoftmaxOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for SoftmaxOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("SoftmaxOptions");
            ds.field("beta", &self.beta());
            ds.finish()
        }
    }
    pub enum ConcatenationOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct ConcatenationOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for ConcatenationOptions<'a> {
        type Inner = ConcatenationOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> ConcatenationOptions<'a> {
        pub const VT_AXIS: flatbuffers::VOffsetT = 4;
        pub const VT_FUSED_ACTIVATION_FUNCTION: flatbuffers::VOffsetT = 6;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            ConcatenationOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args ConcatenationOptionsArgs,
        ) -> flatbuffers::WIPOffset<ConcatenationOptions<'bldr>> {
            let mut builder = ConcatenationOptionsBuilder::new(_fbb);
            builder.add_axis(args.axis);
            builder.add_fused_activation_function(args.fused_activation_function);
            builder.finish()
        }

        #[inline]
        pub fn axis(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(ConcatenationOptions::VT_AXIS, Some(0)).unwrap() }
        }
        #[inline]
        pub fn fused_activation_function(&self) -> ActivationFunctionType {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<ActivationFunctionType>(
                        ConcatenationOptions::VT_FUSED_ACTIVATION_FUNCTION,
                        Some(ActivationFunctionType::NONE),
                    )
                    .unwrap()
            }
        }
    }

    impl flatbuffers::Verifiable for ConcatenationOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<i32>("axis", Self::VT_AXIS, false)?
                .visit_field::<ActivationFunctionType>(
                    "fused_activation_function",
                    Self::VT_FUSED_ACTIVATION_FUNCTION,
                    false,
                )?
                .finish();
            Ok(())
        }
    }
    pub struct ConcatenationOptionsArgs {
        pub axis: i32,
        pub fused_activation_function: ActivationFunctionType,
    }
    impl<'a> Default for ConcatenationOptionsArgs {
        #[inline]
        fn default() -> Self {
            ConcatenationOptionsArgs { axis: 0, fused_activation_function: ActivationFunctionType::NONE }
        }
    }

    pub struct ConcatenationOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> ConcatenationOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_axis(&mut self, axis: i32) {
            self.fbb_.push_slot::<i32>(ConcatenationOptions::VT_AXIS, axis, 0);
        }
        #[inline]
        pub fn add_fused_activation_function(&mut self, fused_activation_function: ActivationFunctionType) {
            self.fbb_.push_slot::<ActivationFunctionType>(
                ConcatenationOptions::VT_FUSED_ACTIVATION_FUNCTION,
                fused_activation_function,
                ActivationFunctionType::NONE,
            );
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> ConcatenationOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            ConcatenationOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<ConcatenationOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for ConcatenationOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("ConcatenationOptions");
            ds.field("axis", &self.axis());
            ds.field("fused_activation_function", &self.fused_activation_function());
            ds.finish()
        }
    }
    pub enum AddOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct AddOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for AddOptions<'a> {
        type Inner = AddOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> AddOptions<'a> {
        pub const VT_FUSED_ACTIVATION_FUNCTION: flatbuffers::VOffsetT = 4;
        pub const VT_POT_SCALE_INT16: flatbuffers::VOffsetT = 6;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            AddOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args AddOptionsArgs,
        ) -> flatbuffers::WIPOffset<AddOptions<'bldr>> {
            let mut builder = AddOptionsBuilder::new(_fbb);
            builder.add_pot_scale_int16(args.pot_scale_int16);
            builder.add_fused_activation_function(args.fused_activation_function);
            builder.finish()
        }

        #[inline]
        pub fn fused_activation_function(&self) -> ActivationFunctionType {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<ActivationFunctionType>(
                        AddOptions::VT_FUSED_ACTIVATION_FUNCTION,
                        Some(ActivationFunctionType::NONE),
                    )
                    .unwrap()
            }
        }
        #[inline]
        pub fn pot_scale_int16(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(AddOptions::VT_POT_SCALE_INT16, Some(true)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for AddOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<ActivationFunctionType>(
                    "fused_activation_function",
                    Self::VT_FUSED_ACTIVATION_FUNCTION,
                    false,
                )?
                .visit_field::<bool>("pot_scale_int16", Self::VT_POT_SCALE_INT16, false)?
                .finish();
            Ok(())
        }
    }
    pub struct AddOptionsArgs {
        pub fused_activation_function: ActivationFunctionType,
        pub pot_scale_int16: bool,
    }
    impl<'a> Default for AddOptionsArgs {
        #[inline]
        fn default() -> Self {
            AddOptionsArgs { fused_activation_function: ActivationFunctionType::NONE, pot_scale_int16: true }
        }
    }

    pub struct AddOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> AddOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_fused_activation_function(&mut self, fused_activation_function: ActivationFunctionType) {
            self.fbb_.push_slot::<ActivationFunctionType>(
                AddOptions::VT_FUSED_ACTIVATION_FUNCTION,
                fused_activation_function,
                ActivationFunctionType::NONE,
            );
        }
        #[inline]
        pub fn add_pot_scale_int16(&mut self, pot_scale_int16: bool) {
            self.fbb_.push_slot::<bool>(AddOptions::VT_POT_SCALE_INT16, pot_scale_int16, true);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> AddOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            AddOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<AddOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for AddOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("AddOptions");
            ds.field("fused_activation_function", &self.fused_activation_function());
            ds.field("pot_scale_int16", &self.pot_scale_int16());
            ds.finish()
        }
    }
    pub enum L2NormOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct L2NormOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for L2NormOptions<'a> {
        type Inner = L2NormOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> L2NormOptions<'a> {
        pub const VT_FUSED_ACTIVATION_FUNCTION: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            L2NormOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args L2NormOptionsArgs,
        ) -> flatbuffers::WIPOffset<L2NormOptions<'bldr>> {
            let mut builder = L2NormOptionsBuilder::new(_fbb);
            builder.add_fused_activation_function(args.fused_activation_function);
            builder.finish()
        }

        #[inline]
        pub fn fused_activation_function(&self) -> ActivationFunctionType {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<ActivationFunctionType>(
                        L2NormOptions::VT_FUSED_ACTIVATION_FUNCTION,
                        Some(ActivationFunctionType::NONE),
                    )
                    .unwrap()
            }
        }
    }

    impl flatbuffers::Verifiable for L2NormOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<ActivationFunctionType>(
                    "fused_activation_function",
                    Self::VT_FUSED_ACTIVATION_FUNCTION,
                    false,
                )?
                .finish();
            Ok(())
        }
    }
    pub struct L2NormOptionsArgs {
        pub fused_activation_function: ActivationFunctionType,
    }
    impl<'a> Default for L2NormOptionsArgs {
        #[inline]
        fn default() -> Self {
            L2NormOptionsArgs { fused_activation_function: ActivationFunctionType::NONE }
        }
    }

    pub struct L2NormOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> L2NormOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_fused_activation_function(&mut self, fused_activation_function: ActivationFunctionType) {
            self.fbb_.push_slot::<ActivationFunctionType>(
                L2NormOptions::VT_FUSED_ACTIVATION_FUNCTION,
                fused_activation_function,
                ActivationFunctionType::NONE,
            );
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> L2NormOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            L2NormOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<L2NormOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for L2NormOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("L2NormOptions");
            ds.field("fused_activation_function", &self.fused_activation_function());
            ds.finish()
        }
    }
    pub enum LocalResponseNormalizationOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct LocalResponseNormalizationOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for LocalResponseNormalizationOptions<'a> {
        type Inner = LocalResponseNormalizationOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> LocalResponseNormalizationOptions<'a> {
        pub const VT_RADIUS: flatbuffers::VOffsetT = 4;
        pub const VT_BIAS: flatbuffers::VOffsetT = 6;
        pub const VT_ALPHA: flatbuffers::VOffsetT = 8;
        pub const VT_BETA: flatbuffers::VOffsetT = 10;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            LocalResponseNormalizationOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args LocalResponseNormalizationOptionsArgs,
        ) -> flatbuffers::WIPOffset<LocalResponseNormalizationOptions<'bldr>> {
            let mut builder = LocalResponseNormalizationOptionsBuilder::new(_fbb);
            builder.add_beta(args.beta);
            builder.add_alpha(args.alpha);
            builder.add_bias(args.bias);
            builder.add_radius(args.radius);
            builder.finish()
        }

        #[inline]
        pub fn radius(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(LocalResponseNormalizationOptions::VT_RADIUS, Some(0)).unwrap() }
        }
        #[inline]
        pub fn bias(&self) -> f32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<f32>(LocalResponseNormalizationOptions::VT_BIAS, Some(0.0)).unwrap() }
        }
        #[inline]
        pub fn alpha(&self) -> f32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<f32>(LocalResponseNormalizationOptions::VT_ALPHA, Some(0.0)).unwrap() }
        }
        #[inline]
        pub fn beta(&self) -> f32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<f32>(LocalResponseNormalizationOptions::VT_BETA, Some(0.0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for LocalResponseNormalizationOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<i32>("radius", Self::VT_RADIUS, false)?
                .visit_field::<f32>("bias", Self::VT_BIAS, false)?
                .visit_field::<f32>("alpha", Self::VT_ALPHA, false)?
                .visit_field::<f32>("beta", Self::VT_BETA, false)?
                .finish();
            Ok(())
        }
    }
    pub struct LocalResponseNormalizationOptionsArgs {
        pub radius: i32,
        pub bias: f32,
        pub alpha: f32,
        pub beta: f32,
    }
    impl<'a> Default for LocalResponseNormalizationOptionsArgs {
        #[inline]
        fn default() -> Self {
            LocalResponseNormalizationOptionsArgs { radius: 0, bias: 0.0, alpha: 0.0, beta: 0.0 }
        }
    }

    pub struct LocalResponseNormalizationOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> LocalResponseNormalizationOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_radius(&mut self, radius: i32) {
            self.fbb_.push_slot::<i32>(LocalResponseNormalizationOptions::VT_RADIUS, radius, 0);
        }
        #[inline]
        pub fn add_bias(&mut self, bias: f32) {
            self.fbb_.push_slot::<f32>(LocalResponseNormalizationOptions::VT_BIAS, bias, 0.0);
        }
        #[inline]
        pub fn add_alpha(&mut self, alpha: f32) {
            self.fbb_.push_slot::<f32>(LocalResponseNormalizationOptions::VT_ALPHA, alpha, 0.0);
        }
        #[inline]
        pub fn add_beta(&mut self, beta: f32) {
            self.fbb_.push_slot::<f32>(LocalResponseNormalizationOptions::VT_BETA, beta, 0.0);
        }
        #[inline]
        pub fn new(
            _fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        ) -> LocalResponseNormalizationOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            LocalResponseNormalizationOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<LocalResponseNormalizationOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for LocalResponseNormalizationOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("LocalResponseNormalizationOptions");
            ds.field("radius", &self.radius());
            ds.field("bias", &self.bias());
            ds.field("alpha", &self.alpha());
            ds.field("beta", &self.beta());
            ds.finish()
        }
    }
    pub enum ResizeBilinearOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct ResizeBilinearOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for ResizeBilinearOptions<'a> {
        type Inner = ResizeBilinearOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> ResizeBilinearOptions<'a> {
        pub const VT_ALIGN_CORNERS: flatbuffers::VOffsetT = 8;
        pub const VT_HALF_PIXEL_CENTERS: flatbuffers::VOffsetT = 10;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            ResizeBilinearOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args ResizeBilinearOptionsArgs,
        ) -> flatbuffers::WIPOffset<ResizeBilinearOptions<'bldr>> {
            let mut builder = ResizeBilinearOptionsBuilder::new(_fbb);
            builder.add_half_pixel_centers(args.half_pixel_centers);
            builder.add_align_corners(args.align_corners);
            builder.finish()
        }

        #[inline]
        pub fn align_corners(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(ResizeBilinearOptions::VT_ALIGN_CORNERS, Some(false)).unwrap() }
        }
        #[inline]
        pub fn half_pixel_centers(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(ResizeBilinearOptions::VT_HALF_PIXEL_CENTERS, Some(false)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for ResizeBilinearOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<bool>("align_corners", Self::VT_ALIGN_CORNERS, false)?
                .visit_field::<bool>("half_pixel_centers", Self::VT_HALF_PIXEL_CENTERS, false)?
                .finish();
            Ok(())
        }
    }
    pub struct ResizeBilinearOptionsArgs {
        pub align_corners: bool,
        pub half_pixel_centers: bool,
    }
    impl<'a> Default for ResizeBilinearOptionsArgs {
        #[inline]
        fn default() -> Self {
            ResizeBilinearOptionsArgs { align_corners: false, half_pixel_centers: false }
        }
    }

    pub struct ResizeBilinearOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> ResizeBilinearOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_align_corners(&mut self, align_corners: bool) {
            self.fbb_.push_slot::<bool>(ResizeBilinearOptions::VT_ALIGN_CORNERS, align_corners, false);
        }
        #[inline]
        pub fn add_half_pixel_centers(&mut self, half_pixel_centers: bool) {
            self.fbb_.push_slot::<bool>(ResizeBilinearOptions::VT_HALF_PIXEL_CENTERS, half_pixel_centers, false);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> ResizeBilinearOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            ResizeBilinearOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<ResizeBilinearOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for ResizeBilinearOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("ResizeBilinearOptions");
            ds.field("align_corners", &self.align_corners());
            ds.field("half_pixel_centers", &self.half_pixel_centers());
            ds.finish()
        }
    }
    pub enum ReshapeOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct ReshapeOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for ReshapeOptions<'a> {
        type Inner = ReshapeOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> ReshapeOptions<'a> {
        pub const VT_NEW_SHAPE: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            ReshapeOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args ReshapeOptionsArgs<'args>,
        ) -> flatbuffers::WIPOffset<ReshapeOptions<'bldr>> {
            let mut builder = ReshapeOptionsBuilder::new(_fbb);
            if let Some(x) = args.new_shape {
                builder.add_new_shape(x);
            }
            builder.finish()
        }

        #[inline]
        pub fn new_shape(&self) -> Option<flatbuffers::Vector<'a, i32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, i32>>>(
                    ReshapeOptions::VT_NEW_SHAPE,
                    None,
                )
            }
        }
    }

    impl flatbuffers::Verifiable for ReshapeOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, i32>>>(
                    "new_shape",
                    Self::VT_NEW_SHAPE,
                    false,
                )?
                .finish();
            Ok(())
        }
    }
    pub struct ReshapeOptionsArgs<'a> {
        pub new_shape: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, i32>>>,
    }
    impl<'a> Default for ReshapeOptionsArgs<'a> {
        #[inline]
        fn default() -> Self {
            ReshapeOptionsArgs { new_shape: None }
        }
    }

    pub struct ReshapeOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> ReshapeOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_new_shape(&mut self, new_shape: flatbuffers::WIPOffset<flatbuffers::Vector<'b, i32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(ReshapeOptions::VT_NEW_SHAPE, new_shape);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> ReshapeOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            ReshapeOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<ReshapeOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for ReshapeOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("ReshapeOptions");
            ds.field("new_shape", &self.new_shape());
            ds.finish()
        }
    }
    pub enum SpaceToDepthOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct SpaceToDepthOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for SpaceToDepthOptions<'a> {
        type Inner = SpaceToDepthOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> SpaceToDepthOptions<'a> {
        pub const VT_BLOCK_SIZE: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            SpaceToDepthOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args SpaceToDepthOptionsArgs,
        ) -> flatbuffers::WIPOffset<SpaceToDepthOptions<'bldr>> {
            let mut builder = SpaceToDepthOptionsBuilder::new(_fbb);
            builder.add_block_size(args.block_size);
            builder.finish()
        }

        #[inline]
        pub fn block_size(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(SpaceToDepthOptions::VT_BLOCK_SIZE, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for SpaceToDepthOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?.visit_field::<i32>("block_size", Self::VT_BLOCK_SIZE, false)?.finish();
            Ok(())
        }
    }
    pub struct SpaceToDepthOptionsArgs {
        pub block_size: i32,
    }
    impl<'a> Default for SpaceToDepthOptionsArgs {
        #[inline]
        fn default() -> Self {
            SpaceToDepthOptionsArgs { block_size: 0 }
        }
    }

    pub struct SpaceToDepthOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> SpaceToDepthOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_block_size(&mut self, block_size: i32) {
            self.fbb_.push_slot::<i32>(SpaceToDepthOptions::VT_BLOCK_SIZE, block_size, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> SpaceToDepthOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            SpaceToDepthOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<SpaceToDepthOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for SpaceToDepthOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("SpaceToDepthOptions");
            ds.field("block_size", &self.block_size());
            ds.finish()
        }
    }
    pub enum MulOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct MulOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for MulOptions<'a> {
        type Inner = MulOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> MulOptions<'a> {
        pub const VT_FUSED_ACTIVATION_FUNCTION: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            MulOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args MulOptionsArgs,
        ) -> flatbuffers::WIPOffset<MulOptions<'bldr>> {
            let mut builder = MulOptionsBuilder::new(_fbb);
            builder.add_fused_activation_function(args.fused_activation_function);
            builder.finish()
        }

        #[inline]
        pub fn fused_activation_function(&self) -> ActivationFunctionType {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<ActivationFunctionType>(
                        MulOptions::VT_FUSED_ACTIVATION_FUNCTION,
                        Some(ActivationFunctionType::NONE),
                    )
                    .unwrap()
            }
        }
    }

    impl flatbuffers::Verifiable for MulOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<ActivationFunctionType>(
                    "fused_activation_function",
                    Self::VT_FUSED_ACTIVATION_FUNCTION,
                    false,
                )?
                .finish();
            Ok(())
        }
    }
    pub struct MulOptionsArgs {
        pub fused_activation_function: ActivationFunctionType,
    }
    impl<'a> Default for MulOptionsArgs {
        #[inline]
        fn default() -> Self {
            MulOptionsArgs { fused_activation_function: ActivationFunctionType::NONE }
        }
    }

    pub struct MulOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> MulOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_fused_activation_function(&mut self, fused_activation_function: ActivationFunctionType) {
            self.fbb_.push_slot::<ActivationFunctionType>(
                MulOptions::VT_FUSED_ACTIVATION_FUNCTION,
                fused_activation_function,
                ActivationFunctionType::NONE,
            );
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> MulOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            MulOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<MulOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for MulOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("MulOptions");
            ds.field("fused_activation_function", &self.fused_activation_function());
            ds.finish()
        }
    }
    pub enum GatherOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct GatherOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for GatherOptions<'a> {
        type Inner = GatherOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> GatherOptions<'a> {
        pub const VT_AXIS: flatbuffers::VOffsetT = 4;
        pub const VT_BATCH_DIMS: flatbuffers::VOffsetT = 6;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            GatherOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args GatherOptionsArgs,
        ) -> flatbuffers::WIPOffset<GatherOptions<'bldr>> {
            let mut builder = GatherOptionsBuilder::new(_fbb);
            builder.add_batch_dims(args.batch_dims);
            builder.add_axis(args.axis);
            builder.finish()
        }

        #[inline]
        pub fn axis(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(GatherOptions::VT_AXIS, Some(0)).unwrap() }
        }
        #[inline]
        pub fn batch_dims(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(GatherOptions::VT_BATCH_DIMS, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for GatherOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<i32>("axis", Self::VT_AXIS, false)?
                .visit_field::<i32>("batch_dims", Self::VT_BATCH_DIMS, false)?
                .finish();
            Ok(())
        }
    }
    pub struct GatherOptionsArgs {
        pub axis: i32,
        pub batch_dims: i32,
    }
    impl<'a> Default for GatherOptionsArgs {
        #[inline]
        fn default() -> Self {
            GatherOptionsArgs { axis: 0, batch_dims: 0 }
        }
    }

    pub struct GatherOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> GatherOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_axis(&mut self, axis: i32) {
            self.fbb_.push_slot::<i32>(GatherOptions::VT_AXIS, axis, 0);
        }
        #[inline]
        pub fn add_batch_dims(&mut self, batch_dims: i32) {
            self.fbb_.push_slot::<i32>(GatherOptions::VT_BATCH_DIMS, batch_dims, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> GatherOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            GatherOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<GatherOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for GatherOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("GatherOptions");
            ds.field("axis", &self.axis());
            ds.field("batch_dims", &self.batch_dims());
            ds.finish()
        }
    }
    pub enum ReducerOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct ReducerOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for ReducerOptions<'a> {
        type Inner = ReducerOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> ReducerOptions<'a> {
        pub const VT_KEEP_DIMS: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            ReducerOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args ReducerOptionsArgs,
        ) -> flatbuffers::WIPOffset<ReducerOptions<'bldr>> {
            let mut builder = ReducerOptionsBuilder::new(_fbb);
            builder.add_keep_dims(args.keep_dims);
            builder.finish()
        }

        #[inline]
        pub fn keep_dims(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(ReducerOptions::VT_KEEP_DIMS, Some(false)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for ReducerOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?.visit_field::<bool>("keep_dims", Self::VT_KEEP_DIMS, false)?.finish();
            Ok(())
        }
    }
    pub struct ReducerOptionsArgs {
        pub keep_dims: bool,
    }
    impl<'a> Default for ReducerOptionsArgs {
        #[inline]
        fn default() -> Self {
            ReducerOptionsArgs { keep_dims: false }
        }
    }

    pub struct ReducerOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> ReducerOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_keep_dims(&mut self, keep_dims: bool) {
            self.fbb_.push_slot::<bool>(ReducerOptions::VT_KEEP_DIMS, keep_dims, false);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> ReducerOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            ReducerOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<ReducerOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for ReducerOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("ReducerOptions");
            ds.field("keep_dims", &self.keep_dims());
            ds.finish()
        }
    }
    pub enum SubOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct SubOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for SubOptions<'a> {
        type Inner = SubOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> SubOptions<'a> {
        pub const VT_FUSED_ACTIVATION_FUNCTION: flatbuffers::VOffsetT = 4;
        pub const VT_POT_SCALE_INT16: flatbuffers::VOffsetT = 6;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            SubOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args SubOptionsArgs,
        ) -> flatbuffers::WIPOffset<SubOptions<'bldr>> {
            let mut builder = SubOptionsBuilder::new(_fbb);
            builder.add_pot_scale_int16(args.pot_scale_int16);
            builder.add_fused_activation_function(args.fused_activation_function);
            builder.finish()
        }

        #[inline]
        pub fn fused_activation_function(&self) -> ActivationFunctionType {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<ActivationFunctionType>(
                        SubOptions::VT_FUSED_ACTIVATION_FUNCTION,
                        Some(ActivationFunctionType::NONE),
                    )
                    .unwrap()
            }
        }
        #[inline]
        pub fn pot_scale_int16(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(SubOptions::VT_POT_SCALE_INT16, Some(true)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for SubOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<ActivationFunctionType>(
                    "fused_activation_function",
                    Self::VT_FUSED_ACTIVATION_FUNCTION,
                    false,
                )?
                .visit_field::<bool>("pot_scale_int16", Self::VT_POT_SCALE_INT16, false)?
                .finish();
            Ok(())
        }
    }
    pub struct SubOptionsArgs {
        pub fused_activation_function: ActivationFunctionType,
        pub pot_scale_int16: bool,
    }
    impl<'a> Default for SubOptionsArgs {
        #[inline]
        fn default() -> Self {
            SubOptionsArgs { fused_activation_function: ActivationFunctionType::NONE, pot_scale_int16: true }
        }
    }

    pub struct SubOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> SubOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_fused_activation_function(&mut self, fused_activation_function: ActivationFunctionType) {
            self.fbb_.push_slot::<ActivationFunctionType>(
                SubOptions::VT_FUSED_ACTIVATION_FUNCTION,
                fused_activation_function,
                ActivationFunctionType::NONE,
            );
        }
        #[inline]
        pub fn add_pot_scale_int16(&mut self, pot_scale_int16: bool) {
            self.fbb_.push_slot::<bool>(SubOptions::VT_POT_SCALE_INT16, pot_scale_int16, true);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> SubOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            SubOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<SubOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for SubOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("SubOptions");
            ds.field("fused_activation_function", &self.fused_activation_function());
            ds.field("pot_scale_int16", &self.pot_scale_int16());
            ds.finish()
        }
    }
    pub enum DivOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct DivOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for DivOptions<'a> {
        type Inner = DivOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> DivOptions<'a> {
        pub const VT_FUSED_ACTIVATION_FUNCTION: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            DivOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args DivOptionsArgs,
        ) -> flatbuffers::WIPOffset<DivOptions<'bldr>> {
            let mut builder = DivOptionsBuilder::new(_fbb);
            builder.add_fused_activation_function(args.fused_activation_function);
            builder.finish()
        }

        #[inline]
        pub fn fused_activation_function(&self) -> ActivationFunctionType {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<ActivationFunctionType>(
                        DivOptions::VT_FUSED_ACTIVATION_FUNCTION,
                        Some(ActivationFunctionType::NONE),
                    )
                    .unwrap()
            }
        }
    }

    impl flatbuffers::Verifiable for DivOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<ActivationFunctionType>(
                    "fused_activation_function",
                    Self::VT_FUSED_ACTIVATION_FUNCTION,
                    false,
                )?
                .finish();
            Ok(())
        }
    }
    pub struct DivOptionsArgs {
        pub fused_activation_function: ActivationFunctionType,
    }
    impl<'a> Default for DivOptionsArgs {
        #[inline]
        fn default() -> Self {
            DivOptionsArgs { fused_activation_function: ActivationFunctionType::NONE }
        }
    }

    pub struct DivOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> DivOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_fused_activation_function(&mut self, fused_activation_function: ActivationFunctionType) {
            self.fbb_.push_slot::<ActivationFunctionType>(
                DivOptions::VT_FUSED_ACTIVATION_FUNCTION,
                fused_activation_function,
                ActivationFunctionType::NONE,
            );
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> DivOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            DivOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<DivOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for DivOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("DivOptions");
            ds.field("fused_activation_function", &self.fused_activation_function());
            ds.finish()
        }
    }
    pub enum SqueezeOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct SqueezeOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for SqueezeOptions<'a> {
        type Inner = SqueezeOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> SqueezeOptions<'a> {
        pub const VT_SQUEEZE_DIMS: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            SqueezeOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args SqueezeOptionsArgs<'args>,
        ) -> flatbuffers::WIPOffset<SqueezeOptions<'bldr>> {
            let mut builder = SqueezeOptionsBuilder::new(_fbb);
            if let Some(x) = args.squeeze_dims {
                builder.add_squeeze_dims(x);
            }
            builder.finish()
        }

        #[inline]
        pub fn squeeze_dims(&self) -> Option<flatbuffers::Vector<'a, i32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, i32>>>(
                    SqueezeOptions::VT_SQUEEZE_DIMS,
                    None,
                )
            }
        }
    }

    impl flatbuffers::Verifiable for SqueezeOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, i32>>>(
                    "squeeze_dims",
                    Self::VT_SQUEEZE_DIMS,
                    false,
                )?
                .finish();
            Ok(())
        }
    }
    pub struct SqueezeOptionsArgs<'a> {
        pub squeeze_dims: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, i32>>>,
    }
    impl<'a> Default for SqueezeOptionsArgs<'a> {
        #[inline]
        fn default() -> Self {
            SqueezeOptionsArgs { squeeze_dims: None }
        }
    }

    pub struct SqueezeOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> SqueezeOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_squeeze_dims(&mut self, squeeze_dims: flatbuffers::WIPOffset<flatbuffers::Vector<'b, i32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(SqueezeOptions::VT_SQUEEZE_DIMS, squeeze_dims);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> SqueezeOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            SqueezeOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<SqueezeOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for SqueezeOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("SqueezeOptions");
            ds.field("squeeze_dims", &self.squeeze_dims());
            ds.finish()
        }
    }
    pub enum StridedSliceOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct StridedSliceOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for StridedSliceOptions<'a> {
        type Inner = StridedSliceOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> StridedSliceOptions<'a> {
        pub const VT_BEGIN_MASK: flatbuffers::VOffsetT = 4;
        pub const VT_END_MASK: flatbuffers::VOffsetT = 6;
        pub const VT_ELLIPSIS_MASK: flatbuffers::VOffsetT = 8;
        pub const VT_NEW_AXIS_MASK: flatbuffers::VOffsetT = 10;
        pub const VT_SHRINK_AXIS_MASK: flatbuffers::VOffsetT = 12;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            StridedSliceOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args StridedSliceOptionsArgs,
        ) -> flatbuffers::WIPOffset<StridedSliceOptions<'bldr>> {
            let mut builder = StridedSliceOptionsBuilder::new(_fbb);
            builder.add_shrink_axis_mask(args.shrink_axis_mask);
            builder.add_new_axis_mask(args.new_axis_mask);
            builder.add_ellipsis_mask(args.ellipsis_mask);
            builder.add_end_mask(args.end_mask);
            builder.add_begin_mask(args.begin_mask);
            builder.finish()
        }

        #[inline]
        pub fn begin_mask(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(StridedSliceOptions::VT_BEGIN_MASK, Some(0)).unwrap() }
        }
        #[inline]
        pub fn end_mask(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(StridedSliceOptions::VT_END_MASK, Some(0)).unwrap() }
        }
        #[inline]
        pub fn ellipsis_mask(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(StridedSliceOptions::VT_ELLIPSIS_MASK, Some(0)).unwrap() }
        }
        #[inline]
        pub fn new_axis_mask(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(StridedSliceOptions::VT_NEW_AXIS_MASK, Some(0)).unwrap() }
        }
        #[inline]
        pub fn shrink_axis_mask(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(StridedSliceOptions::VT_SHRINK_AXIS_MASK, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for StridedSliceOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<i32>("begin_mask", Self::VT_BEGIN_MASK, false)?
                .visit_field::<i32>("end_mask", Self::VT_END_MASK, false)?
                .visit_field::<i32>("ellipsis_mask", Self::VT_ELLIPSIS_MASK, false)?
                .visit_field::<i32>("new_axis_mask", Self::VT_NEW_AXIS_MASK, false)?
                .visit_field::<i32>("shrink_axis_mask", Self::VT_SHRINK_AXIS_MASK, false)?
                .finish();
            Ok(())
        }
    }
    pub struct StridedSliceOptionsArgs {
        pub begin_mask: i32,
        pub end_mask: i32,
        pub ellipsis_mask: i32,
        pub new_axis_mask: i32,
        pub shrink_axis_mask: i32,
    }
    impl<'a> Default for StridedSliceOptionsArgs {
        #[inline]
        fn default() -> Self {
            StridedSliceOptionsArgs {
                begin_mask: 0,
                end_mask: 0,
                ellipsis_mask: 0,
                new_axis_mask: 0,
                shrink_axis_mask: 0,
            }
        }
    }

    pub struct StridedSliceOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> StridedSliceOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_begin_mask(&mut self, begin_mask: i32) {
            self.fbb_.push_slot::<i32>(StridedSliceOptions::VT_BEGIN_MASK, begin_mask, 0);
        }
        #[inline]
        pub fn add_end_mask(&mut self, end_mask: i32) {
            self.fbb_.push_slot::<i32>(StridedSliceOptions::VT_END_MASK, end_mask, 0);
        }
        #[inline]
        pub fn add_ellipsis_mask(&mut self, ellipsis_mask: i32) {
            self.fbb_.push_slot::<i32>(StridedSliceOptions::VT_ELLIPSIS_MASK, ellipsis_mask, 0);
        }
        #[inline]
        pub fn add_new_axis_mask(&mut self, new_axis_mask: i32) {
            self.fbb_.push_slot::<i32>(StridedSliceOptions::VT_NEW_AXIS_MASK, new_axis_mask, 0);
        }
        #[inline]
        pub fn add_shrink_axis_mask(&mut self, shrink_axis_mask: i32) {
            self.fbb_.push_slot::<i32>(StridedSliceOptions::VT_SHRINK_AXIS_MASK, shrink_axis_mask, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> StridedSliceOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            StridedSliceOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<StridedSliceOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for StridedSliceOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("StridedSliceOptions");
            ds.field("begin_mask", &self.begin_mask());
            ds.field("end_mask", &self.end_mask());
            ds.field("ellipsis_mask", &self.ellipsis_mask());
            ds.field("new_axis_mask", &self.new_axis_mask());
            ds.field("shrink_axis_mask", &self.shrink_axis_mask());
            ds.finish()
        }
    }
    pub enum SplitOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct SplitOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for SplitOptions<'a> {
        type Inner = SplitOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> SplitOptions<'a> {
        pub const VT_NUM_SPLITS: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            SplitOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args SplitOptionsArgs,
        ) -> flatbuffers::WIPOffset<SplitOptions<'bldr>> {
            let mut builder = SplitOptionsBuilder::new(_fbb);
            builder.add_num_splits(args.num_splits);
            builder.finish()
        }

        #[inline]
        pub fn num_splits(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(SplitOptions::VT_NUM_SPLITS, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for SplitOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?.visit_field::<i32>("num_splits", Self::VT_NUM_SPLITS, false)?.finish();
            Ok(())
        }
    }
    pub struct SplitOptionsArgs {
        pub num_splits: i32,
    }
    impl<'a> Default for SplitOptionsArgs {
        #[inline]
        fn default() -> Self {
            SplitOptionsArgs { num_splits: 0 }
        }
    }

    pub struct SplitOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> SplitOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_num_splits(&mut self, num_splits: i32) {
            self.fbb_.push_slot::<i32>(SplitOptions::VT_NUM_SPLITS, num_splits, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> SplitOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            SplitOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<SplitOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for SplitOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("SplitOptions");
            ds.field("num_splits", &self.num_splits());
            ds.finish()
        }
    }
    pub enum TransposeConvOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct TransposeConvOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for TransposeConvOptions<'a> {
        type Inner = TransposeConvOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> TransposeConvOptions<'a> {
        pub const VT_PADDING: flatbuffers::VOffsetT = 4;
        pub const VT_STRIDE_W: flatbuffers::VOffsetT = 6;
        pub const VT_STRIDE_H: flatbuffers::VOffsetT = 8;
        pub const VT_FUSED_ACTIVATION_FUNCTION: flatbuffers::VOffsetT = 10;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            TransposeConvOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args TransposeConvOptionsArgs,
        ) -> flatbuffers::WIPOffset<TransposeConvOptions<'bldr>> {
            let mut builder = TransposeConvOptionsBuilder::new(_fbb);
            builder.add_stride_h(args.stride_h);
            builder.add_stride_w(args.stride_w);
            builder.add_fused_activation_function(args.fused_activation_function);
            builder.add_padding(args.padding);
            builder.finish()
        }

        #[inline]
        pub fn padding(&self) -> Padding {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<Padding>(TransposeConvOptions::VT_PADDING, Some(Padding::SAME)).unwrap() }
        }
        #[inline]
        pub fn stride_w(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(TransposeConvOptions::VT_STRIDE_W, Some(0)).unwrap() }
        }
        #[inline]
        pub fn stride_h(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(TransposeConvOptions::VT_STRIDE_H, Some(0)).unwrap() }
        }
        #[inline]
        pub fn fused_activation_function(&self) -> ActivationFunctionType {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<ActivationFunctionType>(
                        TransposeConvOptions::VT_FUSED_ACTIVATION_FUNCTION,
                        Some(ActivationFunctionType::NONE),
                    )
                    .unwrap()
            }
        }
    }

    impl flatbuffers::Verifiable for TransposeConvOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<Padding>("padding", Self::VT_PADDING, false)?
                .visit_field::<i32>("stride_w", Self::VT_STRIDE_W, false)?
                .visit_field::<i32>("stride_h", Self::VT_STRIDE_H, false)?
                .visit_field::<ActivationFunctionType>(
                    "fused_activation_function",
                    Self::VT_FUSED_ACTIVATION_FUNCTION,
                    false,
                )?
                .finish();
            Ok(())
        }
    }
    pub struct TransposeConvOptionsArgs {
        pub padding: Padding,
        pub stride_w: i32,
        pub stride_h: i32,
        pub fused_activation_function: ActivationFunctionType,
    }
    impl<'a> Default for TransposeConvOptionsArgs {
        #[inline]
        fn default() -> Self {
            TransposeConvOptionsArgs {
                padding: Padding::SAME,
                stride_w: 0,
                stride_h: 0,
                fused_activation_function: ActivationFunctionType::NONE,
            }
        }
    }

    pub struct TransposeConvOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> TransposeConvOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_padding(&mut self, padding: Padding) {
            self.fbb_.push_slot::<Padding>(TransposeConvOptions::VT_PADDING, padding, Padding::SAME);
        }
        #[inline]
        pub fn add_stride_w(&mut self, stride_w: i32) {
            self.fbb_.push_slot::<i32>(TransposeConvOptions::VT_STRIDE_W, stride_w, 0);
        }
        #[inline]
        pub fn add_stride_h(&mut self, stride_h: i32) {
            self.fbb_.push_slot::<i32>(TransposeConvOptions::VT_STRIDE_H, stride_h, 0);
        }
        #[inline]
        pub fn add_fused_activation_function(&mut self, fused_activation_function: ActivationFunctionType) {
            self.fbb_.push_slot::<ActivationFunctionType>(
                TransposeConvOptions::VT_FUSED_ACTIVATION_FUNCTION,
                fused_activation_function,
                ActivationFunctionType::NONE,
            );
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> TransposeConvOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            TransposeConvOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<TransposeConvOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for TransposeConvOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("TransposeConvOptions");
            ds.field("padding", &self.padding());
            ds.field("stride_w", &self.stride_w());
            ds.field("stride_h", &self.stride_h());
            ds.field("fused_activation_function", &self.fused_activation_function());
            ds.finish()
        }
    }
    pub enum PackOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct PackOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for PackOptions<'a> {
        type Inner = PackOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> PackOptions<'a> {
        pub const VT_VALUES_COUNT: flatbuffers::VOffsetT = 4;
        pub const VT_AXIS: flatbuffers::VOffsetT = 6;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            PackOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args PackOptionsArgs,
        ) -> flatbuffers::WIPOffset<PackOptions<'bldr>> {
            let mut builder = PackOptionsBuilder::new(_fbb);
            builder.add_axis(args.axis);
            builder.add_values_count(args.values_count);
            builder.finish()
        }

        #[inline]
        pub fn values_count(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(PackOptions::VT_VALUES_COUNT, Some(0)).unwrap() }
        }
        #[inline]
        pub fn axis(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(PackOptions::VT_AXIS, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for PackOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<i32>("values_count", Self::VT_VALUES_COUNT, false)?
                .visit_field::<i32>("axis", Self::VT_AXIS, false)?
                .finish();
            Ok(())
        }
    }
    pub struct PackOptionsArgs {
        pub values_count: i32,
        pub axis: i32,
    }
    impl<'a> Default for PackOptionsArgs {
        #[inline]
        fn default() -> Self {
            PackOptionsArgs { values_count: 0, axis: 0 }
        }
    }

    pub struct PackOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> PackOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_values_count(&mut self, values_count: i32) {
            self.fbb_.push_slot::<i32>(PackOptions::VT_VALUES_COUNT, values_count, 0);
        }
        #[inline]
        pub fn add_axis(&mut self, axis: i32) {
            self.fbb_.push_slot::<i32>(PackOptions::VT_AXIS, axis, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> PackOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            PackOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<PackOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for PackOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("PackOptions");
            ds.field("values_count", &self.values_count());
            ds.field("axis", &self.axis());
            ds.finish()
        }
    }
    pub enum OneHotOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct OneHotOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for OneHotOptions<'a> {
        type Inner = OneHotOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> OneHotOptions<'a> {
        pub const VT_AXIS: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            OneHotOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args OneHotOptionsArgs,
        ) -> flatbuffers::WIPOffset<OneHotOptions<'bldr>> {
            let mut builder = OneHotOptionsBuilder::new(_fbb);
            builder.add_axis(args.axis);
            builder.finish()
        }

        #[inline]
        pub fn axis(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(OneHotOptions::VT_AXIS, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for OneHotOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?.visit_field::<i32>("axis", Self::VT_AXIS, false)?.finish();
            Ok(())
        }
    }
    pub struct OneHotOptionsArgs {
        pub axis: i32,
    }
    impl<'a> Default for OneHotOptionsArgs {
        #[inline]
        fn default() -> Self {
            OneHotOptionsArgs { axis: 0 }
        }
    }

    pub struct OneHotOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> OneHotOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_axis(&mut self, axis: i32) {
            self.fbb_.push_slot::<i32>(OneHotOptions::VT_AXIS, axis, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> OneHotOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            OneHotOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<OneHotOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for OneHotOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("OneHotOptions");
            ds.field("axis", &self.axis());
            ds.finish()
        }
    }
    pub enum UnpackOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct UnpackOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for UnpackOptions<'a> {
        type Inner = UnpackOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> UnpackOptions<'a> {
        pub const VT_NUM: flatbuffers::VOffsetT = 4;
        pub const VT_AXIS: flatbuffers::VOffsetT = 6;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            UnpackOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args UnpackOptionsArgs,
        ) -> flatbuffers::WIPOffset<UnpackOptions<'bldr>> {
            let mut builder = UnpackOptionsBuilder::new(_fbb);
            builder.add_axis(args.axis);
            builder.add_num(args.num);
            builder.finish()
        }

        #[inline]
        pub fn num(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(UnpackOptions::VT_NUM, Some(0)).unwrap() }
        }
        #[inline]
        pub fn axis(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(UnpackOptions::VT_AXIS, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for UnpackOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<i32>("num", Self::VT_NUM, false)?
                .visit_field::<i32>("axis", Self::VT_AXIS, false)?
                .finish();
            Ok(())
        }
    }
    pub struct UnpackOptionsArgs {
        pub num: i32,
        pub axis: i32,
    }
    impl<'a> Default for UnpackOptionsArgs {
        #[inline]
        fn default() -> Self {
            UnpackOptionsArgs { num: 0, axis: 0 }
        }
    }

    pub struct UnpackOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> UnpackOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_num(&mut self, num: i32) {
            self.fbb_.push_slot::<i32>(UnpackOptions::VT_NUM, num, 0);
        }
        #[inline]
        pub fn add_axis(&mut self, axis: i32) {
            self.fbb_.push_slot::<i32>(UnpackOptions::VT_AXIS, axis, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> UnpackOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            UnpackOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<UnpackOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for UnpackOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("UnpackOptions");
            ds.field("num", &self.num());
            ds.field("axis", &self.axis());
            ds.finish()
        }
    }
    pub enum ResizeNearestNeighborOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct ResizeNearestNeighborOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for ResizeNearestNeighborOptions<'a> {
        type Inner = ResizeNearestNeighborOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> ResizeNearestNeighborOptions<'a> {
        pub const VT_ALIGN_CORNERS: flatbuffers::VOffsetT = 4;
        pub const VT_HALF_PIXEL_CENTERS: flatbuffers::VOffsetT = 6;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            ResizeNearestNeighborOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args ResizeNearestNeighborOptionsArgs,
        ) -> flatbuffers::WIPOffset<ResizeNearestNeighborOptions<'bldr>> {
            let mut builder = ResizeNearestNeighborOptionsBuilder::new(_fbb);
            builder.add_half_pixel_centers(args.half_pixel_centers);
            builder.add_align_corners(args.align_corners);
            builder.finish()
        }

        #[inline]
        pub fn align_corners(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(ResizeNearestNeighborOptions::VT_ALIGN_CORNERS, Some(false)).unwrap() }
        }
        #[inline]
        pub fn half_pixel_centers(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(ResizeNearestNeighborOptions::VT_HALF_PIXEL_CENTERS, Some(false)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for ResizeNearestNeighborOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<bool>("align_corners", Self::VT_ALIGN_CORNERS, false)?
                .visit_field::<bool>("half_pixel_centers", Self::VT_HALF_PIXEL_CENTERS, false)?
                .finish();
            Ok(())
        }
    }
    pub struct ResizeNearestNeighborOptionsArgs {
        pub align_corners: bool,
        pub half_pixel_centers: bool,
    }
    impl<'a> Default for ResizeNearestNeighborOptionsArgs {
        #[inline]
        fn default() -> Self {
            ResizeNearestNeighborOptionsArgs { align_corners: false, half_pixel_centers: false }
        }
    }

    pub struct ResizeNearestNeighborOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> ResizeNearestNeighborOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_align_corners(&mut self, align_corners: bool) {
            self.fbb_.push_slot::<bool>(ResizeNearestNeighborOptions::VT_ALIGN_CORNERS, align_corners, false);
        }
        #[inline]
        pub fn add_half_pixel_centers(&mut self, half_pixel_centers: bool) {
            self.fbb_.push_slot::<bool>(ResizeNearestNeighborOptions::VT_HALF_PIXEL_CENTERS, half_pixel_centers, false);
        }
        #[inline]
        pub fn new(
            _fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        ) -> ResizeNearestNeighborOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            ResizeNearestNeighborOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<ResizeNearestNeighborOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for ResizeNearestNeighborOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("ResizeNearestNeighborOptions");
            ds.field("align_corners", &self.align_corners());
            ds.field("half_pixel_centers", &self.half_pixel_centers());
            ds.finish()
        }
    }
    pub enum LeakyReluOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct LeakyReluOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for LeakyReluOptions<'a> {
        type Inner = LeakyReluOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> LeakyReluOptions<'a> {
        pub const VT_ALPHA: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            LeakyReluOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args LeakyReluOptionsArgs,
        ) -> flatbuffers::WIPOffset<LeakyReluOptions<'bldr>> {
            let mut builder = LeakyReluOptionsBuilder::new(_fbb);
            builder.add_alpha(args.alpha);
            builder.finish()
        }

        #[inline]
        pub fn alpha(&self) -> f32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<f32>(LeakyReluOptions::VT_ALPHA, Some(0.0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for LeakyReluOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?.visit_field::<f32>("alpha", Self::VT_ALPHA, false)?.finish();
            Ok(())
        }
    }
    pub struct LeakyReluOptionsArgs {
        pub alpha: f32,
    }
    impl<'a> Default for LeakyReluOptionsArgs {
        #[inline]
        fn default() -> Self {
            LeakyReluOptionsArgs { alpha: 0.0 }
        }
    }

    pub struct LeakyReluOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> LeakyReluOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_alpha(&mut self, alpha: f32) {
            self.fbb_.push_slot::<f32>(LeakyReluOptions::VT_ALPHA, alpha, 0.0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> LeakyReluOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            LeakyReluOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<LeakyReluOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for LeakyReluOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("LeakyReluOptions");
            ds.field("alpha", &self.alpha());
            ds.finish()
        }
    }
    pub enum MirrorPadOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct MirrorPadOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for MirrorPadOptions<'a> {
        type Inner = MirrorPadOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> MirrorPadOptions<'a> {
        pub const VT_MODE: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            MirrorPadOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args MirrorPadOptionsArgs,
        ) -> flatbuffers::WIPOffset<MirrorPadOptions<'bldr>> {
            let mut builder = MirrorPadOptionsBuilder::new(_fbb);
            builder.add_mode(args.mode);
            builder.finish()
        }

        #[inline]
        pub fn mode(&self) -> MirrorPadMode {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<MirrorPadMode>(MirrorPadOptions::VT_MODE, Some(MirrorPadMode::REFLECT)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for MirrorPadOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?.visit_field::<MirrorPadMode>("mode", Self::VT_MODE, false)?.finish();
            Ok(())
        }
    }
    pub struct MirrorPadOptionsArgs {
        pub mode: MirrorPadMode,
    }
    impl<'a> Default for MirrorPadOptionsArgs {
        #[inline]
        fn default() -> Self {
            MirrorPadOptionsArgs { mode: MirrorPadMode::REFLECT }
        }
    }

    pub struct MirrorPadOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> MirrorPadOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_mode(&mut self, mode: MirrorPadMode) {
            self.fbb_.push_slot::<MirrorPadMode>(MirrorPadOptions::VT_MODE, mode, MirrorPadMode::REFLECT);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> MirrorPadOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            MirrorPadOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<MirrorPadOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for MirrorPadOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("MirrorPadOptions");
            ds.field("mode", &self.mode());
            ds.finish()
        }
    }
    pub enum SplitVOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct SplitVOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for SplitVOptions<'a> {
        type Inner = SplitVOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> SplitVOptions<'a> {
        pub const VT_NUM_SPLITS: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            SplitVOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args SplitVOptionsArgs,
        ) -> flatbuffers::WIPOffset<SplitVOptions<'bldr>> {
            let mut builder = SplitVOptionsBuilder::new(_fbb);
            builder.add_num_splits(args.num_splits);
            builder.finish()
        }

        #[inline]
        pub fn num_splits(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(SplitVOptions::VT_NUM_SPLITS, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for SplitVOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?.visit_field::<i32>("num_splits", Self::VT_NUM_SPLITS, false)?.finish();
            Ok(())
        }
    }
    pub struct SplitVOptionsArgs {
        pub num_splits: i32,
    }
    impl<'a> Default for SplitVOptionsArgs {
        #[inline]
        fn default() -> Self {
            SplitVOptionsArgs { num_splits: 0 }
        }
    }

    pub struct SplitVOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> SplitVOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_num_splits(&mut self, num_splits: i32) {
            self.fbb_.push_slot::<i32>(SplitVOptions::VT_NUM_SPLITS, num_splits, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> SplitVOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            SplitVOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<SplitVOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for SplitVOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("SplitVOptions");
            ds.field("num_splits", &self.num_splits());
            ds.finish()
        }
    }
    pub enum ReverseSequenceOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct ReverseSequenceOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for ReverseSequenceOptions<'a> {
        type Inner = ReverseSequenceOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> ReverseSequenceOptions<'a> {
        pub const VT_SEQ_DIM: flatbuffers::VOffsetT = 4;
        pub const VT_BATCH_DIM: flatbuffers::VOffsetT = 6;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            ReverseSequenceOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args ReverseSequenceOptionsArgs,
        ) -> flatbuffers::WIPOffset<ReverseSequenceOptions<'bldr>> {
            let mut builder = ReverseSequenceOptionsBuilder::new(_fbb);
            builder.add_batch_dim(args.batch_dim);
            builder.add_seq_dim(args.seq_dim);
            builder.finish()
        }

        #[inline]
        pub fn seq_dim(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(ReverseSequenceOptions::VT_SEQ_DIM, Some(0)).unwrap() }
        }
        #[inline]
        pub fn batch_dim(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(ReverseSequenceOptions::VT_BATCH_DIM, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for ReverseSequenceOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<i32>("seq_dim", Self::VT_SEQ_DIM, false)?
                .visit_field::<i32>("batch_dim", Self::VT_BATCH_DIM, false)?
                .finish();
            Ok(())
        }
    }
    pub struct ReverseSequenceOptionsArgs {
        pub seq_dim: i32,
        pub batch_dim: i32,
    }
    impl<'a> Default for ReverseSequenceOptionsArgs {
        #[inline]
        fn default() -> Self {
            ReverseSequenceOptionsArgs { seq_dim: 0, batch_dim: 0 }
        }
    }

    pub struct ReverseSequenceOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> ReverseSequenceOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_seq_dim(&mut self, seq_dim: i32) {
            self.fbb_.push_slot::<i32>(ReverseSequenceOptions::VT_SEQ_DIM, seq_dim, 0);
        }
        #[inline]
        pub fn add_batch_dim(&mut self, batch_dim: i32) {
            self.fbb_.push_slot::<i32>(ReverseSequenceOptions::VT_BATCH_DIM, batch_dim, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> ReverseSequenceOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            ReverseSequenceOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<ReverseSequenceOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for ReverseSequenceOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("ReverseSequenceOptions");
            ds.field("seq_dim", &self.seq_dim());
            ds.field("batch_dim", &self.batch_dim());
            ds.finish()
        }
    }
    pub enum DepthToSpaceOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct DepthToSpaceOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for DepthToSpaceOptions<'a> {
        type Inner = DepthToSpaceOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> DepthToSpaceOptions<'a> {
        pub const VT_BLOCK_SIZE: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            DepthToSpaceOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args DepthToSpaceOptionsArgs,
        ) -> flatbuffers::WIPOffset<DepthToSpaceOptions<'bldr>> {
            let mut builder = DepthToSpaceOptionsBuilder::new(_fbb);
            builder.add_block_size(args.block_size);
            builder.finish()
        }

        #[inline]
        pub fn block_size(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(DepthToSpaceOptions::VT_BLOCK_SIZE, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for DepthToSpaceOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?.visit_field::<i32>("block_size", Self::VT_BLOCK_SIZE, false)?.finish();
            Ok(())
        }
    }
    pub struct DepthToSpaceOptionsArgs {
        pub block_size: i32,
    }
    impl<'a> Default for DepthToSpaceOptionsArgs {
        #[inline]
        fn default() -> Self {
            DepthToSpaceOptionsArgs { block_size: 0 }
        }
    }

    pub struct DepthToSpaceOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> DepthToSpaceOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_block_size(&mut self, block_size: i32) {
            self.fbb_.push_slot::<i32>(DepthToSpaceOptions::VT_BLOCK_SIZE, block_size, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> DepthToSpaceOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            DepthToSpaceOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<DepthToSpaceOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for DepthToSpaceOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("DepthToSpaceOptions");
            ds.field("block_size", &self.block_size());
            ds.finish()
        }
    }
    pub enum BatchMatMulOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct BatchMatMulOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for BatchMatMulOptions<'a> {
        type Inner = BatchMatMulOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> BatchMatMulOptions<'a> {
        pub const VT_ADJ_X: flatbuffers::VOffsetT = 4;
        pub const VT_ADJ_Y: flatbuffers::VOffsetT = 6;
        pub const VT_ASYMMETRIC_QUANTIZE_INPUTS: flatbuffers::VOffsetT = 8;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            BatchMatMulOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args BatchMatMulOptionsArgs,
        ) -> flatbuffers::WIPOffset<BatchMatMulOptions<'bldr>> {
            let mut builder = BatchMatMulOptionsBuilder::new(_fbb);
            builder.add_asymmetric_quantize_inputs(args.asymmetric_quantize_inputs);
            builder.add_adj_y(args.adj_y);
            builder.add_adj_x(args.adj_x);
            builder.finish()
        }

        #[inline]
        pub fn adj_x(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(BatchMatMulOptions::VT_ADJ_X, Some(false)).unwrap() }
        }
        #[inline]
        pub fn adj_y(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(BatchMatMulOptions::VT_ADJ_Y, Some(false)).unwrap() }
        }
        #[inline]
        pub fn asymmetric_quantize_inputs(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(BatchMatMulOptions::VT_ASYMMETRIC_QUANTIZE_INPUTS, Some(false)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for BatchMatMulOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<bool>("adj_x", Self::VT_ADJ_X, false)?
                .visit_field::<bool>("adj_y", Self::VT_ADJ_Y, false)?
                .visit_field::<bool>("asymmetric_quantize_inputs", Self::VT_ASYMMETRIC_QUANTIZE_INPUTS, false)?
                .finish();
            Ok(())
        }
    }
    pub struct BatchMatMulOptionsArgs {
        pub adj_x: bool,
        pub adj_y: bool,
        pub asymmetric_quantize_inputs: bool,
    }
    impl<'a> Default for BatchMatMulOptionsArgs {
        #[inline]
        fn default() -> Self {
            BatchMatMulOptionsArgs { adj_x: false, adj_y: false, asymmetric_quantize_inputs: false }
        }
    }

    pub struct BatchMatMulOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> BatchMatMulOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_adj_x(&mut self, adj_x: bool) {
            self.fbb_.push_slot::<bool>(BatchMatMulOptions::VT_ADJ_X, adj_x, false);
        }
        #[inline]
        pub fn add_adj_y(&mut self, adj_y: bool) {
            self.fbb_.push_slot::<bool>(BatchMatMulOptions::VT_ADJ_Y, adj_y, false);
        }
        #[inline]
        pub fn add_asymmetric_quantize_inputs(&mut self, asymmetric_quantize_inputs: bool) {
            self.fbb_.push_slot::<bool>(
                BatchMatMulOptions::VT_ASYMMETRIC_QUANTIZE_INPUTS,
                asymmetric_quantize_inputs,
                false,
            );
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> BatchMatMulOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            BatchMatMulOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<BatchMatMulOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for BatchMatMulOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("BatchMatMulOptions");
            ds.field("adj_x", &self.adj_x());
            ds.field("adj_y", &self.adj_y());
            ds.field("asymmetric_quantize_inputs", &self.asymmetric_quantize_inputs());
            ds.finish()
        }
    }
    pub enum CumsumOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct CumsumOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for CumsumOptions<'a> {
        type Inner = CumsumOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> CumsumOptions<'a> {
        pub const VT_EXCLUSIVE: flatbuffers::VOffsetT = 4;
        pub const VT_REVERSE: flatbuffers::VOffsetT = 6;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            CumsumOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args CumsumOptionsArgs,
        ) -> flatbuffers::WIPOffset<CumsumOptions<'bldr>> {
            let mut builder = CumsumOptionsBuilder::new(_fbb);
            builder.add_reverse(args.reverse);
            builder.add_exclusive(args.exclusive);
            builder.finish()
        }

        #[inline]
        pub fn exclusive(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(CumsumOptions::VT_EXCLUSIVE, Some(false)).unwrap() }
        }
        #[inline]
        pub fn reverse(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(CumsumOptions::VT_REVERSE, Some(false)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for CumsumOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<bool>("exclusive", Self::VT_EXCLUSIVE, false)?
                .visit_field::<bool>("reverse", Self::VT_REVERSE, false)?
                .finish();
            Ok(())
        }
    }
    pub struct CumsumOptionsArgs {
        pub exclusive: bool,
        pub reverse: bool,
    }
    impl<'a> Default for CumsumOptionsArgs {
        #[inline]
        fn default() -> Self {
            CumsumOptionsArgs { exclusive: false, reverse: false }
        }
    }

    pub struct CumsumOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> CumsumOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_exclusive(&mut self, exclusive: bool) {
            self.fbb_.push_slot::<bool>(CumsumOptions::VT_EXCLUSIVE, exclusive, false);
        }
        #[inline]
        pub fn add_reverse(&mut self, reverse: bool) {
            self.fbb_.push_slot::<bool>(CumsumOptions::VT_REVERSE, reverse, false);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> CumsumOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            CumsumOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<CumsumOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for CumsumOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("CumsumOptions");
            ds.field("exclusive", &self.exclusive());
            ds.field("reverse", &self.reverse());
            ds.finish()
        }
    }
    pub enum GeluOptionsOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct GeluOptions<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for GeluOptions<'a> {
        type Inner = GeluOptions<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> GeluOptions<'a> {
        pub const VT_APPROXIMATE: flatbuffers::VOffsetT = 4;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            GeluOptions { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args GeluOptionsArgs,
        ) -> flatbuffers::WIPOffset<GeluOptions<'bldr>> {
            let mut builder = GeluOptionsBuilder::new(_fbb);
            builder.add_approximate(args.approximate);
            builder.finish()
        }

        #[inline]
        pub fn approximate(&self) -> bool {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<bool>(GeluOptions::VT_APPROXIMATE, Some(false)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for GeluOptions<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?.visit_field::<bool>("approximate", Self::VT_APPROXIMATE, false)?.finish();
            Ok(())
        }
    }
    pub struct GeluOptionsArgs {
        pub approximate: bool,
    }
    impl<'a> Default for GeluOptionsArgs {
        #[inline]
        fn default() -> Self {
            GeluOptionsArgs { approximate: false }
        }
    }

    pub struct GeluOptionsBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> GeluOptionsBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_approximate(&mut self, approximate: bool) {
            self.fbb_.push_slot::<bool>(GeluOptions::VT_APPROXIMATE, approximate, false);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> GeluOptionsBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            GeluOptionsBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<GeluOptions<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for GeluOptions<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("GeluOptions");
            ds.field("approximate", &self.approximate());
            ds.finish()
        }
    }
    pub enum OperatorCodeOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct OperatorCode<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for OperatorCode<'a> {
        type Inner = OperatorCode<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> OperatorCode<'a> {
        pub const VT_DEPRECATED_BUILTIN_CODE: flatbuffers::VOffsetT = 4;
        pub const VT_CUSTOM_CODE: flatbuffers::VOffsetT = 6;
        pub const VT_VERSION: flatbuffers::VOffsetT = 8;
        pub const VT_BUILTIN_CODE: flatbuffers::VOffsetT = 10;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            OperatorCode { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args OperatorCodeArgs<'args>,
        ) -> flatbuffers::WIPOffset<OperatorCode<'bldr>> {
            let mut builder = OperatorCodeBuilder::new(_fbb);
            builder.add_builtin_code(args.builtin_code);
            builder.add_version(args.version);
            if let Some(x) = args.custom_code {
                builder.add_custom_code(x);
            }
            builder.add_deprecated_builtin_code(args.deprecated_builtin_code);
            builder.finish()
        }

        #[inline]
        pub fn deprecated_builtin_code(&self) -> i8 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i8>(OperatorCode::VT_DEPRECATED_BUILTIN_CODE, Some(0)).unwrap() }
        }
        #[inline]
        pub fn custom_code(&self) -> Option<&'a str> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<&str>>(OperatorCode::VT_CUSTOM_CODE, None) }
        }
        #[inline]
        pub fn version(&self) -> i32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<i32>(OperatorCode::VT_VERSION, Some(1)).unwrap() }
        }
        #[inline]
        pub fn builtin_code(&self) -> BuiltinOperator {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<BuiltinOperator>(OperatorCode::VT_BUILTIN_CODE, Some(BuiltinOperator::ADD)).unwrap()
            }
        }
    }

    impl flatbuffers::Verifiable for OperatorCode<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<i8>("deprecated_builtin_code", Self::VT_DEPRECATED_BUILTIN_CODE, false)?
                .visit_field::<flatbuffers::ForwardsUOffset<&str>>("custom_code", Self::VT_CUSTOM_CODE, false)?
                .visit_field::<i32>("version", Self::VT_VERSION, false)?
                .visit_field::<BuiltinOperator>("builtin_code", Self::VT_BUILTIN_CODE, false)?
                .finish();
            Ok(())
        }
    }
    pub struct OperatorCodeArgs<'a> {
        pub deprecated_builtin_code: i8,
        pub custom_code: Option<flatbuffers::WIPOffset<&'a str>>,
        pub version: i32,
        pub builtin_code: BuiltinOperator,
    }
    impl<'a> Default for OperatorCodeArgs<'a> {
        #[inline]
        fn default() -> Self {
            OperatorCodeArgs {
                deprecated_builtin_code: 0,
                custom_code: None,
                version: 1,
                builtin_code: BuiltinOperator::ADD,
            }
        }
    }

    pub struct OperatorCodeBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> OperatorCodeBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_deprecated_builtin_code(&mut self, deprecated_builtin_code: i8) {
            self.fbb_.push_slot::<i8>(OperatorCode::VT_DEPRECATED_BUILTIN_CODE, deprecated_builtin_code, 0);
        }
        #[inline]
        pub fn add_custom_code(&mut self, custom_code: flatbuffers::WIPOffset<&'b str>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(OperatorCode::VT_CUSTOM_CODE, custom_code);
        }
        #[inline]
        pub fn add_version(&mut self, version: i32) {
            self.fbb_.push_slot::<i32>(OperatorCode::VT_VERSION, version, 1);
        }
        #[inline]
        pub fn add_builtin_code(&mut self, builtin_code: BuiltinOperator) {
            self.fbb_.push_slot::<BuiltinOperator>(OperatorCode::VT_BUILTIN_CODE, builtin_code, BuiltinOperator::ADD);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> OperatorCodeBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            OperatorCodeBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<OperatorCode<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for OperatorCode<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("OperatorCode");
            ds.field("deprecated_builtin_code", &self.deprecated_builtin_code());
            ds.field("custom_code", &self.custom_code());
            ds.field("version", &self.version());
            ds.field("builtin_code", &self.builtin_code());
            ds.finish()
        }
    }
    pub enum OperatorOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct Operator<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for Operator<'a> {
        type Inner = Operator<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> Operator<'a> {
        pub const VT_OPCODE_INDEX: flatbuffers::VOffsetT = 4;
        pub const VT_INPUTS: flatbuffers::VOffsetT = 6;
        pub const VT_OUTPUTS: flatbuffers::VOffsetT = 8;
        pub const VT_BUILTIN_OPTIONS_TYPE: flatbuffers::VOffsetT = 10;
        pub const VT_BUILTIN_OPTIONS: flatbuffers::VOffsetT = 12;
        pub const VT_CUSTOM_OPTIONS: flatbuffers::VOffsetT = 14;
        pub const VT_CUSTOM_OPTIONS_FORMAT: flatbuffers::VOffsetT = 16;
        pub const VT_MUTATING_VARIABLE_INPUTS: flatbuffers::VOffsetT = 18;
        pub const VT_INTERMEDIATES: flatbuffers::VOffsetT = 20;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            Operator { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args OperatorArgs<'args>,
        ) -> flatbuffers::WIPOffset<Operator<'bldr>> {
            let mut builder = OperatorBuilder::new(_fbb);
            if let Some(x) = args.intermediates {
                builder.add_intermediates(x);
            }
            if let Some(x) = args.mutating_variable_inputs {
                builder.add_mutating_variable_inputs(x);
            }
            if let Some(x) = args.custom_options {
                builder.add_custom_options(x);
            }
            if let Some(x) = args.builtin_options {
                builder.add_builtin_options(x);
            }
            if let Some(x) = args.outputs {
                builder.add_outputs(x);
            }
            if let Some(x) = args.inputs {
                builder.add_inputs(x);
            }
            builder.add_opcode_index(args.opcode_index);
            builder.add_custom_options_format(args.custom_options_format);
            builder.add_builtin_options_type(args.builtin_options_type);
            builder.finish()
        }

        #[inline]
        pub fn opcode_index(&self) -> u32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<u32>(Operator::VT_OPCODE_INDEX, Some(0)).unwrap() }
        }
        #[inline]
        pub fn inputs(&self) -> Option<flatbuffers::Vector<'a, i32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, i32>>>(Operator::VT_INPUTS, None)
            }
        }
        #[inline]
        pub fn outputs(&self) -> Option<flatbuffers::Vector<'a, i32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, i32>>>(Operator::VT_OUTPUTS, None)
            }
        }
        #[inline]
        pub fn builtin_options_type(&self) -> BuiltinOptions {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<BuiltinOptions>(Operator::VT_BUILTIN_OPTIONS_TYPE, Some(BuiltinOptions::NONE)).unwrap()
            }
        }
        #[inline]
        pub fn builtin_options(&self) -> Option<flatbuffers::Table<'a>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<flatbuffers::ForwardsUOffset<flatbuffers::Table<'a>>>(Operator::VT_BUILTIN_OPTIONS, None)
            }
        }
        #[inline]
        pub fn custom_options(&self) -> Option<flatbuffers::Vector<'a, u8>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, u8>>>(Operator::VT_CUSTOM_OPTIONS, None)
            }
        }
        #[inline]
        pub fn custom_options_format(&self) -> CustomOptionsFormat {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<CustomOptionsFormat>(
                        Operator::VT_CUSTOM_OPTIONS_FORMAT,
                        Some(CustomOptionsFormat::FLEXBUFFERS),
                    )
                    .unwrap()
            }
        }
        #[inline]
        pub fn mutating_variable_inputs(&self) -> Option<flatbuffers::Vector<'a, bool>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, bool>>>(
                    Operator::VT_MUTATING_VARIABLE_INPUTS,
                    None,
                )
            }
        }
        #[inline]
        pub fn intermediates(&self) -> Option<flatbuffers::Vector<'a, i32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, i32>>>(Operator::VT_INTERMEDIATES, None)
            }
        }
        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_conv_2_doptions(&self) -> Option<Conv2DOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::Conv2DOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { Conv2DOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_depthwise_conv_2_doptions(&self) -> Option<DepthwiseConv2DOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::DepthwiseConv2DOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { DepthwiseConv2DOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_pool_2_doptions(&self) -> Option<Pool2DOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::Pool2DOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { Pool2DOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_fully_connected_options(&self) -> Option<FullyConnectedOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::FullyConnectedOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { FullyConnectedOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_softmax_options(&self) -> Option<SoftmaxOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::SoftmaxOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { SoftmaxOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_concatenation_options(&self) -> Option<ConcatenationOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::ConcatenationOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { ConcatenationOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_add_options(&self) -> Option<AddOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::AddOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { AddOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_l2_norm_options(&self) -> Option<L2NormOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::L2NormOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { L2NormOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_local_response_normalization_options(
            &self,
        ) -> Option<LocalResponseNormalizationOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::LocalResponseNormalizationOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { LocalResponseNormalizationOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_resize_bilinear_options(&self) -> Option<ResizeBilinearOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::ResizeBilinearOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { ResizeBilinearOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_reshape_options(&self) -> Option<ReshapeOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::ReshapeOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { ReshapeOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_space_to_depth_options(&self) -> Option<SpaceToDepthOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::SpaceToDepthOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { SpaceToDepthOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_mul_options(&self) -> Option<MulOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::MulOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { MulOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_gather_options(&self) -> Option<GatherOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::GatherOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { GatherOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_reducer_options(&self) -> Option<ReducerOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::ReducerOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { ReducerOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_sub_options(&self) -> Option<SubOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::SubOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { SubOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_div_options(&self) -> Option<DivOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::DivOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { DivOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_squeeze_options(&self) -> Option<SqueezeOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::SqueezeOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { SqueezeOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_strided_slice_options(&self) -> Option<StridedSliceOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::StridedSliceOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { StridedSliceOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_split_options(&self) -> Option<SplitOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::SplitOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { SplitOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_transpose_conv_options(&self) -> Option<TransposeConvOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::TransposeConvOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { TransposeConvOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_pack_options(&self) -> Option<PackOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::PackOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { PackOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_one_hot_options(&self) -> Option<OneHotOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::OneHotOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { OneHotOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_unpack_options(&self) -> Option<UnpackOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::UnpackOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { UnpackOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_resize_nearest_neighbor_options(&self) -> Option<ResizeNearestNeighborOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::ResizeNearestNeighborOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { ResizeNearestNeighborOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_leaky_relu_options(&self) -> Option<LeakyReluOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::LeakyReluOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { LeakyReluOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_mirror_pad_options(&self) -> Option<MirrorPadOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::MirrorPadOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { MirrorPadOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_split_voptions(&self) -> Option<SplitVOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::SplitVOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { SplitVOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_reverse_sequence_options(&self) -> Option<ReverseSequenceOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::ReverseSequenceOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { ReverseSequenceOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_depth_to_space_options(&self) -> Option<DepthToSpaceOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::DepthToSpaceOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { DepthToSpaceOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_batch_mat_mul_options(&self) -> Option<BatchMatMulOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::BatchMatMulOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { BatchMatMulOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_cumsum_options(&self) -> Option<CumsumOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::CumsumOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { CumsumOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }

        #[inline]
        #[allow(non_snake_case)]
        pub fn builtin_options_as_gelu_options(&self) -> Option<GeluOptions<'a>> {
            if self.builtin_options_type() == BuiltinOptions::GeluOptions {
                self.builtin_options().map(|t| {
                    // Safety:
                    // Created from a valid Table for this object
                    // Which contains a valid union in this slot
                    unsafe { GeluOptions::init_from_table(t) }
                })
            } else {
                None
            }
        }
    }

    impl flatbuffers::Verifiable for Operator<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<u32>("opcode_index", Self::VT_OPCODE_INDEX, false)?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, i32>>>(
                    "inputs",
                    Self::VT_INPUTS,
                    false,
                )?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, i32>>>(
                    "outputs",
                    Self::VT_OUTPUTS,
                    false,
                )?
                .visit_union::<BuiltinOptions, _>(
                    "builtin_options_type",
                    Self::VT_BUILTIN_OPTIONS_TYPE,
                    "builtin_options",
                    Self::VT_BUILTIN_OPTIONS,
                    false,
                    |key, v, pos| match key {
                        BuiltinOptions::Conv2DOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<Conv2DOptions>>(
                                "BuiltinOptions::Conv2DOptions",
                                pos,
                            ),
                        BuiltinOptions::DepthwiseConv2DOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<DepthwiseConv2DOptions>>(
                                "BuiltinOptions::DepthwiseConv2DOptions",
                                pos,
                            ),
                        BuiltinOptions::Pool2DOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<Pool2DOptions>>(
                                "BuiltinOptions::Pool2DOptions",
                                pos,
                            ),
                        BuiltinOptions::FullyConnectedOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<FullyConnectedOptions>>(
                                "BuiltinOptions::FullyConnectedOptions",
                                pos,
                            ),
                        BuiltinOptions::SoftmaxOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<SoftmaxOptions>>(
                                "BuiltinOptions::SoftmaxOptions",
                                pos,
                            ),
                        BuiltinOptions::ConcatenationOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<ConcatenationOptions>>(
                                "BuiltinOptions::ConcatenationOptions",
                                pos,
                            ),
                        BuiltinOptions::AddOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<AddOptions>>(
                                "BuiltinOptions::AddOptions",
                                pos,
                            ),
                        BuiltinOptions::L2NormOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<L2NormOptions>>(
                                "BuiltinOptions::L2NormOptions",
                                pos,
                            ),
                        BuiltinOptions::LocalResponseNormalizationOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<LocalResponseNormalizationOptions>>(
                                "BuiltinOptions::LocalResponseNormalizationOptions",
                                pos,
                            ),
                        BuiltinOptions::ResizeBilinearOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<ResizeBilinearOptions>>(
                                "BuiltinOptions::ResizeBilinearOptions",
                                pos,
                            ),
                        BuiltinOptions::ReshapeOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<ReshapeOptions>>(
                                "BuiltinOptions::ReshapeOptions",
                                pos,
                            ),
                        BuiltinOptions::SpaceToDepthOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<SpaceToDepthOptions>>(
                                "BuiltinOptions::SpaceToDepthOptions",
                                pos,
                            ),
                        BuiltinOptions::MulOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<MulOptions>>(
                                "BuiltinOptions::MulOptions",
                                pos,
                            ),
                        BuiltinOptions::GatherOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<GatherOptions>>(
                                "BuiltinOptions::GatherOptions",
                                pos,
                            ),
                        BuiltinOptions::ReducerOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<ReducerOptions>>(
                                "BuiltinOptions::ReducerOptions",
                                pos,
                            ),
                        BuiltinOptions::SubOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<SubOptions>>(
                                "BuiltinOptions::SubOptions",
                                pos,
                            ),
                        BuiltinOptions::DivOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<DivOptions>>(
                                "BuiltinOptions::DivOptions",
                                pos,
                            ),
                        BuiltinOptions::SqueezeOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<SqueezeOptions>>(
                                "BuiltinOptions::SqueezeOptions",
                                pos,
                            ),
                        BuiltinOptions::StridedSliceOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<StridedSliceOptions>>(
                                "BuiltinOptions::StridedSliceOptions",
                                pos,
                            ),
                        BuiltinOptions::SplitOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<SplitOptions>>(
                                "BuiltinOptions::SplitOptions",
                                pos,
                            ),
                        BuiltinOptions::TransposeConvOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<TransposeConvOptions>>(
                                "BuiltinOptions::TransposeConvOptions",
                                pos,
                            ),
                        BuiltinOptions::PackOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<PackOptions>>(
                                "BuiltinOptions::PackOptions",
                                pos,
                            ),
                        BuiltinOptions::OneHotOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<OneHotOptions>>(
                                "BuiltinOptions::OneHotOptions",
                                pos,
                            ),
                        BuiltinOptions::UnpackOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<UnpackOptions>>(
                                "BuiltinOptions::UnpackOptions",
                                pos,
                            ),
                        BuiltinOptions::ResizeNearestNeighborOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<ResizeNearestNeighborOptions>>(
                                "BuiltinOptions::ResizeNearestNeighborOptions",
                                pos,
                            ),
                        BuiltinOptions::LeakyReluOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<LeakyReluOptions>>(
                                "BuiltinOptions::LeakyReluOptions",
                                pos,
                            ),
                        BuiltinOptions::MirrorPadOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<MirrorPadOptions>>(
                                "BuiltinOptions::MirrorPadOptions",
                                pos,
                            ),
                        BuiltinOptions::SplitVOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<SplitVOptions>>(
                                "BuiltinOptions::SplitVOptions",
                                pos,
                            ),
                        BuiltinOptions::ReverseSequenceOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<ReverseSequenceOptions>>(
                                "BuiltinOptions::ReverseSequenceOptions",
                                pos,
                            ),
                        BuiltinOptions::DepthToSpaceOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<DepthToSpaceOptions>>(
                                "BuiltinOptions::DepthToSpaceOptions",
                                pos,
                            ),
                        BuiltinOptions::BatchMatMulOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<BatchMatMulOptions>>(
                                "BuiltinOptions::BatchMatMulOptions",
                                pos,
                            ),
                        BuiltinOptions::CumsumOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<CumsumOptions>>(
                                "BuiltinOptions::CumsumOptions",
                                pos,
                            ),
                        BuiltinOptions::GeluOptions => v
                            .verify_union_variant::<flatbuffers::ForwardsUOffset<GeluOptions>>(
                                "BuiltinOptions::GeluOptions",
                                pos,
                            ),
                        _ => Ok(()),
                    },
                )?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, u8>>>(
                    "custom_options",
                    Self::VT_CUSTOM_OPTIONS,
                    false,
                )?
                .visit_field::<CustomOptionsFormat>("custom_options_format", Self::VT_CUSTOM_OPTIONS_FORMAT, false)?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, bool>>>(
                    "mutating_variable_inputs",
                    Self::VT_MUTATING_VARIABLE_INPUTS,
                    false,
                )?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, i32>>>(
                    "intermediates",
                    Self::VT_INTERMEDIATES,
                    false,
                )?
                .finish();
            Ok(())
        }
    }
    pub struct OperatorArgs<'a> {
        pub opcode_index: u32,
        pub inputs: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, i32>>>,
        pub outputs: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, i32>>>,
        pub builtin_options_type: BuiltinOptions,
        pub builtin_options: Option<flatbuffers::WIPOffset<flatbuffers::UnionWIPOffset>>,
        pub custom_options: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, u8>>>,
        pub custom_options_format: CustomOptionsFormat,
        pub mutating_variable_inputs: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, bool>>>,
        pub intermediates: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, i32>>>,
    }
    impl<'a> Default for OperatorArgs<'a> {
        #[inline]
        fn default() -> Self {
            OperatorArgs {
                opcode_index: 0,
                inputs: None,
                outputs: None,
                builtin_options_type: BuiltinOptions::NONE,
                builtin_options: None,
                custom_options: None,
                custom_options_format: CustomOptionsFormat::FLEXBUFFERS,
                mutating_variable_inputs: None,
                intermediates: None,
            }
        }
    }

    pub struct OperatorBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> OperatorBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_opcode_index(&mut self, opcode_index: u32) {
            self.fbb_.push_slot::<u32>(Operator::VT_OPCODE_INDEX, opcode_index, 0);
        }
        #[inline]
        pub fn add_inputs(&mut self, inputs: flatbuffers::WIPOffset<flatbuffers::Vector<'b, i32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Operator::VT_INPUTS, inputs);
        }
        #[inline]
        pub fn add_outputs(&mut self, outputs: flatbuffers::WIPOffset<flatbuffers::Vector<'b, i32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Operator::VT_OUTPUTS, outputs);
        }
        #[inline]
        pub fn add_builtin_options_type(&mut self, builtin_options_type: BuiltinOptions) {
            self.fbb_.push_slot::<BuiltinOptions>(
                Operator::VT_BUILTIN_OPTIONS_TYPE,
                builtin_options_type,
                BuiltinOptions::NONE,
            );
        }
        #[inline]
        pub fn add_builtin_options(&mut self, builtin_options: flatbuffers::WIPOffset<flatbuffers::UnionWIPOffset>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Operator::VT_BUILTIN_OPTIONS, builtin_options);
        }
        #[inline]
        pub fn add_custom_options(&mut self, custom_options: flatbuffers::WIPOffset<flatbuffers::Vector<'b, u8>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Operator::VT_CUSTOM_OPTIONS, custom_options);
        }
        #[inline]
        pub fn add_custom_options_format(&mut self, custom_options_format: CustomOptionsFormat) {
            self.fbb_.push_slot::<CustomOptionsFormat>(
                Operator::VT_CUSTOM_OPTIONS_FORMAT,
                custom_options_format,
                CustomOptionsFormat::FLEXBUFFERS,
            );
        }
        #[inline]
        pub fn add_mutating_variable_inputs(
            &mut self,
            mutating_variable_inputs: flatbuffers::WIPOffset<flatbuffers::Vector<'b, bool>>,
        ) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(
                Operator::VT_MUTATING_VARIABLE_INPUTS,
                mutating_variable_inputs,
            );
        }
        #[inline]
        pub fn add_intermediates(&mut self, intermediates: flatbuffers::WIPOffset<flatbuffers::Vector<'b, i32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Operator::VT_INTERMEDIATES, intermediates);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> OperatorBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            OperatorBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<Operator<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for Operator<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("Operator");
            ds.field("opcode_index", &self.opcode_index());
            ds.field("inputs", &self.inputs());
            ds.field("outputs", &self.outputs());
            ds.field("builtin_options_type", &self.builtin_options_type());
            match self.builtin_options_type() {
                BuiltinOptions::Conv2DOptions => {
                    if let Some(x) = self.builtin_options_as_conv_2_doptions() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::DepthwiseConv2DOptions => {
                    if let Some(x) = self.builtin_options_as_depthwise_conv_2_doptions() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::Pool2DOptions => {
                    if let Some(x) = self.builtin_options_as_pool_2_doptions() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::FullyConnectedOptions => {
                    if let Some(x) = self.builtin_options_as_fully_connected_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::SoftmaxOptions => {
                    if let Some(x) = self.builtin_options_as_softmax_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::ConcatenationOptions => {
                    if let Some(x) = self.builtin_options_as_concatenation_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::AddOptions => {
                    if let Some(x) = self.builtin_options_as_add_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::L2NormOptions => {
                    if let Some(x) = self.builtin_options_as_l2_norm_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::LocalResponseNormalizationOptions => {
                    if let Some(x) = self.builtin_options_as_local_response_normalization_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::ResizeBilinearOptions => {
                    if let Some(x) = self.builtin_options_as_resize_bilinear_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::ReshapeOptions => {
                    if let Some(x) = self.builtin_options_as_reshape_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::SpaceToDepthOptions => {
                    if let Some(x) = self.builtin_options_as_space_to_depth_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::MulOptions => {
                    if let Some(x) = self.builtin_options_as_mul_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::GatherOptions => {
                    if let Some(x) = self.builtin_options_as_gather_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::ReducerOptions => {
                    if let Some(x) = self.builtin_options_as_reducer_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::SubOptions => {
                    if let Some(x) = self.builtin_options_as_sub_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::DivOptions => {
                    if let Some(x) = self.builtin_options_as_div_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::SqueezeOptions => {
                    if let Some(x) = self.builtin_options_as_squeeze_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::StridedSliceOptions => {
                    if let Some(x) = self.builtin_options_as_strided_slice_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::SplitOptions => {
                    if let Some(x) = self.builtin_options_as_split_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::TransposeConvOptions => {
                    if let Some(x) = self.builtin_options_as_transpose_conv_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::PackOptions => {
                    if let Some(x) = self.builtin_options_as_pack_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::OneHotOptions => {
                    if let Some(x) = self.builtin_options_as_one_hot_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::UnpackOptions => {
                    if let Some(x) = self.builtin_options_as_unpack_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::ResizeNearestNeighborOptions => {
                    if let Some(x) = self.builtin_options_as_resize_nearest_neighbor_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::LeakyReluOptions => {
                    if let Some(x) = self.builtin_options_as_leaky_relu_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::MirrorPadOptions => {
                    if let Some(x) = self.builtin_options_as_mirror_pad_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::SplitVOptions => {
                    if let Some(x) = self.builtin_options_as_split_voptions() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::ReverseSequenceOptions => {
                    if let Some(x) = self.builtin_options_as_reverse_sequence_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::DepthToSpaceOptions => {
                    if let Some(x) = self.builtin_options_as_depth_to_space_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::BatchMatMulOptions => {
                    if let Some(x) = self.builtin_options_as_batch_mat_mul_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::CumsumOptions => {
                    if let Some(x) = self.builtin_options_as_cumsum_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                BuiltinOptions::GeluOptions => {
                    if let Some(x) = self.builtin_options_as_gelu_options() {
                        ds.field("builtin_options", &x)
                    } else {
                        ds.field("builtin_options", &"InvalidFlatbuffer: Union discriminant does not match value.")
                    }
                }
                _ => {
                    let x: Option<()> = None;
                    ds.field("builtin_options", &x)
                }
            };
            ds.field("custom_options", &self.custom_options());
            ds.field("custom_options_format", &self.custom_options_format());
            ds.field("mutating_variable_inputs", &self.mutating_variable_inputs());
            ds.field("intermediates", &self.intermediates());
            ds.finish()
        }
    }
    pub enum SubGraphOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct SubGraph<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for SubGraph<'a> {
        type Inner = SubGraph<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> SubGraph<'a> {
        pub const VT_TENSORS: flatbuffers::VOffsetT = 4;
        pub const VT_INPUTS: flatbuffers::VOffsetT = 6;
        pub const VT_OUTPUTS: flatbuffers::VOffsetT = 8;
        pub const VT_OPERATORS: flatbuffers::VOffsetT = 10;
        pub const VT_NAME: flatbuffers::VOffsetT = 12;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            SubGraph { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args SubGraphArgs<'args>,
        ) -> flatbuffers::WIPOffset<SubGraph<'bldr>> {
            let mut builder = SubGraphBuilder::new(_fbb);
            if let Some(x) = args.name {
                builder.add_name(x);
            }
            if let Some(x) = args.operators {
                builder.add_operators(x);
            }
            if let Some(x) = args.outputs {
                builder.add_outputs(x);
            }
            if let Some(x) = args.inputs {
                builder.add_inputs(x);
            }
            if let Some(x) = args.tensors {
                builder.add_tensors(x);
            }
            builder.finish()
        }

        #[inline]
        pub fn tensors(&self) -> Option<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Tensor<'a>>>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Tensor>>>>(
                        SubGraph::VT_TENSORS,
                        None,
                    )
            }
        }
        #[inline]
        pub fn inputs(&self) -> Option<flatbuffers::Vector<'a, i32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, i32>>>(SubGraph::VT_INPUTS, None)
            }
        }
        #[inline]
        pub fn outputs(&self) -> Option<flatbuffers::Vector<'a, i32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, i32>>>(SubGraph::VT_OUTPUTS, None)
            }
        }
        #[inline]
        pub fn operators(&self) -> Option<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Operator<'a>>>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Operator>>>>(SubGraph::VT_OPERATORS, None)
            }
        }
        #[inline]
        pub fn name(&self) -> Option<&'a str> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<&str>>(SubGraph::VT_NAME, None) }
        }
    }

    impl flatbuffers::Verifiable for SubGraph<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, flatbuffers::ForwardsUOffset<Tensor>>>>("tensors", Self::VT_TENSORS, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, i32>>>("inputs", Self::VT_INPUTS, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, i32>>>("outputs", Self::VT_OUTPUTS, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, flatbuffers::ForwardsUOffset<Operator>>>>("operators", Self::VT_OPERATORS, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<&str>>("name", Self::VT_NAME, false)?
     .finish();
            Ok(())
        }
    }
    pub struct SubGraphArgs<'a> {
        pub tensors: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Tensor<'a>>>>>,
        pub inputs: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, i32>>>,
        pub outputs: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, i32>>>,
        pub operators:
            Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Operator<'a>>>>>,
        pub name: Option<flatbuffers::WIPOffset<&'a str>>,
    }
    impl<'a> Default for SubGraphArgs<'a> {
        #[inline]
        fn default() -> Self {
            SubGraphArgs { tensors: None, inputs: None, outputs: None, operators: None, name: None }
        }
    }

    pub struct SubGraphBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> SubGraphBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_tensors(
            &mut self,
            tensors: flatbuffers::WIPOffset<flatbuffers::Vector<'b, flatbuffers::ForwardsUOffset<Tensor<'b>>>>,
        ) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(SubGraph::VT_TENSORS, tensors);
        }
        #[inline]
        pub fn add_inputs(&mut self, inputs: flatbuffers::WIPOffset<flatbuffers::Vector<'b, i32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(SubGraph::VT_INPUTS, inputs);
        }
        #[inline]
        pub fn add_outputs(&mut self, outputs: flatbuffers::WIPOffset<flatbuffers::Vector<'b, i32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(SubGraph::VT_OUTPUTS, outputs);
        }
        #[inline]
        pub fn add_operators(
            &mut self,
            operators: flatbuffers::WIPOffset<flatbuffers::Vector<'b, flatbuffers::ForwardsUOffset<Operator<'b>>>>,
        ) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(SubGraph::VT_OPERATORS, operators);
        }
        #[inline]
        pub fn add_name(&mut self, name: flatbuffers::WIPOffset<&'b str>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(SubGraph::VT_NAME, name);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> SubGraphBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            SubGraphBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<SubGraph<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for SubGraph<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("SubGraph");
            ds.field("tensors", &self.tensors());
            ds.field("inputs", &self.inputs());
            ds.field("outputs", &self.outputs());
            ds.field("operators", &self.operators());
            ds.field("name", &self.name());
            ds.finish()
        }
    }
    pub enum BufferOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct Buffer<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for Buffer<'a> {
        type Inner = Buffer<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> Buffer<'a> {
        pub const VT_DATA: flatbuffers::VOffsetT = 4;
        pub const VT_OFFSET: flatbuffers::VOffsetT = 6;
        pub const VT_SIZE: flatbuffers::VOffsetT = 8;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            Buffer { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args BufferArgs<'args>,
        ) -> flatbuffers::WIPOffset<Buffer<'bldr>> {
            let mut builder = BufferBuilder::new(_fbb);
            builder.add_size(args.size);
            builder.add_offset(args.offset);
            if let Some(x) = args.data {
                builder.add_data(x);
            }
            builder.finish()
        }

        #[inline]
        pub fn data(&self) -> Option<flatbuffers::Vector<'a, u8>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, u8>>>(Buffer::VT_DATA, None) }
        }
        #[inline]
        pub fn offset(&self) -> u64 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<u64>(Buffer::VT_OFFSET, Some(0)).unwrap() }
        }
        #[inline]
        pub fn size(&self) -> u64 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<u64>(Buffer::VT_SIZE, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for Buffer<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, u8>>>("data", Self::VT_DATA, false)?
                .visit_field::<u64>("offset", Self::VT_OFFSET, false)?
                .visit_field::<u64>("size", Self::VT_SIZE, false)?
                .finish();
            Ok(())
        }
    }
    pub struct BufferArgs<'a> {
        pub data: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, u8>>>,
        pub offset: u64,
        pub size: u64,
    }
    impl<'a> Default for BufferArgs<'a> {
        #[inline]
        fn default() -> Self {
            BufferArgs { data: None, offset: 0, size: 0 }
        }
    }

    pub struct BufferBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> BufferBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_data(&mut self, data: flatbuffers::WIPOffset<flatbuffers::Vector<'b, u8>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Buffer::VT_DATA, data);
        }
        #[inline]
        pub fn add_offset(&mut self, offset: u64) {
            self.fbb_.push_slot::<u64>(Buffer::VT_OFFSET, offset, 0);
        }
        #[inline]
        pub fn add_size(&mut self, size: u64) {
            self.fbb_.push_slot::<u64>(Buffer::VT_SIZE, size, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> BufferBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            BufferBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<Buffer<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for Buffer<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("Buffer");
            ds.field("data", &self.data());
            ds.field("offset", &self.offset());
            ds.field("size", &self.size());
            ds.finish()
        }
    }
    pub enum MetadataOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct Metadata<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for Metadata<'a> {
        type Inner = Metadata<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> Metadata<'a> {
        pub const VT_NAME: flatbuffers::VOffsetT = 4;
        pub const VT_BUFFER: flatbuffers::VOffsetT = 6;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            Metadata { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args MetadataArgs<'args>,
        ) -> flatbuffers::WIPOffset<Metadata<'bldr>> {
            let mut builder = MetadataBuilder::new(_fbb);
            builder.add_buffer(args.buffer);
            if let Some(x) = args.name {
                builder.add_name(x);
            }
            builder.finish()
        }

        #[inline]
        pub fn name(&self) -> Option<&'a str> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<&str>>(Metadata::VT_NAME, None) }
        }
        #[inline]
        pub fn buffer(&self) -> u32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<u32>(Metadata::VT_BUFFER, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for Metadata<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<flatbuffers::ForwardsUOffset<&str>>("name", Self::VT_NAME, false)?
                .visit_field::<u32>("buffer", Self::VT_BUFFER, false)?
                .finish();
            Ok(())
        }
    }
    pub struct MetadataArgs<'a> {
        pub name: Option<flatbuffers::WIPOffset<&'a str>>,
        pub buffer: u32,
    }
    impl<'a> Default for MetadataArgs<'a> {
        #[inline]
        fn default() -> Self {
            MetadataArgs { name: None, buffer: 0 }
        }
    }

    pub struct MetadataBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> MetadataBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_name(&mut self, name: flatbuffers::WIPOffset<&'b str>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Metadata::VT_NAME, name);
        }
        #[inline]
        pub fn add_buffer(&mut self, buffer: u32) {
            self.fbb_.push_slot::<u32>(Metadata::VT_BUFFER, buffer, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> MetadataBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            MetadataBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<Metadata<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for Metadata<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("Metadata");
            ds.field("name", &self.name());
            ds.field("buffer", &self.buffer());
            ds.finish()
        }
    }
    pub enum TensorMapOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct TensorMap<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for TensorMap<'a> {
        type Inner = TensorMap<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> TensorMap<'a> {
        pub const VT_NAME: flatbuffers::VOffsetT = 4;
        pub const VT_TENSOR_INDEX: flatbuffers::VOffsetT = 6;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            TensorMap { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args TensorMapArgs<'args>,
        ) -> flatbuffers::WIPOffset<TensorMap<'bldr>> {
            let mut builder = TensorMapBuilder::new(_fbb);
            builder.add_tensor_index(args.tensor_index);
            if let Some(x) = args.name {
                builder.add_name(x);
            }
            builder.finish()
        }

        #[inline]
        pub fn name(&self) -> Option<&'a str> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<&str>>(TensorMap::VT_NAME, None) }
        }
        #[inline]
        pub fn tensor_index(&self) -> u32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<u32>(TensorMap::VT_TENSOR_INDEX, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for TensorMap<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
                .visit_field::<flatbuffers::ForwardsUOffset<&str>>("name", Self::VT_NAME, false)?
                .visit_field::<u32>("tensor_index", Self::VT_TENSOR_INDEX, false)?
                .finish();
            Ok(())
        }
    }
    pub struct TensorMapArgs<'a> {
        pub name: Option<flatbuffers::WIPOffset<&'a str>>,
        pub tensor_index: u32,
    }
    impl<'a> Default for TensorMapArgs<'a> {
        #[inline]
        fn default() -> Self {
            TensorMapArgs { name: None, tensor_index: 0 }
        }
    }

    pub struct TensorMapBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> TensorMapBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_name(&mut self, name: flatbuffers::WIPOffset<&'b str>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(TensorMap::VT_NAME, name);
        }
        #[inline]
        pub fn add_tensor_index(&mut self, tensor_index: u32) {
            self.fbb_.push_slot::<u32>(TensorMap::VT_TENSOR_INDEX, tensor_index, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> TensorMapBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            TensorMapBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<TensorMap<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for TensorMap<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("TensorMap");
            ds.field("name", &self.name());
            ds.field("tensor_index", &self.tensor_index());
            ds.finish()
        }
    }
    pub enum SignatureDefOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct SignatureDef<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for SignatureDef<'a> {
        type Inner = SignatureDef<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> SignatureDef<'a> {
        pub const VT_INPUTS: flatbuffers::VOffsetT = 4;
        pub const VT_OUTPUTS: flatbuffers::VOffsetT = 6;
        pub const VT_SIGNATURE_KEY: flatbuffers::VOffsetT = 8;
        pub const VT_SUBGRAPH_INDEX: flatbuffers::VOffsetT = 12;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            SignatureDef { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args SignatureDefArgs<'args>,
        ) -> flatbuffers::WIPOffset<SignatureDef<'bldr>> {
            let mut builder = SignatureDefBuilder::new(_fbb);
            builder.add_subgraph_index(args.subgraph_index);
            if let Some(x) = args.signature_key {
                builder.add_signature_key(x);
            }
            if let Some(x) = args.outputs {
                builder.add_outputs(x);
            }
            if let Some(x) = args.inputs {
                builder.add_inputs(x);
            }
            builder.finish()
        }

        #[inline]
        pub fn inputs(&self) -> Option<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<TensorMap<'a>>>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<TensorMap>>>>(SignatureDef::VT_INPUTS, None)
            }
        }
        #[inline]
        pub fn outputs(&self) -> Option<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<TensorMap<'a>>>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<TensorMap>>>>(SignatureDef::VT_OUTPUTS, None)
            }
        }
        #[inline]
        pub fn signature_key(&self) -> Option<&'a str> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<&str>>(SignatureDef::VT_SIGNATURE_KEY, None) }
        }
        #[inline]
        pub fn subgraph_index(&self) -> u32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<u32>(SignatureDef::VT_SUBGRAPH_INDEX, Some(0)).unwrap() }
        }
    }

    impl flatbuffers::Verifiable for SignatureDef<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, flatbuffers::ForwardsUOffset<TensorMap>>>>("inputs", Self::VT_INPUTS, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, flatbuffers::ForwardsUOffset<TensorMap>>>>("outputs", Self::VT_OUTPUTS, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<&str>>("signature_key", Self::VT_SIGNATURE_KEY, false)?
     .visit_field::<u32>("subgraph_index", Self::VT_SUBGRAPH_INDEX, false)?
     .finish();
            Ok(())
        }
    }
    pub struct SignatureDefArgs<'a> {
        pub inputs:
            Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<TensorMap<'a>>>>>,
        pub outputs:
            Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<TensorMap<'a>>>>>,
        pub signature_key: Option<flatbuffers::WIPOffset<&'a str>>,
        pub subgraph_index: u32,
    }
    impl<'a> Default for SignatureDefArgs<'a> {
        #[inline]
        fn default() -> Self {
            SignatureDefArgs { inputs: None, outputs: None, signature_key: None, subgraph_index: 0 }
        }
    }

    pub struct SignatureDefBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> SignatureDefBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_inputs(
            &mut self,
            inputs: flatbuffers::WIPOffset<flatbuffers::Vector<'b, flatbuffers::ForwardsUOffset<TensorMap<'b>>>>,
        ) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(SignatureDef::VT_INPUTS, inputs);
        }
        #[inline]
        pub fn add_outputs(
            &mut self,
            outputs: flatbuffers::WIPOffset<flatbuffers::Vector<'b, flatbuffers::ForwardsUOffset<TensorMap<'b>>>>,
        ) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(SignatureDef::VT_OUTPUTS, outputs);
        }
        #[inline]
        pub fn add_signature_key(&mut self, signature_key: flatbuffers::WIPOffset<&'b str>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(SignatureDef::VT_SIGNATURE_KEY, signature_key);
        }
        #[inline]
        pub fn add_subgraph_index(&mut self, subgraph_index: u32) {
            self.fbb_.push_slot::<u32>(SignatureDef::VT_SUBGRAPH_INDEX, subgraph_index, 0);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> SignatureDefBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            SignatureDefBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<SignatureDef<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for SignatureDef<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("SignatureDef");
            ds.field("inputs", &self.inputs());
            ds.field("outputs", &self.outputs());
            ds.field("signature_key", &self.signature_key());
            ds.field("subgraph_index", &self.subgraph_index());
            ds.finish()
        }
    }
    pub enum ModelOffset {}
    #[derive(Copy, Clone, PartialEq)]

    pub struct Model<'a> {
        pub _tab: flatbuffers::Table<'a>,
    }

    impl<'a> flatbuffers::Follow<'a> for Model<'a> {
        type Inner = Model<'a>;
        #[inline]
        unsafe fn follow(buf: &'a [u8], loc: usize) -> Self::Inner {
            Self { _tab: flatbuffers::Table::new(buf, loc) }
        }
    }

    impl<'a> Model<'a> {
        pub const VT_VERSION: flatbuffers::VOffsetT = 4;
        pub const VT_OPERATOR_CODES: flatbuffers::VOffsetT = 6;
        pub const VT_SUBGRAPHS: flatbuffers::VOffsetT = 8;
        pub const VT_DESCRIPTION: flatbuffers::VOffsetT = 10;
        pub const VT_BUFFERS: flatbuffers::VOffsetT = 12;
        pub const VT_METADATA_BUFFER: flatbuffers::VOffsetT = 14;
        pub const VT_METADATA: flatbuffers::VOffsetT = 16;
        pub const VT_SIGNATURE_DEFS: flatbuffers::VOffsetT = 18;

        #[inline]
        pub unsafe fn init_from_table(table: flatbuffers::Table<'a>) -> Self {
            Model { _tab: table }
        }
        #[allow(unused_mut)]
        pub fn create<'bldr: 'args, 'args: 'mut_bldr, 'mut_bldr, A: flatbuffers::Allocator + 'bldr>(
            _fbb: &'mut_bldr mut flatbuffers::FlatBufferBuilder<'bldr, A>,
            args: &'args ModelArgs<'args>,
        ) -> flatbuffers::WIPOffset<Model<'bldr>> {
            let mut builder = ModelBuilder::new(_fbb);
            if let Some(x) = args.signature_defs {
                builder.add_signature_defs(x);
            }
            if let Some(x) = args.metadata {
                builder.add_metadata(x);
            }
            if let Some(x) = args.metadata_buffer {
                builder.add_metadata_buffer(x);
            }
            if let Some(x) = args.buffers {
                builder.add_buffers(x);
            }
            if let Some(x) = args.description {
                builder.add_description(x);
            }
            if let Some(x) = args.subgraphs {
                builder.add_subgraphs(x);
            }
            if let Some(x) = args.operator_codes {
                builder.add_operator_codes(x);
            }
            builder.add_version(args.version);
            builder.finish()
        }

        #[inline]
        pub fn version(&self) -> u32 {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<u32>(Model::VT_VERSION, Some(0)).unwrap() }
        }
        #[inline]
        pub fn operator_codes(
            &self,
        ) -> Option<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<OperatorCode<'a>>>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<
                    flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<OperatorCode>>,
                >>(Model::VT_OPERATOR_CODES, None)
            }
        }
        #[inline]
        pub fn subgraphs(&self) -> Option<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<SubGraph<'a>>>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<SubGraph>>>>(Model::VT_SUBGRAPHS, None)
            }
        }
        #[inline]
        pub fn description(&self) -> Option<&'a str> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe { self._tab.get::<flatbuffers::ForwardsUOffset<&str>>(Model::VT_DESCRIPTION, None) }
        }
        #[inline]
        pub fn buffers(&self) -> Option<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Buffer<'a>>>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Buffer>>>>(
                        Model::VT_BUFFERS,
                        None,
                    )
            }
        }
        #[inline]
        pub fn metadata_buffer(&self) -> Option<flatbuffers::Vector<'a, i32>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab
                    .get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, i32>>>(Model::VT_METADATA_BUFFER, None)
            }
        }
        #[inline]
        pub fn metadata(&self) -> Option<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Metadata<'a>>>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Metadata>>>>(Model::VT_METADATA, None)
            }
        }
        #[inline]
        pub fn signature_defs(
            &self,
        ) -> Option<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<SignatureDef<'a>>>> {
            // Safety:
            // Created from valid Table for this object
            // which contains a valid value in this slot
            unsafe {
                self._tab.get::<flatbuffers::ForwardsUOffset<
                    flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<SignatureDef>>,
                >>(Model::VT_SIGNATURE_DEFS, None)
            }
        }
    }

    impl flatbuffers::Verifiable for Model<'_> {
        #[inline]
        fn run_verifier(v: &mut flatbuffers::Verifier, pos: usize) -> Result<(), flatbuffers::InvalidFlatbuffer> {
            use self::flatbuffers::Verifiable;
            v.visit_table(pos)?
     .visit_field::<u32>("version", Self::VT_VERSION, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, flatbuffers::ForwardsUOffset<OperatorCode>>>>("operator_codes", Self::VT_OPERATOR_CODES, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, flatbuffers::ForwardsUOffset<SubGraph>>>>("subgraphs", Self::VT_SUBGRAPHS, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<&str>>("description", Self::VT_DESCRIPTION, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, flatbuffers::ForwardsUOffset<Buffer>>>>("buffers", Self::VT_BUFFERS, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, i32>>>("metadata_buffer", Self::VT_METADATA_BUFFER, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, flatbuffers::ForwardsUOffset<Metadata>>>>("metadata", Self::VT_METADATA, false)?
     .visit_field::<flatbuffers::ForwardsUOffset<flatbuffers::Vector<'_, flatbuffers::ForwardsUOffset<SignatureDef>>>>("signature_defs", Self::VT_SIGNATURE_DEFS, false)?
     .finish();
            Ok(())
        }
    }
    pub struct ModelArgs<'a> {
        pub version: u32,
        pub operator_codes:
            Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<OperatorCode<'a>>>>>,
        pub subgraphs:
            Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<SubGraph<'a>>>>>,
        pub description: Option<flatbuffers::WIPOffset<&'a str>>,
        pub buffers: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Buffer<'a>>>>>,
        pub metadata_buffer: Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, i32>>>,
        pub metadata:
            Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<Metadata<'a>>>>>,
        pub signature_defs:
            Option<flatbuffers::WIPOffset<flatbuffers::Vector<'a, flatbuffers::ForwardsUOffset<SignatureDef<'a>>>>>,
    }
    impl<'a> Default for ModelArgs<'a> {
        #[inline]
        fn default() -> Self {
            ModelArgs {
                version: 0,
                operator_codes: None,
                subgraphs: None,
                description: None,
                buffers: None,
                metadata_buffer: None,
                metadata: None,
                signature_defs: None,
            }
        }
    }

    pub struct ModelBuilder<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> {
        fbb_: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        start_: flatbuffers::WIPOffset<flatbuffers::TableUnfinishedWIPOffset>,
    }
    impl<'a: 'b, 'b, A: flatbuffers::Allocator + 'a> ModelBuilder<'a, 'b, A> {
        #[inline]
        pub fn add_version(&mut self, version: u32) {
            self.fbb_.push_slot::<u32>(Model::VT_VERSION, version, 0);
        }
        #[inline]
        pub fn add_operator_codes(
            &mut self,
            operator_codes: flatbuffers::WIPOffset<
                flatbuffers::Vector<'b, flatbuffers::ForwardsUOffset<OperatorCode<'b>>>,
            >,
        ) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Model::VT_OPERATOR_CODES, operator_codes);
        }
        #[inline]
        pub fn add_subgraphs(
            &mut self,
            subgraphs: flatbuffers::WIPOffset<flatbuffers::Vector<'b, flatbuffers::ForwardsUOffset<SubGraph<'b>>>>,
        ) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Model::VT_SUBGRAPHS, subgraphs);
        }
        #[inline]
        pub fn add_description(&mut self, description: flatbuffers::WIPOffset<&'b str>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Model::VT_DESCRIPTION, description);
        }
        #[inline]
        pub fn add_buffers(
            &mut self,
            buffers: flatbuffers::WIPOffset<flatbuffers::Vector<'b, flatbuffers::ForwardsUOffset<Buffer<'b>>>>,
        ) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Model::VT_BUFFERS, buffers);
        }
        #[inline]
        pub fn add_metadata_buffer(&mut self, metadata_buffer: flatbuffers::WIPOffset<flatbuffers::Vector<'b, i32>>) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Model::VT_METADATA_BUFFER, metadata_buffer);
        }
        #[inline]
        pub fn add_metadata(
            &mut self,
            metadata: flatbuffers::WIPOffset<flatbuffers::Vector<'b, flatbuffers::ForwardsUOffset<Metadata<'b>>>>,
        ) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Model::VT_METADATA, metadata);
        }
        #[inline]
        pub fn add_signature_defs(
            &mut self,
            signature_defs: flatbuffers::WIPOffset<
                flatbuffers::Vector<'b, flatbuffers::ForwardsUOffset<SignatureDef<'b>>>,
            >,
        ) {
            self.fbb_.push_slot_always::<flatbuffers::WIPOffset<_>>(Model::VT_SIGNATURE_DEFS, signature_defs);
        }
        #[inline]
        pub fn new(_fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>) -> ModelBuilder<'a, 'b, A> {
            let start = _fbb.start_table();
            ModelBuilder { fbb_: _fbb, start_: start }
        }
        #[inline]
        pub fn finish(self) -> flatbuffers::WIPOffset<Model<'a>> {
            let o = self.fbb_.end_table(self.start_);
            flatbuffers::WIPOffset::new(o.value())
        }
    }

    impl core::fmt::Debug for Model<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            let mut ds = f.debug_struct("Model");
            ds.field("version", &self.version());
            ds.field("operator_codes", &self.operator_codes());
            ds.field("subgraphs", &self.subgraphs());
            ds.field("description", &self.description());
            ds.field("buffers", &self.buffers());
            ds.field("metadata_buffer", &self.metadata_buffer());
            ds.field("metadata", &self.metadata());
            ds.field("signature_defs", &self.signature_defs());
            ds.finish()
        }
    }
    #[inline]
    /// Verifies that a buffer of bytes contains a `Model`
    /// and returns it.
    /// Note that verification is still experimental and may not
    /// catch every error, or be maximally performant. For the
    /// previous, unchecked, behavior use
    /// `root_as_model_unchecked`.
    pub fn root_as_model(buf: &[u8]) -> Result<Model, flatbuffers::InvalidFlatbuffer> {
        flatbuffers::root::<Model>(buf)
    }
    #[inline]
    /// Verifies that a buffer of bytes contains a size prefixed
    /// `Model` and returns it.
    /// Note that verification is still experimental and may not
    /// catch every error, or be maximally performant. For the
    /// previous, unchecked, behavior use
    /// `size_prefixed_root_as_model_unchecked`.
    pub fn size_prefixed_root_as_model(buf: &[u8]) -> Result<Model, flatbuffers::InvalidFlatbuffer> {
        flatbuffers::size_prefixed_root::<Model>(buf)
    }
    #[inline]
    /// Verifies, with the given options, that a buffer of bytes
    /// contains a `Model` and returns it.
    /// Note that verification is still experimental and may not
    /// catch every error, or be maximally performant. For the
    /// previous, unchecked, behavior use
    /// `root_as_model_unchecked`.
    pub fn root_as_model_with_opts<'b, 'o>(
        opts: &'o flatbuffers::VerifierOptions,
        buf: &'b [u8],
    ) -> Result<Model<'b>, flatbuffers::InvalidFlatbuffer> {
        flatbuffers::root_with_opts::<Model<'b>>(opts, buf)
    }
    #[inline]
    /// Verifies, with the given verifier options, that a buffer of
    /// bytes contains a size prefixed `Model` and returns
    /// it. Note that verification is still experimental and may not
    /// catch every error, or be maximally performant. For the
    /// previous, unchecked, behavior use
    /// `root_as_model_unchecked`.
    pub fn size_prefixed_root_as_model_with_opts<'b, 'o>(
        opts: &'o flatbuffers::VerifierOptions,
        buf: &'b [u8],
    ) -> Result<Model<'b>, flatbuffers::InvalidFlatbuffer> {
        flatbuffers::size_prefixed_root_with_opts::<Model<'b>>(opts, buf)
    }
    #[inline]
    /// Assumes, without verification, that a buffer of bytes contains a Model and returns it.
    /// # Safety
    /// Callers must trust the given bytes do indeed contain a valid `Model`.
    pub unsafe fn root_as_model_unchecked(buf: &[u8]) -> Model {
        flatbuffers::root_unchecked::<Model>(buf)
    }
    #[inline]
    /// Assumes, without verification, that a buffer of bytes contains a size prefixed Model and returns it.
    /// # Safety
    /// Callers must trust the given bytes do indeed contain a valid size prefixed `Model`.
    pub unsafe fn size_prefixed_root_as_model_unchecked(buf: &[u8]) -> Model {
        flatbuffers::size_prefixed_root_unchecked::<Model>(buf)
    }
    pub const MODEL_IDENTIFIER: &str = "TFL3";

    #[inline]
    pub fn model_buffer_has_identifier(buf: &[u8]) -> bool {
        flatbuffers::buffer_has_identifier(buf, MODEL_IDENTIFIER, false)
    }

    #[inline]
    pub fn model_size_prefixed_buffer_has_identifier(buf: &[u8]) -> bool {
        flatbuffers::buffer_has_identifier(buf, MODEL_IDENTIFIER, true)
    }

    pub const MODEL_EXTENSION: &str = "tflite";

    #[inline]
    pub fn finish_model_buffer<'a, 'b, A: flatbuffers::Allocator + 'a>(
        fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        root: flatbuffers::WIPOffset<Model<'a>>,
    ) {
        fbb.finish(root, Some(MODEL_IDENTIFIER));
    }

    #[inline]
    pub fn finish_size_prefixed_model_buffer<'a, 'b, A: flatbuffers::Allocator + 'a>(
        fbb: &'b mut flatbuffers::FlatBufferBuilder<'a, A>,
        root: flatbuffers::WIPOffset<Model<'a>>,
    ) {
        fbb.finish_size_prefixed(root, Some(MODEL_IDENTIFIER));
    }
} // pub mod tflite
