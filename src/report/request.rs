//! Everything about one request (16).

use serde_json::{Map, Value, json};

use super::Section;
use super::body::BodyPart;
use super::messages::MessagePart;
use super::requests::request_line;
use crate::browser::network::{Header, Initiator, Request, Summary, Timing};

/// A hop that led to the request.
pub struct Hop {
    /// Its line; `None` if it is no longer kept.
    pub summary: Option<Summary>,
    /// Its number.
    pub id: u32,
    /// Its answer's headers.
    pub headers: Vec<Header>,
}

/// One request.
pub struct RequestDetails {
    /// The request itself.
    pub request: Request,
    /// As they are to be shown.
    pub request_headers: Vec<Header>,
    /// What was sent, if anything.
    pub request_body: Option<BodyPart>,
    /// As they are to be shown, if there is an answer.
    pub response_headers: Option<Vec<Header>>,
    /// What was received, if there is an answer that has a body.
    pub response_body: Option<BodyPart>,
    /// Of the received body as it is, in bytes.
    pub response_size: Option<usize>,
    /// Of a WebSocket or an event stream.
    pub messages: Option<MessagePart>,
    /// What led to it, the first hop first.
    pub hops: Vec<Hop>,
    /// Where it led.
    pub next: Option<Summary>,
    /// Who made it.
    pub initiator: Option<Initiator>,
    /// Whether bodies are marked as the page's.
    pub fenced: bool,
}

impl RequestDetails {
    /// The call that shows more of it, without the offset.
    fn more(&self) -> String {
        format!("get_network_request with reqid {}", self.request.id)
    }

    fn transfer(&self) -> Vec<String> {
        let request = &self.request;
        let mut kind = format!("Type: {}", request.resource_type());
        if let Some(response) = &request.response {
            kind.extend(response.protocol().filter(|p| !p.is_empty()).map(|protocol| format!(", {protocol}")));
            kind.extend(response.remote().map(|remote| format!(" from {remote}")));
            let source = response.source().or(request.from_memory_cache.then_some("memory cache"));
            kind.extend(source.map(|source| format!(", from the {source}")));
        }
        let mut lines = vec![kind];
        if let Some(response) = &request.response {
            let encoding = self.response_headers.iter().flatten().find(|(name, _)| name == "content-encoding");
            let mut parts = Vec::new();
            parts.extend(self.response_size.map(|size| format!("{size} bytes")));
            parts.extend(Some(response.mime().to_owned()).filter(|mime| !mime.is_empty()));
            parts.extend(encoding.map(|(_, encoding)| format!("encoded as {encoding}")));
            if request.transferred > 0.0 && response.remote().is_some() {
                parts.push(format!("{} bytes over the network", request.transferred));
            }
            if !parts.is_empty() {
                lines.push(format!("Content: {}", parts.join(", ")));
            }
        }
        lines.push(self.time());
        lines
    }

    fn time(&self) -> String {
        let request = &self.request;
        let mut text = format!("Time: {}", clock(request.wall_time));
        match request.ended.filter(|_| request.started > 0.0) {
            Some(ended) => text.push_str(&format!(", took {} ms", milliseconds((ended - request.started) * 1000.0))),
            None if request.is_open() => text.push_str(", still open"),
            None => {}
        }
        let phases = self.phases();
        if !phases.is_empty() {
            let phases: Vec<String> = phases.iter().map(|(name, ms)| format!("{name} {}", milliseconds(*ms))).collect();
            text.push_str(&format!(" ({})", phases.join(", ")));
        }
        text
    }

    /// Parts of the time in milliseconds, in their order, as DevTools names them.
    fn phases(&self) -> Vec<(&'static str, f64)> {
        let request = &self.request;
        let Some(timing) = request.response.as_ref().and_then(|response| response.timing()) else { return Vec::new() };
        let Timing { dns_start, dns_end, connect_start, connect_end, ssl_start, ssl_end, .. } = timing;
        let begun = [dns_start, connect_start, timing.send_start].into_iter().find(|at| *at >= 0.0).unwrap_or(0.0);
        let queued = (timing.request_time - request.started) * 1000.0;
        let received = request.ended.map(|ended| (ended - timing.request_time) * 1000.0 - timing.receive_headers_end);
        let parts = [
            ("queued", queued),
            ("stalled", begun),
            ("dns", dns_end - dns_start),
            ("connect", connect_end - connect_start),
            ("ssl", ssl_end - ssl_start),
            ("send", timing.send_end - timing.send_start),
            ("waiting", timing.receive_headers_end - timing.send_end),
            ("receiving", received.unwrap_or(0.0)),
        ];
        parts.into_iter().filter(|(_, ms)| *ms >= 0.05).collect()
    }

    fn failure(&self) -> Vec<String> {
        let Some(failed) = &self.request.failed else { return Vec::new() };
        let mut lines = vec![failed.short()];
        lines.extend(failed.reasons());
        let withheld = self.request.withheld_status();
        lines.extend(withheld.map(|status| format!("The server answered {status}; the page did not get it")));
        lines
    }
}

/// A time of the day in UTC.
pub fn clock(seconds_since_1970: f64) -> String {
    let milliseconds = (seconds_since_1970.max(0.0) * 1000.0).round() as u64;
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    format!("{:02}:{:02}:{:02}.{rest:03} UTC", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
}

fn milliseconds(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

fn header_lines(headers: &[Header]) -> impl Iterator<Item = String> {
    headers.iter().map(|(name, value)| format!("- {name}:{value}"))
}

fn header_map(headers: &[Header]) -> Value {
    headers.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect::<Map<_, _>>().into()
}

impl Section for RequestDetails {
    fn order(&self) -> u8 {
        16
    }

    fn text(&self) -> String {
        let mut lines = vec![format!("## Request {}", self.request.url), format!("Status: {}", self.request.status())];
        let mut block = |title: &str, content: Vec<String>| {
            lines.push(format!("### {title}"));
            lines.extend(content);
        };
        let more = self.more();
        let body = |part: &BodyPart| vec![part.text(&more, self.fenced)];
        block("Request Headers", header_lines(&self.request_headers).collect());
        if let Some(part) = &self.request_body {
            block("Request Body", body(part));
        }
        if let Some(headers) = &self.response_headers {
            block("Response Headers", header_lines(headers).collect());
        }
        if let Some(part) = &self.response_body {
            block("Response Body", body(part));
        }
        if self.request.failed.is_some() {
            block("Request failed with", self.failure());
        }
        if !self.hops.is_empty() {
            let mut content = Vec::new();
            for hop in &self.hops {
                content.push(
                    hop.summary.as_ref().map_or_else(|| format!("reqid={} (no longer kept)", hop.id), request_line),
                );
                let told = hop.headers.iter().filter(|(name, _)| name == "location" || name == "set-cookie");
                content.extend(told.map(|(name, value)| format!("  {name}:{}", value.replace('\n', "\n  "))));
            }
            block("Redirect chain", content);
        }
        if let Some(next) = &self.next {
            block("Redirected to", vec![request_line(next)]);
        }
        if let Some(messages) = self.messages.as_ref().filter(|_| self.request.response.is_some()) {
            let text = messages.lines(&more).join("\n");
            block("Messages", vec![if self.fenced { super::fence::fenced(&text) } else { text }]);
        }
        block("Transfer", self.transfer());
        if let Some(Initiator { kind, lines }) = &self.initiator {
            block("Initiator", std::iter::once(kind).chain(lines).cloned().collect());
        }
        lines.join("\n")
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        let Summary { id, method, url, status, by } = self.request.summary();
        let mut entry = Map::new();
        entry.insert("requestId".into(), id.into());
        entry.insert("method".into(), method.into());
        entry.insert("url".into(), url.into());
        entry.insert("status".into(), status.into());
        entry.insert("requestHeaders".into(), header_map(&self.request_headers));
        if let Some(by) = by {
            entry.insert("by".into(), by.into());
        }
        if let Some(part) = &self.request_body {
            part.structured("request", &mut entry);
        }
        if let Some(headers) = &self.response_headers {
            entry.insert("responseHeaders".into(), header_map(headers));
        }
        if let Some(part) = &self.response_body {
            part.structured("response", &mut entry);
        }
        if let Some(failed) = &self.request.failed {
            entry.insert("failure".into(), failed.short().into());
            entry.insert("failureReasons".into(), self.failure()[1..].to_vec().into());
        }
        if !self.hops.is_empty() {
            let hop = |hop: &Hop| {
                let mut value = match &hop.summary {
                    Some(Summary { id, method, url, status, .. }) => {
                        json!({"requestId": id, "method": method, "url": url, "status": status})
                    }
                    None => json!({"requestId": hop.id}),
                };
                value["responseHeaders"] = header_map(&hop.headers);
                value
            };
            entry.insert("redirectChain".into(), self.hops.iter().map(hop).collect());
        }
        if let Some(next) = &self.next {
            entry.insert("redirectedTo".into(), next.id.into());
        }
        if let Some(messages) = &self.messages {
            entry.insert("messages".into(), messages.json());
        }
        let mut transfer = json!({
            "resourceType": self.request.resource_type(), "startedAt": self.request.wall_time,
            "isOpen": self.request.is_open(), "encodedBytes": self.request.transferred,
            "phases": self.phases().into_iter().map(|(name, ms)| (name.to_owned(), ms.into())).collect::<Map<_, _>>(),
        });
        if let Some(size) = self.response_size {
            transfer["bytes"] = size.into();
        }
        entry.insert("transfer".into(), transfer);
        if let Some(initiator) = &self.initiator {
            entry.insert("initiator".into(), initiator.json());
        }
        content.insert("networkRequest".into(), entry.into());
    }
}
