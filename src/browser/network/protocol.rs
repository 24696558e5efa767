//! The network events as Chrome sends them, decoded leniently; headers and initiators stay raw until somebody asks.

use serde::Deserialize;
use serde_json::value::RawValue;

/// `Network.requestWillBeSent`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WillBeSent {
    pub request_id: String,
    pub loader_id: Option<String>,
    pub request: SentRequest,
    pub timestamp: f64,
    pub wall_time: f64,
    pub initiator: Option<Box<RawValue>>,
    pub redirect_response: Option<Received>,
    #[serde(default)]
    pub redirect_has_extra_info: bool,
    pub r#type: Option<String>,
    pub frame_id: Option<String>,
}

/// `Network.Request`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SentRequest {
    pub url: String,
    pub url_fragment: Option<String>,
    pub method: String,
    pub headers: Box<RawValue>,
    #[serde(default)]
    pub has_post_data: bool,
    #[serde(default)]
    pub post_data_entries: Vec<PostDataEntry>,
}

/// A part of a sent body; one from a file or blob has no bytes.
#[derive(Deserialize)]
pub(super) struct PostDataEntry {
    pub bytes: Option<String>,
}

/// `Network.Response`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Received {
    pub status: i64,
    #[serde(default)]
    pub status_text: String,
    pub headers: Box<RawValue>,
    #[serde(default)]
    pub mime_type: String,
    #[serde(default)]
    pub charset: String,
    pub protocol: Option<String>,
    #[serde(rename = "remoteIPAddress")]
    pub remote_ip: Option<String>,
    pub remote_port: Option<u32>,
    #[serde(default)]
    pub from_disk_cache: bool,
    #[serde(default)]
    pub from_service_worker: bool,
    #[serde(default)]
    pub from_prefetch_cache: bool,
    pub timing: Option<Timing>,
    /// Only of WebSockets.
    pub request_headers: Option<Box<RawValue>>,
}

/// `Network.ResourceTiming`: seconds for the first, then milliseconds after it, negative where there was no such phase.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "the protocol's names")]
pub struct Timing {
    pub request_time: f64,
    pub dns_start: f64,
    pub dns_end: f64,
    pub connect_start: f64,
    pub connect_end: f64,
    pub ssl_start: f64,
    pub ssl_end: f64,
    pub send_start: f64,
    pub send_end: f64,
    pub receive_headers_end: f64,
}

/// `Network.requestWillBeSentExtraInfo` and `Network.responseReceivedExtraInfo`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExtraInfo {
    pub headers: Box<RawValue>,
    pub status_code: Option<i64>,
}

/// `Network.responseReceived`; the two WebSocket handshake events have some of the same fields.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResponseReceived {
    pub response: Received,
    pub r#type: Option<String>,
    #[serde(default)]
    pub has_extra_info: bool,
}

/// `Network.loadingFinished`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Finished {
    pub timestamp: f64,
    #[serde(default)]
    pub encoded_data_length: f64,
}

/// `Network.loadingFailed`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LoadingFailed {
    pub timestamp: f64,
    #[serde(default)]
    pub error_text: String,
    #[serde(default)]
    pub canceled: bool,
    pub blocked_reason: Option<String>,
    pub cors_error_status: Option<CorsError>,
}

/// `Network.CorsErrorStatus`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CorsError {
    pub cors_error: String,
    #[serde(default)]
    pub failed_parameter: String,
}

/// `Network.webSocketCreated`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SocketCreated {
    pub request_id: String,
    pub url: String,
    pub initiator: Option<Box<RawValue>>,
}

/// `Network.webSocketWillSendHandshakeRequest`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Handshake {
    pub timestamp: f64,
    pub wall_time: f64,
    pub request: HandshakeRequest,
}

/// Its request.
#[derive(Deserialize)]
pub(super) struct HandshakeRequest {
    pub headers: Box<RawValue>,
}

/// `Network.webSocketFrameSent` and `…Received`.
#[derive(Deserialize)]
pub(super) struct SocketFrame {
    pub timestamp: f64,
    pub response: FramePayload,
}

/// Their payload: text for opcode 1, base64 for the others.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FramePayload {
    pub opcode: f64,
    pub payload_data: String,
}

/// `Network.webSocketFrameError`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SocketError {
    pub error_message: String,
}

/// `Network.eventSourceMessageReceived`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StreamMessage {
    pub timestamp: f64,
    pub event_name: String,
    pub event_id: String,
    pub data: String,
}

/// Events that only say when.
#[derive(Deserialize)]
pub(super) struct At {
    pub timestamp: f64,
}

/// What an event is about.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct About {
    pub request_id: String,
}

impl Received {
    /// Bytes that the answer says it has; 0 if it does not say.
    pub fn announced_length(&self) -> u64 {
        let headers: std::collections::HashMap<String, String> =
            crate::cdp::decode(self.headers.get()).unwrap_or_default();
        let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        length.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(0)
    }
}
