//! Writing files whole or not at all, and streams such that nothing is lost unnoticed.

use std::io::{Error, ErrorKind, Write};
use std::path::Path;

/// A stream that remembers what first went wrong with it: a listing that does not arrive is reported at the end, wherever
/// it was written.
pub struct Watched<W> {
    to: W,
    failed: Option<Error>,
}

impl<W: Write> Watched<W> {
    /// A stream to which nothing was written yet.
    pub fn new(to: W) -> Watched<W> {
        Watched { to, failed: None }
    }

    /// Sends what waits. What went wrong, now or before; who stops reading has seen enough, and that is no error.
    pub fn finish(mut self) -> Option<Error> {
        let _ = self.flush();
        self.failed.filter(|error| error.kind() != ErrorKind::BrokenPipe)
    }

    fn noted<T>(&mut self, done: std::io::Result<T>) -> std::io::Result<T> {
        if let Err(error) = &done
            && error.kind() != ErrorKind::Interrupted
            && self.failed.is_none()
        {
            self.failed = Some(match error.raw_os_error() {
                Some(number) => Error::from_raw_os_error(number),
                None => Error::new(error.kind(), error.to_string()),
            });
        }
        done
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let done = self.to.write(bytes);
        self.noted(done)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let done = self.to.flush();
        self.noted(done)
    }
}

/// Writes a file: next to its place first, and then in one step into it. `write` is given where the bytes go.
pub fn write_file(name: &str, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> std::io::Result<()> {
    // Where a link leads to: the link itself stays.
    let target = std::fs::canonicalize(name);
    let path = target.as_deref().unwrap_or(Path::new(name));
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // What is no plain file (a pipe, /dev/null) is not replaced.
    if path.metadata().is_ok_and(|meta| !meta.is_file()) {
        return write(&mut std::fs::OpenOptions::new().write(true).open(path)?);
    }
    let mut file =
        tempfile::Builder::new().prefix(".dlc-").permissions(permissions(path)).tempfile_in(dir).map_err(plain)?;
    write(&mut file).map_err(plain)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// An error without the name of the file next to the one that is wanted, which says nothing to who asked.
fn plain(error: std::io::Error) -> std::io::Error {
    match error.to_string().split_once(" at path ") {
        Some((why, _)) => std::io::Error::new(error.kind(), why),
        None => error,
    }
}

/// The permissions of a file that exists, or those of a new one.
fn permissions(path: &Path) -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().map_or_else(|_| std::fs::Permissions::from_mode(0o666), |meta| meta.permissions())
}

#[cfg(test)]
mod tests {
    use super::write_file;

    /// The file that is written to until all is there is no business of the user.
    #[test]
    fn an_error_does_not_name_the_file_in_between() {
        let dir = tempfile::tempdir().expect("a directory");
        let name = dir.path().join("new");
        let full = |_: &mut dyn std::io::Write| Err(std::io::Error::other("no space left at path \"/.dlc-1\""));
        let error = write_file(name.to_str().expect("a name"), full).expect_err("it cannot be written");
        assert_eq!(error.to_string(), "no space left");
        assert!(!name.exists());
    }

    /// The link stays, and what it leads to is written.
    #[test]
    fn a_link_is_written_through() {
        let dir = tempfile::tempdir().expect("a directory");
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        std::fs::write(&real, "old").expect("a file");
        std::os::unix::fs::symlink("real", &link).expect("a link");
        write_file(link.to_str().expect("a name"), |file| file.write_all(b"new")).expect("it is written");
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&real).expect("a file"), "new");
    }
}
