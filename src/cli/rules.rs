//! `egret rules list|check|mutate|taso|import-egg`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use egret_rules::RuleSet;
use egret_rules::egg_import;
use egret_rules::rulecheck::lock::{Entry, Lock};
use egret_rules::rulecheck::prove::SmtNote;
use egret_rules::rulecheck::smt::{Oracle, Solver};
use egret_rules::rulecheck::{Evidence, RuleReport, check_all_by};
use egret_rules::taso::Judged;
use serde::Serialize;

use super::Outcome;
use super::output::{Output, table};

/// List or check rewrite rules.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List the rules, with file and line, numeric class and source
    List(Files),
    /// Check every rule: proofs, values in exact and float arithmetic, the need of its conditions; -v lists the evidence
    Check(Check),
    /// Break rules in systematic ways and count how many of the wrong ones the check refuses
    Mutate(super::mutate::Args),
    /// Judge TASO's substitutions (its file `graph_subst.pb`): proved, tested, or wrong with values that show it
    Taso(Taso),
    /// Import rewrites written for egg, egglog or TENSAT as a rule file, each checked; say of the others why not
    ImportEgg(ImportEgg),
}

#[derive(clap::Args)]
struct ImportEgg {
    /// The file of rewrites
    file: PathBuf,
    /// Where to write the rules; none: standard output
    #[arg(short, long, value_name = "OUT.rules")]
    output: Option<PathBuf>,
    /// Print as JSON
    #[arg(long, requires = "output")]
    json: bool,
}

#[derive(clap::Args)]
struct Taso {
    /// The file of rules that TASO releases
    file: PathBuf,
    /// Print the page docs/taso.md
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Check {
    #[command(flatten)]
    files: Files,
    /// Check the built-in library anew instead of trusting the evidence kept with it
    #[arg(long)]
    cold: bool,
    /// The Z3 that is asked where normal forms leave a rule open; none: `z3` in PATH, or else the answers kept with the library
    #[arg(long, value_name = "PATH")]
    z3: Option<PathBuf>,
}

#[derive(clap::Args)]
struct Files {
    /// Rule files; none: the built-in library
    files: Vec<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Row {
    name: String,
    place: String,
    class: String,
    cite: String,
    text: String,
}

pub fn run(a: &Args, out: &Output) -> egret::Result<Outcome> {
    match &a.command {
        Command::List(f) => list(f, out),
        Command::Check(c) => check(c, out),
        Command::Mutate(m) => super::mutate::run(m, out),
        Command::Taso(t) => taso(t, out),
        Command::ImportEgg(i) => import_egg(i, out),
    }
}

/// The rules of some files, or the built-in library.
pub fn load(files: &[PathBuf]) -> egret::Result<RuleSet> {
    if files.is_empty() { Ok(RuleSet::builtin()) } else { egret::load_rules(files) }
}

fn list(f: &Files, out: &Output) -> egret::Result<Outcome> {
    let rules = load(&f.files)?;
    let rows: Vec<Row> = rules
        .rules
        .iter()
        .map(|r| Row {
            name: r.name.to_string(),
            place: r.place.to_string(),
            class: r.numeric.name().to_owned(),
            cite: r.cite.to_string(),
            text: r.text.to_string(),
        })
        .chain(rules.passes.iter().map(|p| Row {
            name: p.name.to_owned(),
            place: "native".to_owned(),
            class: p.numeric.name().to_owned(),
            cite: p.cite.to_owned(),
            text: p.text.to_owned(),
        }))
        .collect();
    out.result(f.json, &rows, || {
        let cells: Vec<Vec<String>> =
            rows.iter().map(|r| vec![r.name.clone(), r.place.clone(), r.class.clone(), r.cite.clone()]).collect();
        let (text, native) = (rules.rules.len(), rules.passes.len());
        let native = if native == 0 { String::new() } else { format!(", {native} native passes") };
        format!("{}\n{text} rules{native}\n", table(&["rule", "place", "class", "source"], &cells))
    });
    Ok(Outcome::Done)
}

/// Counts for programs, with the rules that were refused.
#[derive(Default, Serialize)]
struct Checked {
    rules: usize,
    proved: usize,
    bounded: usize,
    tested: usize,
    refused: usize,
    samples: usize,
    seconds: f64,
    /// Whether the evidence kept with the library was used.
    kept: bool,
    failed: Vec<RuleReport>,
    /// Per rule that passed.
    evidence: Vec<RuleEvidence>,
    /// Rules of these that only a solver proves.
    by_smt: usize,
    /// Rules that passed and are open, with what a solver says of them.
    open: Vec<Open>,
    /// Native passes beside the rules: the law of each is asked at every proposal, and again at replay.
    passes: usize,
    #[serde(skip)]
    native: Vec<Vec<String>>,
}

/// A rule that is not proved and whose structures all have a question.
#[derive(Serialize)]
struct Open {
    rule: String,
    smt: SmtNote,
}

/// What is known of a rule.
#[derive(Serialize)]
struct RuleEvidence {
    rule: String,
    evidence: Evidence,
    /// Drawn values compared.
    drawn: usize,
    /// Structures proved.
    structures: usize,
    /// Rank up to which they are all there are.
    complete_to_rank: Option<usize>,
    /// Questions that a solver answered for it.
    smt_questions: usize,
    /// Probability that sides that differ at some drawn values pass the comparison modulo two primes; null: none was made.
    modular_error: Option<String>,
    /// Tuples of values of small types compared, all there are.
    exhaustive: u64,
}

impl RuleEvidence {
    fn new(rule: &str, e: &Entry) -> Self {
        Self {
            rule: rule.to_owned(),
            evidence: e.evidence,
            drawn: e.drawn,
            structures: e.structural.structures,
            complete_to_rank: e.structural.rank,
            smt_questions: e.structural.smt.map_or(0, |a| a.questions),
            modular_error: (e.error_bits > 0).then(|| format!("2^-{}", e.error_bits)),
            exhaustive: e.exhaustive,
        }
    }

    fn cells(&self) -> Vec<String> {
        let or_dash = |x: Option<String>| x.unwrap_or_else(|| "-".to_owned());
        vec![
            self.rule.clone(),
            self.evidence.name().to_owned(),
            self.drawn.to_string(),
            self.structures.to_string(),
            or_dash(self.complete_to_rank.map(|r| r.to_string())),
            or_dash((self.smt_questions > 0).then(|| self.smt_questions.to_string())),
            or_dash(self.modular_error.clone()),
            self.exhaustive.to_string(),
        ]
    }
}

impl Checked {
    fn new(rules: &RuleSet) -> Self {
        let pass = |p: &&'static egret_rules::engine::passes::Pass| {
            [p.name, p.numeric.name(), p.cite].map(str::to_owned).to_vec()
        };
        Self {
            rules: rules.rules.len(),
            passes: rules.passes.len(),
            native: rules.passes.iter().map(pass).collect(),
            ..Self::default()
        }
    }

    /// How much a solver might add, or did.
    fn smt_lines(&self, verbose: bool) -> String {
        let mut text = String::new();
        for open in &self.open {
            match &open.smt {
                SmtNote::Values(model) if verbose => {
                    text.push_str(&format!("{}: z3 finds values where the sides may differ\n", open.rule));
                    model.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
                }
                SmtNote::Unknown if verbose => {
                    text.push_str(&format!("{}: z3 gives up\n", open.rule));
                }
                SmtNote::Values(_) | SmtNote::Unknown | SmtNote::Unasked | SmtNote::None => {}
            }
        }
        let unasked = self.open.iter().filter(|o| o.smt == SmtNote::Unasked).count();
        if unasked > 0 {
            text.push_str(&format!(
                "{unasked} of the rules that are not proved may be with z3 (in PATH, or --z3 PATH)\n"
            ));
        }
        text
    }

    fn count(&mut self, rule: &str, e: &Entry) {
        self.evidence.push(RuleEvidence::new(rule, e));
        self.by_smt += usize::from(e.structural.smt.is_some());
        match e.evidence {
            Evidence::Proved => self.proved += 1,
            Evidence::Bounded => self.bounded += 1,
            Evidence::Tested => self.tested += 1,
        }
    }
}

/// The evidence kept with the library, where it is of the library as it stands.
fn kept(rules: &RuleSet) -> Option<Checked> {
    let lock = Lock::builtin();
    let mut checked = Checked { kept: true, ..Checked::new(rules) };
    for rule in &rules.rules {
        checked.count(&rule.name, lock.entry(rule)?);
    }
    Some(checked)
}

fn check(c: &Check, out: &Output) -> egret::Result<Outcome> {
    let rules = load(&c.files.files)?;
    let start = std::time::Instant::now();
    let trusted = if c.files.files.is_empty() && !c.cold && c.z3.is_none() { kept(&rules) } else { None };
    let mut checked = match trusted {
        Some(checked) => checked,
        None => fresh(&rules, &oracle(c.z3.as_deref())?, out),
    };
    checked.seconds = start.elapsed().as_secs_f64();
    out.result(c.files.json, &checked, || {
        let mut text = String::new();
        for r in &checked.failed {
            text.push_str(&format!("{}: {}\n  {}\n", r.place, r.rule, r.text));
            for failure in &r.failures {
                text.push_str(&format!("  {failure}\n"));
            }
        }
        if out.verbose > 0 {
            let rows: Vec<Vec<String>> = checked.evidence.iter().map(RuleEvidence::cells).collect();
            let header = ["rule", "evidence", "drawn", "structures", "to rank", "smt", "error", "exhaustive"];
            text.push_str(&table(&header, &rows));
            text.push('\n');
        }
        if !checked.native.is_empty() {
            text.push_str(&table(&["native pass", "class", "source of its law"], &checked.native));
            let passes = checked.passes;
            text.push_str(&format!("{passes} native passes: a law is asked at every proposal, and again at replay\n\n"));
        }
        text.push_str(&checked.smt_lines(out.verbose > 0));
        let Checked { rules, proved, bounded, tested, refused, samples, seconds, kept, by_smt, .. } = &checked;
        let how = if *kept {
            "by the evidence kept with them; --cold checks anew".to_owned()
        } else {
            format!("{samples} samples compared, {seconds:.1} s")
        };
        text.push_str(&format!(
            "{rules} rules: {proved} proved ({by_smt} of them by z3), {bounded} bounded, {tested} tested, {refused} refused ({how})\n"
        ));
        text
    });
    Ok(if checked.refused == 0 { Outcome::Done } else { Outcome::No })
}

/// The solver of that path, or the one there is; where there is none, the answers kept with the library.
fn oracle(z3: Option<&Path>) -> egret::Result<Oracle> {
    let failed = |path: &Path, e: std::io::Error| egret::Error::File { path: path.to_owned(), reason: e.to_string() };
    let solver = match z3 {
        Some(path) => Some(Solver::at(path).map_err(|e| failed(path, e))?),
        None => Solver::find(),
    };
    Ok(Oracle { solver, known: Lock::builtin().answers() })
}

/// Checks every rule.
fn fresh(rules: &RuleSet, oracle: &Oracle, out: &Output) -> Checked {
    let (done, total) = (AtomicUsize::new(0), rules.rules.len());
    out.step("checking rules");
    let report = check_all_by(rules, oracle, &|r| {
        let n = done.fetch_add(1, Ordering::Relaxed) + 1;
        out.status(&format!("checking rules: {n} of {total}, {}", r.rule));
    });
    let mut checked = Checked { samples: report.samples(), ..Checked::new(rules) };
    let lock = Lock::of(rules, &report);
    for (rule, r) in rules.rules.iter().zip(report.rules) {
        if let Some(e) = lock.entry(rule) {
            checked.count(&rule.name, e);
            if e.evidence != Evidence::Proved && r.smt != SmtNote::None {
                checked.open.push(Open { rule: r.rule, smt: r.smt });
            }
        } else {
            checked.refused += 1;
            checked.failed.push(r);
        }
    }
    checked
}

/// Judges a file of TASO's substitutions.
fn taso(t: &Taso, out: &Output) -> egret::Result<Outcome> {
    let bytes =
        std::fs::read(&t.file).map_err(|e| egret::Error::File { path: t.file.clone(), reason: e.to_string() })?;
    let rules =
        egret_rules::taso::read(&bytes).map_err(|e| egret::Error::Usage(format!("{}: {e}", t.file.display())))?;
    out.step(&format!("judging {} substitutions", rules.len()));
    let judged: Vec<Judged> = rules.iter().enumerate().map(|(i, s)| egret_rules::taso::judge(i, s)).collect();
    if t.markdown {
        out.clear();
        super::output::print(&egret_rules::taso::markdown(&judged));
        return Ok(Outcome::Done);
    }
    out.result(t.json, &judged, || {
        let cells: Vec<Vec<String>> = judged
            .iter()
            .map(|j| {
                let sides: Vec<String> = j.equalities.iter().map(|(a, b)| format!("{a} = {b}")).collect();
                vec![j.index.to_string(), format!("{:?}", j.verdict).to_lowercase(), sides.join(" and ")]
            })
            .collect();
        table(&["#", "verdict", "substitution"], &cells)
    });
    Ok(Outcome::Done)
}

/// What became of a rewrite, for programs.
#[derive(Serialize)]
struct ImportRow {
    name: String,
    line: u32,
    class: Option<&'static str>,
    evidence: Option<&'static str>,
    refused: Option<String>,
}

/// Imports rewrites of egg.
fn import_egg(i: &ImportEgg, out: &Output) -> egret::Result<Outcome> {
    let file = i.file.display().to_string();
    let text = std::fs::read_to_string(&i.file)
        .map_err(|e| egret::Error::File { path: i.file.clone(), reason: e.to_string() })?;
    out.step("checking rewrites");
    let rewrites = egg_import::import(&file, &text);
    let rules = egg_import::rules_text(&file, &rewrites);
    let row = |r: &egg_import::Rewrite| ImportRow {
        name: r.name.clone(),
        line: r.line,
        class: r.outcome.as_ref().ok().map(|i| i.numeric.name()),
        evidence: r.outcome.as_ref().ok().map(|i| i.evidence.name()),
        refused: r.outcome.as_ref().err().map(ToString::to_string),
    };
    let rows: Vec<ImportRow> = rewrites.iter().map(row).collect();
    let refused = rows.iter().filter(|r| r.refused.is_some()).count();
    match &i.output {
        None => {
            out.clear();
            super::output::print(&rules);
        }
        Some(path) => {
            egret::write_file(path, rules.as_bytes())?;
            out.result(i.json, &rows, || {
                let cells = |r: &ImportRow| {
                    let said = r.refused.clone().unwrap_or_default();
                    let word = |w: Option<&str>| w.unwrap_or("-").to_owned();
                    vec![r.name.clone(), r.line.to_string(), word(r.class), word(r.evidence), said]
                };
                let cells: Vec<Vec<String>> = rows.iter().map(cells).collect();
                let imported = rows.len() - refused;
                let head = ["rewrite", "line", "class", "evidence", "refused"];
                format!("{}\n{imported} imported, {refused} refused\n", table(&head, &cells))
            });
        }
    }
    Ok(if refused == 0 { Outcome::Done } else { Outcome::Unsupported })
}
