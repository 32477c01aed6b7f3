//! Finds modules that name each other in a cycle. Only modules in the same folder are compared, each with all
//! modules below it: a module and its own submodules may name each other.

use std::collections::{BTreeMap, BTreeSet};

use super::source::code;
use super::{check, is_of_tests, sources};

/// The modules of the engine's `report` from the lowest layer to the highest, with one or more modules per
/// layer. Each module may name only modules in lower layers.
const REPORT_STEPS: [&[&str]; 9] = [
    &["model"],
    &["account"],
    &["paced", "waits", "resampled", "spin_tails", "activity"],
    &[
        "frame_loop",
        "sleep_accuracy",
        "spin_strategies",
        "scheduling_gaps",
        "real_time",
        "game_tick",
        "what_helps",
        "capture",
        "recording",
    ],
    &["evaluate"],
    &["glossary"],
    &["across"],
    &["document"],
    &["reference"],
];

/// Which modules of a folder name which: the key is the folder, the module, and the module that it names; the
/// value shows where.
type Edges = BTreeMap<(Path, String, String), String>;

/// The names on the way from the crate's root to a module or an item.
type Path = Vec<String>;

/// The modules, items, and paths in the file of a module.
#[derive(Default)]
struct Module {
    /// Names of the submodules that it declares.
    children: BTreeSet<String>,
    /// Names of the items that it defines.
    items: BTreeSet<String>,
    /// All paths that it names, as written.
    paths: BTreeSet<Path>,
    /// Names that it re-exports, each with the path to which it refers.
    exports: BTreeMap<String, Path>,
    /// Modules of which it re-exports all names.
    globs: Vec<Path>,
}

/// Splits code into tokens: words, `::`, and other single characters.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut was_word = false;
    for c in text.chars() {
        let is_word = c.is_alphanumeric() || c == '_';
        match tokens.last_mut() {
            Some(last) if is_word && was_word => last.push(c),
            Some(last) if c == ':' && last == ":" => last.push(c),
            _ if !c.is_whitespace() => tokens.push(c.to_string()),
            _ => {}
        }
        was_word = is_word;
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

impl Module {
    fn of(code: &str) -> Self {
        let tokens = tokens(code);
        let mut module = Self::default();
        let mut at = 0;
        while at < tokens.len() {
            let (token, next) =
                (tokens[at].as_str(), tokens.get(at + 1).map_or("", String::as_str));
            at += 1;
            match token {
                "use" => {
                    // `pub use` and `pub(super) use` re-export names.
                    let is_export = at >= 2 && ["pub", ")"].contains(&tokens[at - 2].as_str());
                    let end = at + tokens[at..].iter().position(|one| one == ";").unwrap_or(0);
                    module.add_uses(&tokens[at..end], &[], is_export);
                    at = end;
                }
                "mod" if tokens.get(at + 1).is_some_and(|one| one == ";") => {
                    module.children.insert(next.to_owned());
                }
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" => {
                    module.items.insert(next.to_owned());
                }
                _ if is_name(token) && next == "::" => {
                    let mut path = vec![token.to_owned()];
                    while tokens.get(at).is_some_and(|one| one == "::")
                        && tokens.get(at + 1).is_some_and(|one| is_name(one))
                    {
                        path.push(tokens[at + 1].clone());
                        at += 2;
                    }
                    module.paths.insert(path);
                }
                _ => {}
            }
        }
        module
    }

    /// Adds the paths in the tree of a `use` item; `before` is the path in front of the tree.
    fn add_uses(&mut self, tree: &[String], before: &[String], is_export: bool) {
        if let Some(open) = tree.iter().position(|one| one == "{") {
            let names = tree[..open].iter().filter(|one| *one != "::");
            let before: Path = before.iter().chain(names).cloned().collect();
            let inner = &tree[open + 1..tree.len() - 1];
            let (mut depth, mut begin) = (0, 0);
            for (at, token) in inner.iter().enumerate() {
                match token.as_str() {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    "," if depth == 0 => {
                        self.add_uses(&inner[begin..at], &before, is_export);
                        begin = at + 1;
                    }
                    _ => {}
                }
            }
            if begin < inner.len() {
                self.add_uses(&inner[begin..], &before, is_export);
            }
            return;
        }
        let alias = tree.iter().position(|one| one == "as");
        let names = tree[..alias.unwrap_or(tree.len())].iter().filter(|one| *one != "::");
        let mut path: Path = before.iter().chain(names).cloned().collect();
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        if is_export {
            match path.last().map(String::as_str) {
                Some("*") => self.globs.push(path[..path.len() - 1].to_vec()),
                Some(_) => {
                    let name = tree.last().filter(|one| *one != "self").or(path.last()).cloned();
                    self.exports.extend(name.map(|name| (name, path.clone())));
                }
                None => {}
            }
        }
        self.paths.insert(path);
    }
}

/// The modules of a crate, without those that only tests have.
struct Crate(BTreeMap<Path, Module>);

impl Crate {
    /// Creates the modules from files, each given by its path relative to `src` and its code.
    fn of(files: &[(String, String)]) -> Self {
        let mut modules: BTreeMap<Path, Module> = BTreeMap::new();
        for (name, code) in files {
            let path = name.trim_end_matches(".rs").split('/');
            let path = path.filter(|part| *part != "lib").map(str::to_owned).collect();
            modules.insert(path, Module::of(code));
        }
        // A file that no other file declares as a module is a program: remove it.
        let declared: BTreeSet<Path> = modules
            .iter()
            .flat_map(|(path, module)| {
                module
                    .children
                    .iter()
                    .map(|child| [path.as_slice(), std::slice::from_ref(child)].concat())
            })
            .collect();
        modules.retain(|path, _| path.is_empty() || declared.contains(path));
        Self(modules)
    }

    /// Returns the module that defines the item at `path`, which is written in the module `from`; `None` if
    /// the item is not in this crate.
    fn home(&self, from: &[String], path: &[String], depth: u32) -> Option<Path> {
        let (first, rest) = path.split_first()?;
        let (mut at, mut rest) = match first.as_str() {
            "crate" => (Path::new(), rest),
            "self" => (from.to_vec(), rest),
            "super" => (from[..from.len().saturating_sub(1)].to_vec(), rest),
            _ if self.0.get(from)?.children.contains(first) => (from.to_vec(), path),
            _ => return None,
        };
        while let Some((next, after)) = rest.split_first() {
            if next == "super" {
                at.pop();
            } else if self.0.get(&at)?.children.contains(next) {
                at.push(next.clone());
            } else {
                break;
            }
            rest = after;
        }
        let (Some(name), module) = (rest.first(), self.0.get(&at)?) else { return Some(at) };
        if depth == 0 {
            return Some(at);
        }
        if let Some(export) = module.exports.get(name) {
            return self.home(&at, export, depth - 1);
        }
        let mut globs = module.globs.iter().filter_map(|glob| self.home(&at, glob, depth - 1));
        let defines = |home: &Path| self.0.get(home).is_some_and(|one| one.items.contains(name));
        globs.find(defines).or(Some(at))
    }

    /// Returns which modules of the same folder name each other.
    fn edges(&self) -> Edges {
        let mut edges = Edges::new();
        for (from, module) in &self.0 {
            for path in &module.paths {
                let Some(to) = self.home(from, path, 8) else { continue };
                let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
                if let (Some(one), Some(other)) = (from.get(shared), to.get(shared)) {
                    let key = (from[..shared].to_vec(), one.clone(), other.clone());
                    let found = format!("{} names {}", from.join("/"), path.join("::"));
                    edges.entry(key).or_insert(found);
                }
            }
        }
        edges
    }

    /// Returns one line per name that is part of a cycle of modules.
    fn cycles(&self) -> Vec<String> {
        let edges = self.edges();
        let leads_back = |(folder, one, other): &(Path, String, String)| {
            let (mut seen, mut next) = (BTreeSet::new(), vec![other]);
            while let Some(at) = next.pop() {
                if at == one {
                    return true;
                }
                if seen.insert(at) {
                    let of_at = edges.keys().filter(|(f, from, _)| f == folder && from == at);
                    next.extend(of_at.map(|(_, _, to)| to));
                }
            }
            false
        };
        edges.iter().filter(|(edge, _)| leads_back(edge)).map(|(_, found)| found.clone()).collect()
    }

    /// Returns one line for each place in which a module of the folder `of` names a module that is not in a
    /// lower layer.
    fn rises(&self, of: &str, steps: &[&[&str]]) -> Vec<String> {
        let step = |name: &str| steps.iter().position(|step| step.contains(&name));
        let is_rise = |one: &str, other: &str| match (step(one), step(other)) {
            (Some(one), Some(other)) => one <= other,
            _ => true,
        };
        let edges = self.edges();
        let own = edges.iter().filter(|((folder, ..), _)| *folder == [of]);
        let rises = own.filter(|((_, one, other), _)| is_rise(one, other));
        rises.map(|(_, found)| found.clone()).collect()
    }
}

#[test]
fn no_modules_of_a_folder_name_each_other() {
    for below in ["engine/src", "app/src"] {
        check(&read(below).cycles());
    }
}

#[test]
fn a_module_of_reports_names_only_those_below_it() {
    check(&read("engine/src").rises("report", &REPORT_STEPS));
}

/// Reads the modules of the crate with its source files in this folder.
fn read(below: &str) -> Crate {
    let files: Vec<_> = sources(below)
        .into_iter()
        .filter(|file| !is_of_tests(&file.name))
        .map(|file| (file.name.replacen(&format!("{below}/"), "", 1), file.code))
        .collect();
    Crate::of(&files)
}

#[test]
fn a_cycle_is_found_through_what_a_folder_hands_on() {
    let file = |name: &str, text: &str| (name.to_owned(), code(text));
    let lib = file("lib.rs", "mod a;\nmod b;");
    let a = file("a.rs", "mod inner;\npub use inner::{One, Two as Three};\nuse super::b;");
    let inner = file("a/inner.rs", "pub struct One;\n#[cfg(test)]\nmod tests { use crate::b::B; }");
    let b = |text| file("b.rs", text);
    let of = |b| Crate::of(&[lib.clone(), a.clone(), inner.clone(), b]).cycles();
    assert_eq!(of(b("use std::io;")), Vec::<String>::new());
    assert_eq!(of(b("pub struct B;\n#[cfg(test)]\nuse crate::a::One;")), Vec::<String>::new());
    for text in ["use crate::a::{Three};", "fn f() { super::a::One; }", "use super::a;"] {
        assert_eq!(of(b(text)).len(), 2, "{text}");
    }
}

#[test]
fn a_module_that_names_one_above_it_is_found() {
    let file = |name: &str, text: &str| (name.to_owned(), code(text));
    let files = [
        file("lib.rs", "mod top;"),
        file("top.rs", "mod a;\nmod b;\npub use b::Two;"),
        file("top/a.rs", "use crate::top::Two;\npub struct One;"),
        file("top/b.rs", "pub struct Two;"),
    ];
    let rises = |steps: &[&[&str]]| Crate::of(&files).rises("top", steps).len();
    assert_eq!(rises(&[&["b"], &["a"]]), 0);
    assert_eq!(rises(&[&["a"], &["b"]]), 1);
    assert_eq!(rises(&[&["a", "b"]]), 1, "one step");
    assert_eq!(rises(&[&["a"]]), 1, "no step");
}
