//! Writes rows into a Parquet file, one complete row group after another.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use jitterscope_engine::export::dataset::{Field, Kind, Row, SampleRow, Value};
use jitterscope_engine::store::{AtPath, NewFile, SaveError};
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

/// Rows per row group. Query engines scan whole row groups, and the writer holds one row group in
/// memory.
const GROUP_ROWS: usize = 1 << 19;
/// Number of values passed to the encoder per call.
const PIECE: usize = 1 << 14;

/// The values of a column in the current row group, without absent ones: for an absent value, only
/// the definition level 0 is written, which is Parquet's mark of a missing value.
#[derive(Debug)]
enum Values {
    /// Indexes into the list of distinct texts.
    Text(Vec<u32>),
    Whole(Vec<i64>),
    Number(Vec<f64>),
}

#[derive(Debug)]
struct ColumnValues {
    levels: Vec<i16>,
    values: Values,
}

/// The distinct texts of the current row group.
#[derive(Debug, Default)]
struct Texts {
    known: HashMap<String, u32>,
    all: Vec<ByteArray>,
}

impl Texts {
    fn position(&mut self, text: &str) -> u32 {
        if let Some(at) = self.known.get(text) {
            return *at;
        }
        let at = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.all.push(ByteArray::from(text));
        self.known.insert(text.to_owned(), at);
        at
    }
}

/// A Parquet file that is being written.
pub(super) struct FileWriter {
    path: PathBuf,
    writer: SerializedFileWriter<NewFile>,
    positions: HashMap<String, usize>,
    columns: Vec<ColumnValues>,
    texts: Texts,
    row_count: usize,
}

impl FileWriter {
    /// Creates a file with these columns.
    pub(super) fn create(path: PathBuf, fields: &[Field]) -> Result<Self, SaveError> {
        let file = NewFile::create(path.clone())?;
        let writer = open(file, fields).map_err(|error| failed(&path, error))?;
        let positions = fields.iter().zip(0..).map(|(field, at)| (field.key.to_string(), at));
        let columns = fields.iter().map(|field| ColumnValues {
            levels: Vec::new(),
            values: match field.kind {
                Kind::Text => Values::Text(Vec::new()),
                Kind::Whole | Kind::Instant => Values::Whole(Vec::new()),
                Kind::Number => Values::Number(Vec::new()),
            },
        });
        Ok(Self {
            path,
            writer,
            positions: positions.collect(),
            columns: columns.collect(),
            texts: Texts::default(),
            row_count: 0,
        })
    }

    /// Adds a row. The key of each cell selects its column.
    pub(super) fn add(&mut self, row: &Row) -> Result<(), SaveError> {
        for column in &mut self.columns {
            column.levels.push(0);
        }
        for (field, value) in row.cells() {
            let Some(column) = self.positions.get(field.key.as_ref()) else { continue };
            let Some(column) = self.columns.get_mut(*column) else { continue };
            let is_set = match (&mut column.values, value) {
                (Values::Text(all), Value::Text(text)) => {
                    all.push(self.texts.position(text));
                    true
                }
                (Values::Whole(all), Value::Whole(whole)) => {
                    all.push(*whole);
                    true
                }
                (Values::Number(all), Value::Number(number)) => {
                    all.push(*number);
                    true
                }
                _ => false,
            };
            if let Some(level) = column.levels.last_mut() {
                *level = i16::from(is_set);
            }
        }
        self.count_row()
    }

    /// Adds a sample as a row: its texts, then its numbers, in the order of the columns.
    pub(super) fn add_sample(&mut self, row: &SampleRow<'_>) -> Result<(), SaveError> {
        let texts = row.texts.iter().map(|text| (Some(*text), None));
        let cells = texts.chain(row.numbers.iter().map(|number| (None, *number)));
        for (column, (text, number)) in self.columns.iter_mut().zip(cells) {
            match (&mut column.values, text, number) {
                (Values::Text(all), Some(text), _) => all.push(self.texts.position(text)),
                (Values::Whole(all), _, Some(number)) => all.push(number),
                _ => {
                    column.levels.push(0);
                    continue;
                }
            }
            column.levels.push(1);
        }
        self.count_row()
    }

    fn count_row(&mut self) -> Result<(), SaveError> {
        self.row_count += 1;
        if self.row_count < GROUP_ROWS { Ok(()) } else { self.end_group() }
    }

    fn end_group(&mut self) -> Result<(), SaveError> {
        let Self { path, writer, columns, texts, row_count, .. } = self;
        if *row_count == 0 {
            return Ok(());
        }
        let written = writer.next_row_group().and_then(|mut group| {
            for column in columns.iter_mut() {
                write_column(&mut group, column, &texts.all)?;
            }
            group.close().map(|_| ())
        });
        *texts = Texts::default();
        *row_count = 0;
        written.map_err(|error| failed(path, error))
    }

    /// Completes the file and renames it to its final name.
    pub(super) fn publish(mut self) -> Result<PathBuf, SaveError> {
        self.end_group()?;
        let Self { path, writer, .. } = self;
        writer.into_inner().map_err(|error| failed(&path, error))?.publish()
    }
}

fn open(file: NewFile, fields: &[Field]) -> Result<SerializedFileWriter<NewFile>, ParquetError> {
    let mut schema = String::from("message schema {");
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("jitterscope ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Chunk);
    for Field { key, kind, .. } in fields {
        let (of, named) = match kind {
            Kind::Text => ("BYTE_ARRAY", " (STRING)"),
            Kind::Whole => ("INT64", ""),
            Kind::Number => ("DOUBLE", ""),
            Kind::Instant => ("INT64", " (TIMESTAMP(MICROS,true))"),
        };
        schema.push_str(&format!(" OPTIONAL {of} {key}{named};"));
        if of == "INT64" {
            let path = ColumnPath::from(key.as_ref());
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
        }
    }
    schema.push_str(" }");
    let schema = Arc::new(parse_message_type(&schema)?);
    SerializedFileWriter::new(file, schema, Arc::new(properties.build()))
}

/// Writes the next column of a row group, and clears the column in memory.
fn write_column(
    group: &mut SerializedRowGroupWriter<'_, NewFile>,
    column: &mut ColumnValues,
    texts: &[ByteArray],
) -> Result<(), ParquetError> {
    let levels = std::mem::take(&mut column.levels);
    match &mut column.values {
        Values::Text(all) => {
            let of = |at: &u32| texts.get(usize::try_from(*at).ok()?).cloned();
            write_values::<ByteArrayType, _>(group, &levels, all, |piece| {
                piece.iter().filter_map(of).collect::<Vec<_>>()
            })?;
            all.clear();
        }
        Values::Whole(all) => {
            write_values::<Int64Type, _>(group, &levels, all, <[i64]>::to_vec)?;
            all.clear();
        }
        Values::Number(all) => {
            write_values::<DoubleType, _>(group, &levels, all, <[f64]>::to_vec)?;
            all.clear();
        }
    }
    Ok(())
}

fn write_values<T: DataType, V>(
    group: &mut SerializedRowGroupWriter<'_, NewFile>,
    levels: &[i16],
    mut values: &[V],
    of: impl Fn(&[V]) -> Vec<T::T>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    for levels in levels.chunks(PIECE) {
        let count = levels.iter().filter(|level| **level == 1).count();
        let (piece, rest) = values.split_at_checked(count).unwrap_or((values, &[]));
        values = rest;
        column.typed::<T>().write_batch(&of(piece), Some(levels), None)?;
    }
    column.close()
}

fn failed(path: &std::path::Path, error: ParquetError) -> SaveError {
    let source = match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    };
    SaveError::Output(AtPath::new(source, path))
}
