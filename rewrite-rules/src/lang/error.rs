//! What can be wrong with a rule file, with file, line, column and the text at fault.

use std::fmt;
use std::sync::Arc;

/// A stretch of a rule file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Line (1-based).
    pub line: u32,
    /// First column (1-based, in characters).
    pub column: u32,
    /// Number of characters.
    pub width: u32,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A character that starts no token.
    #[error("unexpected character `{0}`")]
    Character(char),
    /// A string without its end.
    #[error("this string or bracket does not end")]
    Unterminated,
    /// Another token than expected.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What would be right.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A word that is no kind.
    #[error("`{0}` is no kind")]
    UnknownKind(String),
    /// A word that is no scalar function.
    #[error("`{0}` is no scalar function")]
    UnknownFunction(String),
    /// A word that is no monoid.
    #[error("`{0}` is no fold")]
    UnknownMonoid(String),
    /// A word that is no condition.
    #[error("`{0}` is no condition")]
    UnknownCondition(String),
    /// A word that is no attribute function.
    #[error("`{0}` is no attribute function")]
    UnknownAttrFn(String),
    /// A word with two rows.
    #[error("`{0}` has two meanings: one word, one row")]
    TwoMeanings(String),
    /// A word that is no numeric class.
    #[error("`{0}` is no numeric class; there are exact, reassociates, finite, approximates")]
    UnknownClass(String),
    /// A word that is no phase.
    #[error("`{0}` is no phase; there are normalize, algebra, layout")]
    UnknownPhase(String),
    /// A wrong number of children or arguments.
    #[error("`{of}` takes {expected}, got {got}")]
    Arity {
        /// The kind, condition or function.
        of: String,
        /// What it takes.
        expected: String,
        /// How many there are.
        got: usize,
    },
    /// A variable on the right or in a condition that the left side does not bind.
    #[error("`{0}` is not bound on the left")]
    Unbound(String),
    /// A variable of two sorts.
    #[error("`{name}` is {first} in one place and {second} here")]
    TwoSorts {
        /// The variable.
        name: String,
        /// Its sort so far.
        first: &'static str,
        /// Its sort here.
        second: &'static str,
    },
    /// An argument of the wrong sort.
    #[error("expected {expected} here")]
    WrongSort {
        /// What would be right.
        expected: String,
    },
    /// Omitted attributes that cannot be copied.
    #[error("attributes of `{0}` are omitted here, but the left side does not have just one such node that omits them")]
    Ambiguous(String),
    /// An ellipsis where there can be none.
    #[error("`...` may follow the last operand of concat and map only")]
    Ellipsis,
    /// A list variable in two ellipses, or one outside of any.
    #[error("`{0}` stands for a list: it belongs inside one `...`")]
    List(String),
    /// A computed value on the left.
    #[error("the left side cannot compute")]
    Computed,
    /// A left side that is no node.
    #[error("the left side must be a node")]
    LeftSide,
    /// Two rules of one name.
    #[error("there is another rule `{name}` at {first}")]
    Duplicate {
        /// The name.
        name: String,
        /// Where the other one is.
        first: String,
    },
    /// No reason given.
    #[error("rule `{0}` has no `cite`")]
    NoCite(String),
    /// No values to try.
    #[error("rule `{0}` has no `try`")]
    NoTry(String),
    /// A try without a value for a variable.
    #[error("no value for `{0}`")]
    Missing(String),
    /// A value for a variable the rule does not have.
    #[error("the rule has no variable `{0}`")]
    NoSuchVariable(String),
    /// A value that does not parse.
    #[error("no value of this sort ({expected}): {problem}")]
    Value {
        /// Its sort.
        expected: &'static str,
        /// What the parser says.
        problem: String,
    },
    /// A literal where its type cannot be known.
    #[error("a number may stand for an operand of map, concat and pad only")]
    NumberPlace,
}

/// A problem and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The file.
    pub file: Arc<str>,
    /// The place.
    pub span: Span,
    /// The text of the line.
    pub line_text: String,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { line, column, width } = self.span;
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let before: String =
            self.line_text.chars().take(column as usize - 1).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        writeln!(f, "{}:{line}:{column}: {}", self.file, self.problem)?;
        writeln!(f, " {number} | {}", self.line_text)?;
        write!(f, " {margin} | {before}{}", "^".repeat(width.max(1) as usize))
    }
}

impl std::error::Error for LoadError {}
