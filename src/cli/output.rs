//! Standard output belongs to data: the MCP protocol, or what a command was asked for.
//!
//! It is duplicated at start and fd 1 is pointed at stderr, so that nothing that JavaScript, V8 or a library prints can
//! get in between. Everything that is meant for stdout goes through here.

use std::fs::File;
use std::io::Write;
use std::process::ExitCode;

/// Takes standard output away from everybody else.
#[cfg(unix)]
pub fn claim() -> std::io::Result<File> {
    use std::os::fd::{AsFd, AsRawFd};
    let output = std::io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both descriptors are open; dup2 has no memory preconditions.
    if unsafe { libc::dup2(std::io::stderr().as_raw_fd(), 1) } < 0 {
        return Err(std::io::Error::last_os_error());
    }
    Ok(File::from(output))
}

/// Takes standard output away from everybody else.
#[cfg(windows)]
pub fn claim() -> std::io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(std::io::stdout().as_handle().try_clone_to_owned()?))
}

/// Columns of the terminal that data goes to; 80 where it is none or does not tell.
pub fn width(output: &File) -> usize {
    const USUAL: usize = 80;
    #[cfg(unix)]
    {
        use std::os::fd::AsRawFd;
        // SAFETY: an all-zero winsize is valid; ioctl writes only into it and fails for what is no terminal.
        let mut size: libc::winsize = unsafe { std::mem::zeroed() };
        let known = unsafe { libc::ioctl(output.as_raw_fd(), libc::TIOCGWINSZ, &raw mut size) } == 0;
        if known && size.ws_col > 0 {
            return size.ws_col.into();
        }
    }
    let _ = output;
    USUAL
}

/// Writes data with a final line break. A reader that has gone is not an error.
pub fn print(mut output: &File, text: &str) -> ExitCode {
    match writeln!(output, "{}", text.trim_end_matches('\n')).and_then(|()| output.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("error: cannot write to standard output: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
