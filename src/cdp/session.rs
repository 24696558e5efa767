//! A flat session: calls and events of one target.

use std::sync::Arc;
use std::time::Duration;

use chromiumoxide_types::Command;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::connection::{Connection, DEFAULT_TIMEOUT};
use super::error::CdpError;
use super::mailbox::Subscription;
use super::message::decode;

/// Events that may wait for a subscriber of a session.
const EVENTS: usize = 1024;

/// One session; `id` is `None` for the browser's own.
#[derive(Clone)]
pub struct Session {
    connection: Arc<Connection>,
    id: Option<String>,
}

impl Session {
    /// The browser's own session.
    pub fn browser(connection: Arc<Connection>) -> Self {
        Session { connection, id: None }
    }

    /// A target's session on the same connection.
    pub fn with_id(&self, id: impl Into<String>) -> Self {
        Session { connection: self.connection.clone(), id: Some(id.into()) }
    }

    /// Its id; `None` for the browser's own.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The connection below.
    pub fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// Sends a command of the vocabulary and decodes its answer.
    pub async fn send<C: Command>(&self, command: C) -> Result<C::Response, CdpError> {
        let method = command.identifier();
        self.call(&method, command).await
    }

    /// Calls a method by name.
    pub async fn call<T: DeserializeOwned>(&self, method: &str, params: impl Serialize) -> Result<T, CdpError> {
        self.call_within(method, params, DEFAULT_TIMEOUT).await
    }

    /// Calls a method by name, waiting at most `timeout`.
    pub async fn call_within<T: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
        timeout: Duration,
    ) -> Result<T, CdpError> {
        let result = self.connection.call(self.id.as_deref(), method, params, timeout).await?;
        decode(result.get()).map_err(|e| CdpError::Shape { method: method.into(), why: e.to_string() })
    }

    /// Calls a method by name; the answer with its place, to be compared with [`super::Event::place`].
    pub async fn call_placed<T: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
    ) -> Result<(T, u64), CdpError> {
        let (result, place) = self.connection.call_placed(self.id.as_deref(), method, params).await?;
        let value = decode(result.get()).map_err(|e| CdpError::Shape { method: method.into(), why: e.to_string() })?;
        Ok((value, place))
    }

    /// Sends a call whose answer nobody needs, in its place in the order of calls.
    pub fn post(&self, method: &str, params: impl Serialize) {
        self.connection.post(self.id.as_deref(), method, params);
    }

    /// Tells this session's subscribers what the browser does not tell, as if it had come now.
    pub fn announce(&self, method: &str, params: &impl Serialize) {
        self.connection.announce(self.id.as_deref(), method, params);
    }

    /// Subscribes to this session's events of these methods.
    pub fn subscribe(&self, methods: &'static [&'static str]) -> Subscription {
        self.connection.subscribe(self.id.as_deref(), methods, EVENTS)
    }

    /// Subscribes to this session's bulk data: nothing is lost, at most `bytes` wait.
    pub fn subscribe_bulk(&self, methods: &'static [&'static str], bytes: usize) -> Subscription {
        self.connection.subscribe_bulk(self.id.as_deref(), methods, bytes)
    }
}
