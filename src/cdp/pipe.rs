//! `--remote-debugging-pipe`: NUL-terminated JSON on two pipes (fds 3 and 4 of the browser).
//!
//! No port is opened, nobody else can connect, and the browser ends by itself when our ends close.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

use super::transport::{BoxFuture, Reader, Writer};

/// Longest message that is read; the original's limit for its connections.
const MAX_MESSAGE: usize = 256 * 1024 * 1024;

/// Sends to the browser.
pub struct PipeWriter<W>(W);

/// Receives from the browser.
pub struct PipeReader<R> {
    input: BufReader<R>,
    message: Vec<u8>,
}

/// Makes the two halves.
pub fn pair<R, W>(input: R, output: W) -> (PipeReader<R>, PipeWriter<W>)
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    (PipeReader { input: BufReader::with_capacity(256 * 1024, input), message: Vec::new() }, PipeWriter(output))
}

impl<W: AsyncWrite + Unpin + Send + 'static> Writer for PipeWriter<W> {
    fn send<'a>(&'a mut self, message: &'a [u8]) -> BoxFuture<'a, io::Result<()>> {
        Box::pin(async move {
            self.0.write_all(message).await?;
            self.0.write_all(&[0]).await?;
            self.0.flush().await
        })
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> Reader for PipeReader<R> {
    fn receive(&mut self) -> BoxFuture<'_, io::Result<Option<Vec<u8>>>> {
        Box::pin(async move {
            loop {
                let available = self.input.fill_buf().await?;
                if available.is_empty() {
                    return Ok(None);
                }
                let end = memchr::memchr(0, available);
                let count = end.map_or(available.len(), |e| e + 1);
                self.message.extend_from_slice(&available[..end.unwrap_or(count)]);
                self.input.consume(count);
                if self.message.len() > MAX_MESSAGE {
                    return Err(io::Error::other(format!(
                        "the browser sent a message of more than {MAX_MESSAGE} bytes"
                    )));
                }
                if end.is_some() {
                    return Ok(Some(std::mem::take(&mut self.message)));
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn messages_survive_any_fragmentation() {
        let (near, mut far) = tokio::io::duplex(7);
        let (input, output) = tokio::io::split(near);
        let (mut reader, mut writer) = pair(input, output);
        let sender = tokio::spawn(async move {
            for part in ["{\"id\":1}\0{\"me", "thod\":\"größe\"}", "\0\0tail"] {
                far.write_all(part.as_bytes()).await.unwrap();
            }
            far
        });
        assert_eq!(reader.receive().await.unwrap().unwrap(), b"{\"id\":1}");
        assert_eq!(reader.receive().await.unwrap().unwrap(), "{\"method\":\"größe\"}".as_bytes());
        assert_eq!(reader.receive().await.unwrap().unwrap(), b"");
        let mut far = sender.await.unwrap();
        let (sent, echo) = tokio::join!(writer.send(b"{}"), async {
            let mut bytes = [0; 3];
            tokio::io::AsyncReadExt::read_exact(&mut far, &mut bytes).await.map(|_| bytes)
        });
        sent.unwrap();
        assert_eq!(&echo.unwrap(), b"{}\0");
        drop(far);
        assert!(reader.receive().await.unwrap().is_none());
    }
}
