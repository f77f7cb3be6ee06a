//! Arrays by name in a ZIP archive, as `numpy.savez` and `numpy.savez_compressed` write them.

use std::fs::File;
use std::io::{BufReader, Cursor, Write};

use npyz::npz::{array_name_from_file_name, file_name_from_array_name};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::{Array, npy};

/// An archive that is open.
#[derive(Debug)]
pub struct Archive(ZipArchive<BufReader<File>>);

impl Archive {
    /// Reads what is in the archive.
    pub fn open(file: BufReader<File>) -> Result<Archive, String> {
        let archive = ZipArchive::new(file).map_err(|error| error.to_string())?;
        match archive.has_duplicate_names() {
            true => Err("it holds two arrays of one name".into()),
            false => Ok(Archive(archive)),
        }
    }

    /// The names of the arrays.
    pub fn names(&self) -> Vec<String> {
        let names = self.0.file_names().filter_map(Result::ok);
        names.filter_map(|name| Some(array_name_from_file_name(&name)?.to_string())).collect()
    }

    /// The array of a name, if it has no more than `limit` bytes: no more are inflated.
    pub fn get(&mut self, name: &str, limit: u64) -> Result<Array, String> {
        let entry = self.0.by_name(&file_name_from_array_name(name)).map_err(|error| error.to_string())?;
        let size = entry.size();
        npy::read(entry, size, limit)
    }
}

/// Writes arrays, uncompressed as `numpy.savez` does.
pub fn write(arrays: &[(String, Array)], to: &mut dyn Write) -> std::io::Result<()> {
    // The archive goes back to write sizes, which what is after `to` may not allow.
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, array) in arrays {
        let large = array.bytes.len() >= 1 << 31;
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(large);
        zip.start_file(file_name_from_array_name(name), options)?;
        npy::write(array, &mut zip)?;
    }
    to.write_all(zip.finish()?.get_ref())
}
