//! A compiled library as an engine. Its kernels' results are shown by taps; which kernel reads what is said by the program
//! it was compiled from.

use std::collections::BTreeMap;
use std::path::Path;

use egret_codegen_c::{Context, LaunchError, Library};
use egret_ir::program::{self, BufferId, Kernel, Program, Source};
use egret_ir::{Tensor, Type, ValueId};

use crate::checks::Step;
use crate::executor::{ExecError, Executor, Run, Taps};

/// Why a library gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum CompiledError {
    /// It does not load or run.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// An input was not given.
    #[error("input `{0}` is not given")]
    MissingInput(String),
}

/// A library with a context.
pub struct Compiled {
    library: Library,
    context: Context,
}

impl Compiled {
    /// Opens a library; `threads` 0 takes the number it was compiled for.
    pub fn open(path: &Path, threads: usize) -> Result<Self, CompiledError> {
        let library = Library::open(path)?;
        let context = library.context(threads)?;
        Ok(Self { library, context })
    }

    /// The library.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Inputs and outputs it declares, in order.
    pub fn interface(&self) -> [Vec<(String, Type)>; 2] {
        [self.library.inputs(), self.library.outputs()]
            .map(|ports| ports.iter().map(|p| (p.name.clone(), Type::Tensor(p.ty.clone()))).collect())
    }
}

impl Executor for Compiled {
    fn name(&self) -> &'static str {
        "compiled"
    }

    fn profile(&self) -> &'static str {
        "compiled"
    }

    fn run(&mut self, inputs: &[(String, Tensor)], taps: Taps) -> Result<Run, ExecError> {
        let find = |name: &String| {
            let given = inputs.iter().find(|(n, _)| n == name).map(|(_, t)| t.clone());
            given.ok_or_else(|| CompiledError::MissingInput(name.clone()))
        };
        let ordered: Vec<Tensor> = self.library.inputs().iter().map(|p| find(&p.name)).collect::<Result<_, _>>()?;
        let mut shown: BTreeMap<String, Tensor> = BTreeMap::new();
        let results = match taps {
            Taps::Outputs => self.context.run(&ordered),
            Taps::All => self.context.run_with_tap(&ordered, &mut |_, _, values| {
                shown.extend(values.iter().map(|v| (v.name.clone(), v.tensor.clone())));
            }),
        };
        let results = results.map_err(CompiledError::Launch)?;
        let names = self.library.outputs().iter().map(|p| p.name.clone());
        let outputs: Vec<(String, Tensor)> = names.zip(results).collect();
        if taps == Taps::All {
            // A result may have another name than the buffer it was computed into.
            for (name, t) in &outputs {
                shown.entry(name.clone()).or_insert_with(|| t.clone());
            }
        }
        Ok(Run { outputs, taps: shown })
    }
}

/// A step of a program as a step to check.
pub fn step(program: &Program, step: &program::Step) -> Step {
    let name = |b: &BufferId| program.buffer(*b).name.to_string();
    Step {
        name: step.name().to_string(),
        op: "kernel".to_owned(),
        reads: step.reads().iter().map(name).collect(),
        writes: step.writes().iter().map(name).collect(),
    }
}

/// The steps of a program, reading and writing buffers by name.
pub fn steps(program: &Program) -> Vec<Step> {
    let mut steps: Vec<Step> = program.steps.iter().map(|s| step(program, s)).collect();
    // Results under a name of their own are copies.
    for port in &program.outputs {
        let buffer = program.buffer(port.buffer);
        if buffer.name != port.name {
            steps.push(Step {
                name: format!("output {}", port.name),
                op: "kernel".to_owned(),
                reads: vec![buffer.name.to_string()],
                writes: vec![port.name.to_string()],
            });
        }
    }
    steps
}

/// A kernel as a definition of its own: its body, whose inputs and outputs carry the buffers' names. Constants come along.
pub struct KernelDefinition<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The kernel's position among the program's steps.
    pub position: usize,
    /// Names of the body's values: inputs and outputs.
    pub names: BTreeMap<String, ValueId>,
    /// Constant buffers it reads.
    pub constants: Vec<(String, Tensor)>,
}

/// The definitions of a program's kernels, in order; those inside branches and loops are not among them.
pub fn kernels(program: &Program) -> Vec<KernelDefinition<'_>> {
    let define = |(position, kernel)| {
        let k: &Kernel = kernel;
        let mut names = BTreeMap::new();
        let mut constants = Vec::new();
        for v in k.body.values() {
            if let egret_ir::Op::Input(i) = k.body.node(v).op
                && let Some(buffer) = k.reads.get(i as usize).map(|b| program.buffer(*b))
            {
                names.insert(buffer.name.to_string(), v);
                if let Source::Constant(t) = &buffer.source {
                    constants.push((buffer.name.to_string(), t.clone()));
                }
            }
        }
        for (b, out) in k.writes.iter().zip(&k.body.outputs) {
            names.insert(program.buffer(*b).name.to_string(), out.value);
        }
        KernelDefinition { kernel, position, names, constants }
    };
    program.kernels().map(define).collect()
}

/// The steps of a program in text form (as a library carries it): buffers and what steps read and write. Bodies are not
/// looked at, so a damaged text costs checks and nothing else.
pub fn steps_of_text(text: &str) -> Vec<Step> {
    let mut buffers: BTreeMap<&str, String> = BTreeMap::new();
    let mut steps = Vec::new();
    let names = |ids: &str, buffers: &BTreeMap<&str, String>| -> Vec<String> {
        ids.split_whitespace().filter_map(|b| buffers.get(b).cloned()).collect()
    };
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("  buffer ") {
            let Some((id, rest)) = rest.split_once(' ') else { continue };
            if let Some((name, _)) = unquoted(rest) {
                buffers.insert(id, name);
            }
        } else if let Some(rest) = ["  kernel ", "  if ", "  loop "].iter().find_map(|head| line.strip_prefix(head)) {
            let Some((name, rest)) = rest.split_once(' ') else { continue };
            let Some((reads, writes)) = rest.rsplit_once("writes ") else { continue };
            let (reads, writes) = (names(reads, &buffers), names(writes, &buffers));
            steps.push(Step { name: name.to_owned(), op: "kernel".to_owned(), reads, writes });
        } else if let Some(mut rest) = line.strip_prefix("  outputs ") {
            while let Some((port, after)) = unquoted(rest) {
                let id = after.trim_start().split([',', ' ']).next().unwrap_or_default();
                if let Some(buffer) = buffers.get(id).filter(|b| **b != port) {
                    let (reads, writes) = (vec![buffer.clone()], vec![port.clone()]);
                    steps.push(Step { name: format!("output {port}"), op: "kernel".to_owned(), reads, writes });
                }
                rest = after.split_once(", ").map_or("", |(_, rest)| rest);
            }
        }
    }
    steps
}

/// A quoted name and what follows it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.strip_prefix('"')?.char_indices();
    while let Some((i, c)) = chars.next() {
        match c {
            '"' => return Some((out, &text[i + 2..])),
            '\\' => match chars.next()?.1 {
                'n' => out.push('\n'),
                c => out.push(c),
            },
            c => out.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use egret_ir::{DType, Graph, Origins, TensorType};

    use super::*;

    #[test]
    fn the_text_of_a_program_tells_its_steps() {
        let ty = || TensorType { dtype: DType::F32, shape: vec![2usize.into()] };
        let buffer = |name: &str, source| egret_ir::program::Buffer { name: name.into(), ty: ty(), source };
        let mut body = Graph::new("k");
        let x = body.input("x", Type::Tensor(ty()));
        let y = body.add(egret_ir::Op::Map(egret_ir::op::scalar::Scalar::Exp), &[x], Origins::none()).unwrap();
        body.output("y", y);
        let port = |name: &str, b| egret_ir::program::Port { name: name.into(), buffer: BufferId(b) };
        let kernel = |name: &str, from, to| {
            program::Step::Kernel(Kernel {
                name: name.into(),
                body: body.clone(),
                reads: vec![BufferId(from)],
                writes: vec![BufferId(to)],
                origins: Origins::none(),
            })
        };
        let program = Program {
            name: "p".into(),
            buffers: vec![
                buffer("in \"1\"", Source::Input(0)),
                buffer("a\\b", Source::Step(0)),
                buffer("c", Source::Step(1)),
            ],
            symbols: Vec::new(),
            steps: vec![kernel("k0", 0, 1), kernel("k1", 1, 2)],
            inputs: vec![port("in \"1\"", 0)],
            outputs: vec![port("c", 2), port("other, \"name\"", 1)],
        };
        let text = egret_ir::text::print_program(&program);
        assert_eq!(steps_of_text(&text), steps(&program), "{text}");
        assert_eq!(steps(&program).len(), 3);
    }
}
