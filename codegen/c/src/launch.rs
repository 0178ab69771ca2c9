//! Runs compiled libraries: opens them, checks ABI and CPU, describes and runs the model.
#![expect(unsafe_code, reason = "calls into a shared library through its C interface")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use egret_ir::dim::{Backing, Dim, Symbol, SymbolInfo, Symbols};
use egret_ir::dtype::DType;
use egret_ir::op::attrs::Attr;
use egret_ir::tensor::Tensor;
use egret_ir::text::{Sort, parse_attr};
use egret_ir::types::TensorType;

use crate::library::dtype_code;

/// The interface version this launcher speaks (`EGRET_ABI_VERSION`).
pub const ABI_VERSION: u32 = 2;

/// Why a library could not be opened or run.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// No such file, or no shared library.
    #[error("cannot load {path}: {error}")]
    Load {
        /// The file.
        path: PathBuf,
        /// Why.
        error: libloading::Error,
    },
    /// A shared library without Egret's interface.
    #[error("{path} is no library compiled by Egret: {error}")]
    Symbol {
        /// The file.
        path: PathBuf,
        /// Why.
        error: libloading::Error,
    },
    /// Another interface version.
    #[error("{path} has interface version {got}, this program speaks {ABI_VERSION}")]
    Abi {
        /// The file.
        path: PathBuf,
        /// Its version.
        got: u32,
    },
    /// The CPU lacks instructions.
    #[error("this CPU lacks instructions that {path} needs: {needed}")]
    Cpu {
        /// The file.
        path: PathBuf,
        /// What it needs.
        needed: String,
    },
    /// The library refused; its code and text.
    #[error("{text} (code {code})")]
    Refused {
        /// The code (`EGRET_ERROR_…`).
        code: i32,
        /// The text.
        text: String,
    },
    /// A wrong number of inputs.
    #[error("{expected} inputs expected, got {got}")]
    InputCount {
        /// Inputs of the model.
        expected: usize,
        /// Inputs given.
        got: usize,
    },
    /// The library described a tensor in a way this program does not understand.
    #[error("{path} describes a tensor that makes no sense")]
    Description {
        /// The file.
        path: PathBuf,
    },
}

/// An input or output of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortInfo {
    /// Its name.
    pub name: String,
    /// Its type; extents that the library leaves open are expressions of symbols.
    pub ty: TensorType,
}

/// A tensor a step has computed, as a tap sees it.
#[derive(Clone, Debug)]
pub struct TapValue {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub tensor: Tensor,
    /// Set to another tensor of the same type to make later kernels see that one.
    pub replace: Option<Tensor>,
}

/// Called after each step of the program: its position, its name, what it computed.
pub type Tap<'a> = dyn FnMut(usize, &str, &mut [TapValue]) + 'a;

#[repr(C)]
#[derive(Clone, Copy)]
struct RawTensor {
    dtype: i32,
    rank: i32,
    dims: *const i64,
    data: *mut c_void,
    bytes: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct RawInfo {
    name: *const c_char,
    dtype: i32,
    rank: i32,
    dims: *const i64,
    symbols: *const *const c_char,
    bytes: usize,
}

#[repr(C)]
struct RawSymbol {
    name: *const c_char,
    min: i64,
    max: i64,
}

#[repr(C)]
struct RawOptions {
    threads: i32,
    flags: u32,
}

type RawTap = unsafe extern "C" fn(*mut c_void, u32, *const c_char, *const RawInfo, *const RawTensor, u32) -> c_int;

struct Interface {
    // Keeps the code mapped as long as any context lives.
    _library: libloading::Library,
    path: PathBuf,
    error_text: unsafe extern "C" fn(i32) -> *const c_char,
    open: unsafe extern "C" fn(*const RawOptions, *mut *mut c_void) -> i32,
    run: unsafe extern "C" fn(*mut c_void, *const RawTensor, u32, *mut RawTensor, u32) -> i32,
    set_tap: unsafe extern "C" fn(*mut c_void, Option<RawTap>, *mut c_void) -> i32,
    last_error: unsafe extern "C" fn(*const c_void) -> *const c_char,
    close: unsafe extern "C" fn(*mut c_void),
    inputs: Vec<PortInfo>,
    outputs: Vec<PortInfo>,
    symbols: Symbols,
    kernels: usize,
    arena_bytes: usize,
    text: String,
}

/// An opened library: one model, shared by its contexts.
#[derive(Clone)]
pub struct Library(Arc<Interface>);

/// What a run needs: arena and threads. Runs one at a time.
pub struct Context {
    interface: Arc<Interface>,
    raw: *mut c_void,
}

// SAFETY: a context may be used from any thread, by one at a time (egret.h); every use here takes `&mut self`.
unsafe impl Send for Context {}

// SAFETY: `p` is null or a C string that outlives the call, as the interface promises.
unsafe fn text(p: *const c_char) -> String {
    if p.is_null() { String::new() } else { unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned() }
}

fn dtype(code: i32) -> Option<DType> {
    DType::ALL.into_iter().find(|d| dtype_code(*d) == code)
}

// SAFETY: `info` comes from the library, so its name, dims and symbols are valid for its lifetime.
unsafe fn port(info: &RawInfo) -> Option<PortInfo> {
    let rank = usize::try_from(info.rank).ok().filter(|r| *r <= 255)?;
    let extent = |i: usize| {
        // SAFETY: dims and (where given) symbols have `rank` entries.
        let (d, symbol) = unsafe {
            (*info.dims.add(i), if info.symbols.is_null() { std::ptr::null() } else { *info.symbols.add(i) })
        };
        if d >= 0 {
            return Some(Dim::from(d));
        }
        // SAFETY: null or a C string.
        match parse_attr(&unsafe { text(symbol) }, Sort::Dim).ok()? {
            Attr::Dim(d) => Some(d),
            _ => None,
        }
    };
    let shape = (0..rank).map(extent).collect::<Option<Vec<_>>>()?;
    let ty = TensorType { dtype: dtype(info.dtype)?, shape };
    // SAFETY: the caller's promise.
    Some(PortInfo { name: unsafe { text(info.name) }, ty })
}

// SAFETY: `raw` describes a tensor that the library owns and keeps as it is during the call.
unsafe fn tensor(raw: &RawTensor) -> Option<Tensor> {
    let rank = usize::try_from(raw.rank).ok().filter(|r| *r <= 255)?;
    // SAFETY: dims has `rank` numbers.
    let dims = (0..rank).map(|i| usize::try_from(unsafe { *raw.dims.add(i) }).ok()).collect::<Option<Vec<_>>>()?;
    let dtype = dtype(raw.dtype)?;
    let bytes = dims.iter().try_fold(dtype.size(), |n, d| n.checked_mul(*d))?;
    // SAFETY: the tensor's data has as many bytes as its type takes.
    let data = if bytes == 0 {
        Vec::new()
    } else {
        unsafe { std::slice::from_raw_parts(raw.data.cast::<u8>(), bytes) }.to_vec()
    };
    Tensor::new(dtype, dims, data).ok()
}

impl Library {
    /// Loads a library and checks that it can run here.
    pub fn open(path: &Path) -> Result<Self, LaunchError> {
        let load = |error| LaunchError::Load { path: path.into(), error };
        let missing = |error| LaunchError::Symbol { path: path.into(), error };
        // A bare name would be searched for in the system's folders.
        let real = std::path::absolute(path).unwrap_or_else(|_| path.into());
        // SAFETY: loading runs the library's initializers; the user asked for this file to be run.
        let library = unsafe { libloading::Library::new(&real) }.map_err(load)?;
        macro_rules! symbol {
            ($name:literal, $ty:ty) => {
                // SAFETY: the symbol has this type in every library of this ABI version (egret.h).
                *unsafe { library.get::<$ty>(concat!($name, "\0").as_bytes()) }.map_err(missing)?
            };
        }
        type Number = unsafe extern "C" fn() -> u32;
        type Words = unsafe extern "C" fn() -> *const c_char;
        let version: Number = symbol!("egret_abi_version", Number);
        // SAFETY: takes nothing, returns a number.
        let got = unsafe { version() };
        if got != ABI_VERSION {
            return Err(LaunchError::Abi { path: path.into(), got });
        }
        let needed: Words = symbol!("egret_cpu_needed", Words);
        let check = symbol!("egret_cpu_check", unsafe extern "C" fn() -> i32);
        // SAFETY: both only read tables of the library.
        if unsafe { check() } != 0 {
            // SAFETY: as above.
            return Err(LaunchError::Cpu { path: path.into(), needed: unsafe { text(needed()) } });
        }
        type Describe = unsafe extern "C" fn(u32, *mut RawInfo) -> i32;
        let describe = |count: Number, one: Describe| -> Result<Vec<PortInfo>, LaunchError> {
            // SAFETY: takes nothing, returns a number.
            (0..unsafe { count() })
                .map(|i| {
                    let mut info = MaybeUninit::<RawInfo>::uninit();
                    // SAFETY: on success the library fills in the whole struct.
                    let known = unsafe { one(i, info.as_mut_ptr()) == 0 };
                    // SAFETY: initialized just above.
                    let port = if known { unsafe { port(&info.assume_init()) } } else { None };
                    port.ok_or_else(|| LaunchError::Description { path: path.into() })
                })
                .collect()
        };
        let inputs = describe(symbol!("egret_input_count", Number), symbol!("egret_input_info", Describe))?;
        let outputs = describe(symbol!("egret_output_count", Number), symbol!("egret_output_info", Describe))?;
        let symbol_count: Number = symbol!("egret_symbol_count", Number);
        let symbol_info = symbol!("egret_symbol_info", unsafe extern "C" fn(u32, *mut RawSymbol) -> i32);
        let mut symbols = Symbols::default();
        // SAFETY: takes nothing, returns a number.
        for i in 0..unsafe { symbol_count() } {
            let mut raw = MaybeUninit::<RawSymbol>::uninit();
            // SAFETY: on success the library fills in the whole struct.
            if unsafe { symbol_info(i, raw.as_mut_ptr()) } != 0 {
                return Err(LaunchError::Description { path: path.into() });
            }
            // SAFETY: initialized just above; the name is static.
            let (name, raw) = unsafe {
                let raw = raw.assume_init();
                (text(raw.name), raw)
            };
            let info = SymbolInfo { min: raw.min, max: raw.max, backing: Backing::Input };
            symbols.0.insert(Symbol::new(&name), info);
        }
        let kernel_count: Number = symbol!("egret_kernel_count", Number);
        type Bytes = unsafe extern "C" fn() -> usize;
        let arena: Bytes = symbol!("egret_arena_bytes", Bytes);
        let program: Words = symbol!("egret_program_text", Words);
        let program_bytes: Bytes = symbol!("egret_program_text_bytes", Bytes);
        // SAFETY: the text has that many bytes and lives as long as the library.
        let bytes = unsafe { std::slice::from_raw_parts(program().cast::<u8>(), program_bytes()) };
        let text = String::from_utf8_lossy(bytes).into_owned();
        // SAFETY: these take nothing and return numbers.
        let (kernels, arena_bytes) = unsafe { (kernel_count() as usize, arena()) };
        let interface = Interface {
            path: path.into(),
            error_text: symbol!("egret_error_text", unsafe extern "C" fn(i32) -> *const c_char),
            open: symbol!("egret_open", unsafe extern "C" fn(*const RawOptions, *mut *mut c_void) -> i32),
            run: symbol!(
                "egret_run",
                unsafe extern "C" fn(*mut c_void, *const RawTensor, u32, *mut RawTensor, u32) -> i32
            ),
            set_tap: symbol!("egret_set_tap", unsafe extern "C" fn(*mut c_void, Option<RawTap>, *mut c_void) -> i32),
            last_error: symbol!("egret_last_error", unsafe extern "C" fn(*const c_void) -> *const c_char),
            close: symbol!("egret_close", unsafe extern "C" fn(*mut c_void)),
            inputs,
            outputs,
            symbols,
            kernels,
            arena_bytes,
            text,
            _library: library,
        };
        Ok(Self(Arc::new(interface)))
    }

    /// Inputs, in order.
    pub fn inputs(&self) -> &[PortInfo] {
        &self.0.inputs
    }

    /// Outputs, in order.
    pub fn outputs(&self) -> &[PortInfo] {
        &self.0.outputs
    }

    /// The extents that the library leaves open, with their bounds.
    pub fn symbols(&self) -> &Symbols {
        &self.0.symbols
    }

    /// Number of steps run one after the other.
    pub fn kernel_count(&self) -> usize {
        self.0.kernels
    }

    /// Bytes of working memory of one context; 0 where open extents decide.
    pub fn arena_bytes(&self) -> usize {
        self.0.arena_bytes
    }

    /// The program the library was compiled from, in text form.
    pub fn program_text(&self) -> &str {
        &self.0.text
    }

    /// A context; `threads` 0 takes the number the library was compiled for.
    pub fn context(&self, threads: usize) -> Result<Context, LaunchError> {
        let options = RawOptions { threads: i32::try_from(threads).unwrap_or(i32::MAX), flags: 0 };
        let mut raw = std::ptr::null_mut();
        // SAFETY: both pointers are valid for the call.
        let code = unsafe { (self.0.open)(&raw const options, &raw mut raw) };
        if code != 0 {
            // SAFETY: the text is static.
            return Err(LaunchError::Refused { code, text: unsafe { text((self.0.error_text)(code)) } });
        }
        Ok(Context { interface: self.0.clone(), raw })
    }

    /// Runs once in a context of its own.
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, LaunchError> {
        self.context(0)?.run(inputs)
    }
}

/// Tensor data copied to memory aligned for every element type.
struct Aligned(Vec<u64>);

impl Aligned {
    fn new(bytes: usize) -> Self {
        Self(vec![0; bytes.div_ceil(8).max(1)])
    }

    fn copy(t: &Tensor) -> Self {
        let mut out = Self::new(t.bytes().len());
        // SAFETY: the vector holds at least as many bytes, and any bytes are valid integers.
        unsafe { std::ptr::copy_nonoverlapping(t.bytes().as_ptr(), out.0.as_mut_ptr().cast::<u8>(), t.bytes().len()) };
        out
    }

    fn pointer(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

impl Context {
    /// Runs the model.
    pub fn run(&mut self, inputs: &[Tensor]) -> Result<Vec<Tensor>, LaunchError> {
        let mut prepared = self.prepare(inputs)?;
        let raw = self.run_prepared(&mut prepared)?;
        self.results(&raw)
    }

    /// Runs the model and shows what every step computed.
    pub fn run_with_tap(&mut self, inputs: &[Tensor], tap: &mut Tap<'_>) -> Result<Vec<Tensor>, LaunchError> {
        let mut prepared = self.prepare(inputs)?;
        let mut state: TapState<'_> = TapState { tap };
        // SAFETY: the state outlives the run, and the tap is taken off before it goes.
        unsafe { (self.interface.set_tap)(self.raw, Some(tap_entry), (&raw mut state).cast()) };
        let done = self.run_prepared(&mut prepared);
        // SAFETY: takes the tap off.
        unsafe { (self.interface.set_tap)(self.raw, None, std::ptr::null_mut()) };
        let raw = done?;
        self.results(&raw)
    }

    fn results(&self, raw: &[RawTensor]) -> Result<Vec<Tensor>, LaunchError> {
        let damaged = || LaunchError::Description { path: self.interface.path.clone() };
        // SAFETY: a run has filled these in, and their memory is the context's until its next run.
        raw.iter().map(|t| unsafe { tensor(t) }.ok_or_else(damaged)).collect()
    }

    /// Thread CPU seconds of each of `runs` runs on the same inputs, after one to warm up. With one thread this is the
    /// time the model takes whatever else the machine does.
    pub fn time(&mut self, inputs: &[Tensor], runs: usize) -> Result<Vec<f64>, LaunchError> {
        let mut prepared = self.prepare(inputs)?;
        self.run_prepared(&mut prepared)?;
        (0..runs)
            .map(|_| {
                let start = thread_seconds();
                self.run_prepared(&mut prepared)?;
                Ok(thread_seconds() - start)
            })
            .collect()
    }

    /// Name and least thread CPU seconds of every kernel over `runs` runs on the same inputs. Meant for one thread.
    pub fn profile(&mut self, inputs: &[Tensor], runs: usize) -> Result<Vec<(String, f64)>, LaunchError> {
        let mut prepared = self.prepare(inputs)?;
        let mut state = Profile { last: 0.0, kernels: Vec::new() };
        // SAFETY: the state outlives the runs, and the tap is taken off before it goes.
        unsafe { (self.interface.set_tap)(self.raw, Some(profile_entry), (&raw mut state).cast()) };
        let mut done = Ok(());
        for _ in 0..runs.max(1) {
            state.last = thread_seconds();
            done = self.run_prepared(&mut prepared).map(|_| ());
            if done.is_err() {
                break;
            }
        }
        // SAFETY: takes the tap off.
        unsafe { (self.interface.set_tap)(self.raw, None, std::ptr::null_mut()) };
        done.map(|()| state.kernels)
    }

    fn prepare(&self, inputs: &[Tensor]) -> Result<Prepared, LaunchError> {
        let expected = self.interface.inputs.len();
        if inputs.len() != expected {
            return Err(LaunchError::InputCount { expected, got: inputs.len() });
        }
        let ins = inputs
            .iter()
            .map(|t| (t.dtype(), t.shape().iter().map(|d| *d as i64).collect::<Vec<_>>(), Aligned::copy(t)))
            .collect();
        Ok(Prepared { ins })
    }

    /// The outputs, in memory of the context.
    fn run_prepared(&mut self, p: &mut Prepared) -> Result<Vec<RawTensor>, LaunchError> {
        let ins: Vec<RawTensor> = p
            .ins
            .iter_mut()
            .map(|(d, dims, data)| RawTensor {
                dtype: dtype_code(*d),
                rank: dims.len() as i32,
                dims: dims.as_ptr(),
                data: data.pointer(),
                bytes: 0,
            })
            .collect();
        let none = RawTensor { dtype: 0, rank: 0, dims: std::ptr::null(), data: std::ptr::null_mut(), bytes: 0 };
        let mut outs = vec![none; self.interface.outputs.len()];
        // SAFETY: the tensors point to memory of the described size, alive during the call; the library checks types and shapes.
        let code = unsafe {
            (self.interface.run)(self.raw, ins.as_ptr(), ins.len() as u32, outs.as_mut_ptr(), outs.len() as u32)
        };
        if code == 0 {
            return Ok(outs);
        }
        // SAFETY: the text lives until the context's next run.
        let detail = unsafe { text((self.interface.last_error)(self.raw)) };
        let text = if detail.is_empty() {
            // SAFETY: the text is static.
            unsafe { text((self.interface.error_text)(code)) }
        } else {
            detail
        };
        Err(LaunchError::Refused { code, text: format!("{}: {text}", self.interface.path.display()) })
    }
}

struct Prepared {
    ins: Vec<(DType, Vec<i64>, Aligned)>,
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: opened by this library, closed once.
        unsafe { (self.interface.close)(self.raw) };
    }
}

struct TapState<'a> {
    tap: &'a mut Tap<'a>,
}

unsafe extern "C" fn tap_entry(
    user: *mut c_void,
    kernel: u32,
    name: *const c_char,
    infos: *const RawInfo,
    tensors: *const RawTensor,
    count: u32,
) -> c_int {
    // A panic must not cross into C.
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        // SAFETY: `user` is the state that run_with_tap registered.
        let state = unsafe { &mut *user.cast::<TapState<'_>>() };
        let mut values = Vec::new();
        for i in 0..count as usize {
            // SAFETY: `infos` and `tensors` have `count` items.
            let (info, raw) = unsafe { (&*infos.add(i), &*tensors.add(i)) };
            // SAFETY: both are the library's, and the tensor stays as it is during the call.
            let Some(tensor) = (unsafe { tensor(raw) }) else { return 1 };
            // SAFETY: the name is static.
            values.push(TapValue { name: unsafe { text(info.name) }, tensor, replace: None });
        }
        // SAFETY: the name is static.
        let name = unsafe { text(name) };
        (state.tap)(kernel as usize, &name, &mut values);
        for (i, v) in values.iter().enumerate() {
            if let Some(new) = &v.replace
                && new.dtype() == v.tensor.dtype()
                && new.shape() == v.tensor.shape()
            {
                // SAFETY: same type and shape, so the same number of bytes; the tap may write (egret.h).
                unsafe {
                    std::ptr::copy_nonoverlapping(
                        new.bytes().as_ptr(),
                        (*tensors.add(i)).data.cast::<u8>(),
                        new.bytes().len(),
                    );
                }
            }
        }
        0
    }));
    done.unwrap_or(1)
}

struct Profile {
    last: f64,
    kernels: Vec<(String, f64)>,
}

unsafe extern "C" fn profile_entry(
    user: *mut c_void,
    kernel: u32,
    name: *const c_char,
    _: *const RawInfo,
    _: *const RawTensor,
    _: u32,
) -> c_int {
    // SAFETY: `user` is the state that `profile` registered, and runs are one at a time.
    let state = unsafe { &mut *user.cast::<Profile>() };
    let now = thread_seconds();
    let taken = now - state.last;
    if let Some(known) = state.kernels.get_mut(kernel as usize) {
        known.1 = known.1.min(taken);
    } else {
        // SAFETY: the name is static.
        state.kernels.push((unsafe { text(name) }, taken));
    }
    state.last = thread_seconds();
    0
}

/// CPU seconds of the calling thread.
pub fn thread_seconds() -> f64 {
    #[repr(C)]
    struct Timespec {
        seconds: i64,
        nanoseconds: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
    }
    const CLOCK_THREAD_CPUTIME_ID: c_int = 3;
    let mut t = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the pointer is valid; 64-bit Linux has this layout and this clock.
    unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &raw mut t) };
    t.seconds as f64 + t.nanoseconds as f64 * 1e-9
}
