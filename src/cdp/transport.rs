//! What a transport is: whole messages out, whole messages in.

use std::future::Future;
use std::io;
use std::pin::Pin;

/// A boxed future, as the traits below return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The sending half.
pub trait Writer: Send + 'static {
    /// Sends one message (JSON in UTF-8, without framing).
    fn send<'a>(&'a mut self, message: &'a [u8]) -> BoxFuture<'a, io::Result<()>>;

    /// Says goodbye where the transport has a word for it. Nothing is sent afterwards.
    fn finish(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}

/// The receiving half.
pub trait Reader: Send + 'static {
    /// The next message; `None` when the browser has ended the connection.
    fn receive(&mut self) -> BoxFuture<'_, io::Result<Option<Vec<u8>>>>;
}
