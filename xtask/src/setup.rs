//! `cargo xtask setup`: everything that tests, benches and the demo want and that is not in the
//! repository, each thing once per user, linked from `target/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::cache::{self, Cache};
use crate::pins::{BuiltModels, FilesFromWheel, LibTorch, OnnxTests, Pins, PythonEnvironment};
use crate::{libtorch, system, wheel};

/// What to set up.
#[derive(clap::Args, Debug, Default)]
pub struct Args {
    /// Only these components, or models by name
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub only: Vec<String>,
    /// All but these components
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    pub without: Vec<String>,
    /// List the components and set up nothing
    #[arg(long)]
    pub list: bool,
}

impl Args {
    /// Just these components.
    pub fn only(names: &[&str]) -> Self {
        Args { only: names.iter().map(|&n| n.to_owned()).collect(), ..Args::default() }
    }
}

/// How a component came to be there.
enum Outcome {
    /// It was there.
    Present,
    /// It was obtained now.
    Fetched,
}

/// Sets up what is wanted. A component that fails does not stop the others; the error then lists
/// all failures.
pub fn run(args: &Args) -> Result<()> {
    let pins = Pins::load()?;
    if args.list {
        list(&pins);
        return Ok(());
    }
    let wanted = pins.select(&args.only, &args.without)?;
    let setup = Setup { cache: Cache::open()?, target: egret_models::target_dir() };
    let mut failures = Vec::new();
    let mut step = |component: &str, work: &dyn Fn() -> Result<Outcome>| {
        if !wanted.contains(component) {
            return;
        }
        match setup.cache.lock(component).and_then(|_lock| work()) {
            Ok(Outcome::Present) => println!("{component}: there already"),
            Ok(Outcome::Fetched) => println!("{component}: done"),
            Err(error) => {
                println!("{component}: FAILED");
                failures.push(format!("{component}: {error:#}"));
            }
        }
    };
    for pin in &pins.wheels {
        step(&pin.component, &|| setup.files(pin));
    }
    step(&pins.python.component, &|| setup.python(&pins.python));
    step(&pins.built_models.component, &|| setup.built_models(&pins.built_models, &pins.python));
    step(&pins.onnx_tests.component, &|| setup.onnx_tests(&pins.onnx_tests, &pins.python));
    step(&pins.libtorch.component, &|| setup.libtorch(&pins.libtorch));
    anyhow::ensure!(failures.is_empty(), "not everything could be set up\n{}", failures.join("\n"));
    Ok(())
}

fn list(pins: &Pins) {
    for pin in &pins.wheels {
        let w = &pin.wheel;
        println!("{:<14} {} {}, {} MB, {}", pin.component, w.package, w.version, w.megabytes, w.license);
        for file in &pin.files {
            println!("{:<14}   target/{}", "", file.link);
        }
    }
    println!("{:<14} private environment of {}", pins.python.component, pins.python.requirements);
    println!("{:<14} written by {}", pins.built_models.component, pins.built_models.script);
    for model in &pins.built_models.models {
        println!("{:<14}   target/models/{model}.onnx", "");
    }
    println!("{:<14} written by {}", pins.onnx_tests.component, pins.onnx_tests.script);
    println!("{:<14}   target/{}", "", pins.onnx_tests.component);
    let w = &pins.libtorch.wheel;
    println!("{:<14} {} {}, {} MB, {}", pins.libtorch.component, w.package, w.version, w.megabytes, w.license);
    println!("{:<14}   target/libtorch", "");
}

struct Setup {
    cache: Cache,
    target: PathBuf,
}

impl Setup {
    fn files(&self, pin: &FilesFromWheel) -> Result<Outcome> {
        let place = |file: &crate::pins::PinnedFile| {
            let name = Path::new(&file.link).file_name().expect("a link has a name");
            self.cache.entry(&file.sha256).join(name)
        };
        let sound = |file| place(file).is_file() && wheel::check(&place(file), &file.sha256).is_ok();
        let missing: Vec<_> = pin.files.iter().filter(|f| !sound(f)).collect();
        if !missing.is_empty() {
            let python = system::python()?;
            let work = self.cache.scratch()?;
            let archive = wheel::download(&pin.wheel, &self.pip(&python)?, work.path())?;
            for file in &missing {
                let folder = self.cache.scratch()?;
                let name = Path::new(&file.link).file_name().context("a link has a name")?;
                wheel::extract(&archive, &file.path, &folder.path().join(name))?;
                wheel::check(&folder.path().join(name), &file.sha256)?;
                // What is there is damaged, or another run would have been waited for.
                let _ = fs::remove_dir_all(self.cache.entry(&file.sha256));
                self.cache.publish(folder.path(), &file.sha256)?;
            }
        }
        for file in &pin.files {
            cache::link(&place(file), &self.target.join(&file.link))?;
        }
        Ok(if missing.is_empty() { Outcome::Present } else { Outcome::Fetched })
    }

    /// A Python that has pip: the system's, or that of a bare private environment.
    fn pip(&self, python: &Path) -> Result<PathBuf> {
        if system::output(Command::new(python).args(["-m", "pip", "--version"])).is_ok() {
            return Ok(python.to_owned());
        }
        self.environment(python, "")
    }

    fn python(&self, pin: &PythonEnvironment) -> Result<Outcome> {
        let (path, requirements) = self.environment_of(pin)?;
        let present = path.join("complete").is_file();
        if !present {
            self.environment(&system::python()?, &requirements)?;
        }
        cache::link(&path, &self.target.join("python"))?;
        Ok(if present { Outcome::Present } else { Outcome::Fetched })
    }

    fn environment_of(&self, pin: &PythonEnvironment) -> Result<(PathBuf, String)> {
        let file = system::root().join(&pin.requirements);
        let requirements = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
        Ok((self.environment_path(&system::python()?, &requirements)?, requirements))
    }

    fn environment_path(&self, python: &Path, requirements: &str) -> Result<PathBuf> {
        let version =
            system::output(Command::new(python).args(["-c", "import sys; print(sys.executable, sys.version)"]))?;
        Ok(self.cache.entry(&cache::hash_texts(["venv", &version, requirements])))
    }

    /// The Python of an environment with the requirements in it, made where it is not there. An
    /// environment knows its own path, so it is made in place and a file `complete` ends the work.
    fn environment(&self, python: &Path, requirements: &str) -> Result<PathBuf> {
        let path = self.environment_path(python, requirements)?;
        let own = path.join("bin/python");
        let complete = path.join("complete");
        if complete.is_file() {
            return Ok(own);
        }
        let _lock = self.cache.lock("environment")?;
        if complete.is_file() {
            return Ok(own);
        }
        println!("  making a Python environment");
        system::output(Command::new(python).args(["-m", "venv", "--clear"]).arg(&path))?;
        if !requirements.is_empty() {
            let list = path.join("requirements.txt");
            fs::write(&list, requirements)?;
            let mut pip = Command::new(&own);
            pip.args(["-m", "pip", "install", "--no-deps", "--require-hashes", "--only-binary=:all:"]);
            pip.args(["--no-input", "--disable-pip-version-check", "-r"]).arg(&list);
            let advice = "installing numpy and onnx: this needs a network and CPython 3.11 to 3.14 \
                          (name another one in PYTHON)";
            if system::interactive() {
                system::run(&mut pip).context(advice)?;
            } else {
                system::output(pip.arg("--quiet")).context(advice)?;
            }
        }
        fs::write(&complete, "")?;
        Ok(own)
    }

    fn built_models(&self, pin: &BuiltModels, python: &PythonEnvironment) -> Result<Outcome> {
        let script = system::root().join(&pin.script);
        let text = fs::read_to_string(&script).with_context(|| format!("reading {}", script.display()))?;
        let (environment, requirements) = self.environment_of(python)?;
        // The numbers come from numpy, so its version is part of the key.
        let key = cache::hash_texts(["models", &text, &requirements]);
        let entry = self.cache.entry(&key);
        let file = |model: &String| entry.join(format!("{model}.onnx"));
        let present = pin.models.iter().all(|m| file(m).is_file());
        if !present {
            println!("  writing {} models", pin.models.len());
            let folder = self.cache.scratch()?;
            let mut builder = Command::new(environment.join("bin/python"));
            builder.arg(&script).arg("--out").arg(folder.path()).arg("--only").arg(pin.models.join(","));
            let said = system::output(&mut builder).context("is the component `python` set up?")?;
            said.lines().for_each(|line| println!("  {line}"));
            let _ = fs::remove_dir_all(&entry);
            self.cache.publish(folder.path(), &key)?;
        }
        for model in &pin.models {
            cache::link(&file(model), &self.target.join(format!("models/{model}.onnx")))?;
        }
        Ok(if present { Outcome::Present } else { Outcome::Fetched })
    }

    fn onnx_tests(&self, pin: &OnnxTests, python: &PythonEnvironment) -> Result<Outcome> {
        let script = system::root().join(&pin.script);
        let text = fs::read_to_string(&script).with_context(|| format!("reading {}", script.display()))?;
        let (environment, requirements) = self.environment_of(python)?;
        let key = cache::hash_texts(["onnx-tests", &text, &requirements]);
        let entry = self.cache.entry(&key);
        let present = entry.is_dir();
        if !present {
            println!("  writing the suites of the onnx package");
            let folder = self.cache.scratch()?;
            let mut writer = Command::new(environment.join("bin/python"));
            let said = system::output(writer.arg(&script).arg(folder.path()));
            said.context("is the component `python` set up?")?.lines().for_each(|line| println!("  {line}"));
            self.cache.publish(folder.path(), &key)?;
        }
        cache::link(&entry, &self.target.join(&pin.component))?;
        Ok(if present { Outcome::Present } else { Outcome::Fetched })
    }

    fn libtorch(&self, pin: &LibTorch) -> Result<Outcome> {
        let entry = self.cache.entry(&libtorch::key(pin));
        let present = entry.is_dir();
        if !present {
            let python = system::python()?;
            libtorch::make(pin, &self.cache, &self.pip(&python)?)?;
        }
        cache::link(&entry, &self.target.join("libtorch"))?;
        Ok(if present { Outcome::Present } else { Outcome::Fetched })
    }
}
