//! The results of an experiment: named files, in order of their names.

use std::collections::BTreeMap;

use serde::Serialize;

/// Result files by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files(pub BTreeMap<String, Vec<u8>>);

impl Files {
    /// Adds a table: a header from the field names of its rows, and a line each.
    ///
    /// # Panics
    /// Where a row is no flat record: a bug of the caller.
    pub fn csv<T: Serialize>(&mut self, name: &str, rows: &[T]) {
        let mut out = csv::Writer::from_writer(Vec::new());
        for row in rows {
            out.serialize(row).expect("rows are flat records");
        }
        let bytes = out.into_inner().expect("a vector takes all bytes");
        self.0.insert(name.to_owned(), bytes);
    }

    /// Adds a value as JSON.
    ///
    /// # Panics
    /// Where a map has keys that are no strings: a bug of the caller.
    pub fn json<T: Serialize>(&mut self, name: &str, value: &T) {
        let mut bytes = serde_json::to_vec_pretty(value).expect("results have string keys");
        bytes.push(b'\n');
        self.0.insert(name.to_owned(), bytes);
    }

    /// Adds a text.
    pub fn text(&mut self, name: &str, text: String) {
        self.0.insert(name.to_owned(), text.into_bytes());
    }
}
