//! Equality of two elements as a question to an SMT solver, where normal forms leave it open.
//!
//! [`question`] writes what [`super::prove`] compares, one element of either side at an unknown index, as SMT-LIB 2 text
//! (Barrett, Fontaine and Tinelli, *The SMT-LIB Standard 2.6*): is there an index, are there extents and elements where the
//! sides differ? Extents and indices are integers; elements are what their types say, bit vectors for integers and for
//! floats, where a rule keeps bits, the theory `FloatingPoint` (Brain, Tinelli, Rümmer and Wahl, *An automatable formal
//! semantics for IEEE-754 floating-point arithmetic*, ARITH 2015), where it keeps real values real numbers. Rows without a
//! theory are unknown functions that keep the laws of their table; folds are unknown values, one for each normal form.
//! `unsat` proves the structure; anything else leaves it open.
//!
//! [`Solver`] is a Z3 (de Moura and Bjørner, TACAS 2008) found in PATH, bounded by its own count of steps, so that an answer
//! does not depend on the clock. Nobody needs one: `rules.lock` keeps for each rule the hash of the questions answered, the
//! questions themselves are written anew each time, and equal ones have equal answers.

mod encode;
mod rows;
mod sorts;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

pub use encode::{Setting, question};

/// Steps that the solver may take for a question, in its own unit.
const STEPS: u64 = 6_000_000;

/// Seconds after which a solver that does not count its steps is given up.
const SECONDS: u64 = 300;

/// Distinct questions of a rule at most.
pub const MOST_QUESTIONS: usize = 150;

/// What a solver says to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There are no such values: the sides are equal.
    Unsat,
    /// There are, and these are some. Where unknown functions or folds stand in the question, they may be none of the rule's.
    Sat(String),
    /// Nothing, within the steps.
    Unknown,
}

/// A Z3 to ask.
#[derive(Clone, Debug)]
pub struct Solver {
    path: PathBuf,
}

impl Solver {
    /// `z3` in PATH, where it answers.
    pub fn find() -> Option<Self> {
        Self::at(Path::new("z3")).ok()
    }

    /// The solver at a path, which must answer a question that has an answer.
    pub fn at(path: &Path) -> std::io::Result<Self> {
        let solver = Self { path: path.to_owned() };
        match solver.answer("(assert false)\n")? {
            Answer::Unsat => Ok(solver),
            Answer::Sat(_) | Answer::Unknown => {
                Err(std::io::Error::other("it does not answer `unsat` where nothing holds"))
            }
        }
    }

    /// Its answer; [`Answer::Unknown`] where the process fails.
    pub fn ask(&self, question: &str) -> Answer {
        self.answer(question).unwrap_or(Answer::Unknown)
    }

    fn answer(&self, question: &str) -> std::io::Result<Answer> {
        let mut child = Command::new(&self.path)
            .args(["-in", &format!("rlimit={STEPS}"), &format!("-T:{SECONDS}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut to) = child.stdin.take() {
            to.write_all(question.as_bytes())?;
            to.write_all(b"(check-sat)\n(get-model)\n")?;
        }
        let said = String::from_utf8_lossy(&child.wait_with_output()?.stdout).into_owned();
        let (first, rest) = said.split_once('\n').unwrap_or((&said, ""));
        Ok(match first.trim() {
            "unsat" => Answer::Unsat,
            "sat" => Answer::Sat(rest.trim().to_owned()),
            _ => Answer::Unknown,
        })
    }
}

/// The questions of a rule's structures, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions(Vec<String>);

impl Questions {
    /// The position of a question, new or known; None where there are too many.
    pub fn place(&mut self, question: String) -> Option<usize> {
        if let Some(i) = self.0.iter().position(|q| *q == question) {
            return Some(i);
        }
        (self.0.len() < MOST_QUESTIONS).then(|| {
            self.0.push(question);
            self.0.len() - 1
        })
    }

    /// The questions, in the order in which they came up.
    pub fn texts(&self) -> &[String] {
        &self.0
    }

    /// How many, and a hash of all.
    pub fn asked(&self) -> Asked {
        let mut hash = Sha256::new();
        for q in &self.0 {
            hash.update((q.len() as u64).to_le_bytes());
            hash.update(q.as_bytes());
        }
        let mut first = [0; 8];
        first.copy_from_slice(&hash.finalize()[..8]);
        Asked { questions: self.0.len(), hash: u64::from_be_bytes(first) }
    }
}

/// Questions that were all answered `unsat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Asked {
    /// How many.
    pub questions: usize,
    /// A hash of their texts, in order.
    #[serde(skip)]
    pub hash: u64,
}

/// Who answers questions.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    /// A solver.
    pub solver: Option<Solver>,
    /// Where there is none: questions whose answers are known to be `unsat`.
    pub known: Vec<Asked>,
}

/// What became of a rule's questions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// All are `unsat`.
    Proved(Asked),
    /// One is not, or is not known to be.
    Open {
        /// What the solver says to the first such; None: nobody answered.
        answer: Option<Answer>,
    },
}

impl Oracle {
    /// Answers questions.
    pub fn answer(&self, questions: &Questions) -> Answered {
        let asked = questions.asked();
        let Some(solver) = &self.solver else {
            return if self.known.contains(&asked) { Answered::Proved(asked) } else { Answered::Open { answer: None } };
        };
        for q in questions.texts() {
            match solver.ask(q) {
                Answer::Unsat => {}
                answer @ (Answer::Sat(_) | Answer::Unknown) => return Answered::Open { answer: Some(answer) },
            }
        }
        Answered::Proved(asked)
    }
}
