//! Reads a saved run, and prints its tables and warnings. They are computed from the samples in the file.
//!
//! `cargo run --release -p jitterscope-engine --example read_run -- RUN.jitterscope.json`

use std::error::Error;
use std::io::{self, Write as _};
use std::path::Path;

use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::store;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("expected the path of a run file")?;
    let run = store::load(Path::new(&path))?;
    let mut out = io::stdout();
    writeln!(
        out,
        "{}, {}, {} samples",
        run.subject.name(),
        run.machine_name(),
        run.sample_count()
    )?;

    let report = Report::of(&run, &Options::default());
    writeln!(out, "{}: {}", report.word(), report.sentence())?;
    for table in &report.tables {
        writeln!(out, "\n{}", table.title)?;
        for row in &table.rows {
            // A column has a key that never changes, a title, and a definition; a cell is typed.
            for (column, text) in table.columns.iter().zip(table.texts(row)) {
                writeln!(out, "  {}: {text}", column.title)?;
            }
        }
    }
    for caution in &report.cautions {
        writeln!(out, "warning: {caution}")?;
    }
    Ok(())
}
