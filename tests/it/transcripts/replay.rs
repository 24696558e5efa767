//! Plays the browser's side of a recording.
//!
//! What Chrome said comes in its order, and nothing before all calls that came before it have been made (by their session
//! and method; with the same parameters if possible). A call that is not in the recording is answered with an empty object. A call of the recording that is
//! never made stops the play; the panic names it.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use devtools_mcp::cdp::Connection;
use devtools_mcp::cdp::transport::{BoxFuture, Reader, Writer};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::Play;

/// How long the next call of the recording is waited for.
const STALLED: Duration = Duration::from_secs(15);

struct ToBrowser(UnboundedSender<Value>);
struct FromBrowser(UnboundedReceiver<Vec<u8>>);

impl Writer for ToBrowser {
    fn send<'a>(&'a mut self, message: &'a [u8]) -> BoxFuture<'a, std::io::Result<()>> {
        let sent = self.0.send(serde_json::from_slice(message).unwrap());
        Box::pin(async move { sent.map_err(std::io::Error::other) })
    }
}

impl Reader for FromBrowser {
    fn receive(&mut self) -> BoxFuture<'_, std::io::Result<Option<Vec<u8>>>> {
        Box::pin(async { Ok(self.0.recv().await) })
    }
}

/// A call of the recording.
struct Call {
    id: u64,
    session: Option<String>,
    method: String,
    params: Value,
    /// Id of the call that was made instead.
    made: Option<u64>,
    answered: bool,
}

enum Line {
    Out(usize),
    In(Value),
}

struct Player {
    play: Play,
    lines: Vec<Line>,
    at: usize,
    calls: Vec<Call>,
    output: UnboundedSender<Vec<u8>>,
    /// Sessions that say nothing.
    silent: HashSet<String>,
    /// Targets that were attached to.
    attached: usize,
}

/// A connection to the recording.
pub fn start(file: &Path, play: Play) -> Arc<Connection> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let (mut lines, mut calls) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let mut message = line["out"].take();
        if message.is_null() {
            lines.push(Line::In(line["in"].take()));
            continue;
        }
        lines.push(Line::Out(calls.len()));
        calls.push(Call {
            id: message["id"].as_u64().unwrap(),
            session: message["sessionId"].as_str().map(str::to_owned),
            method: message["method"].as_str().unwrap().to_owned(),
            params: message["params"].take(),
            made: None,
            answered: false,
        });
    }
    let (to_browser, mut made) = unbounded_channel();
    let (output, from_browser) = unbounded_channel();
    let mut player = Player { play, lines, at: 0, calls, output, silent: HashSet::new(), attached: 0 };
    tokio::spawn(async move {
        while player.advance() {
            match tokio::time::timeout(STALLED, made.recv()).await {
                Ok(Some(call)) => player.made(&call),
                Ok(None) => return,
                Err(_) => player.stalled(),
            }
        }
        // Everything is played; who still asks gets empty answers until the browser of the recording is gone.
        if !player.ended() {
            while let Some(call) = made.recv().await {
                player.made(&call);
            }
        }
    });
    Connection::start(FromBrowser(from_browser), ToBrowser(to_browser))
}

impl Player {
    /// Says what comes next, as far as the calls that were made allow. False at the end.
    fn advance(&mut self) -> bool {
        while let Some(line) = self.lines.get(self.at) {
            match line {
                Line::Out(call) if self.calls[*call].made.is_none() && !self.is_moot(&self.calls[*call]) => {
                    return true;
                }
                Line::Out(_) => {}
                Line::In(message) => {
                    let message = message.clone();
                    self.say(message);
                }
            }
            self.at += 1;
        }
        false
    }

    fn is_silent(&self, session: Option<&str>) -> bool {
        session.is_some_and(|session| self.silent.contains(session))
    }

    /// Whether a call of the recording is not made where popups sleep: on the session of one, or because one has moved,
    /// when its shared workers are looked for.
    fn is_moot(&self, call: &Call) -> bool {
        let is_search = call.method == "Target.getTargets" && call.params.get("filter").is_some();
        self.is_silent(call.session.as_deref()) || (is_search && !self.silent.is_empty())
    }

    fn send(&self, message: &Value) {
        // Who does not listen any more has what it wanted.
        let _ = self.output.send(message.to_string().into_bytes());
    }

    fn say(&mut self, mut message: Value) {
        let strangers = self.play == Play::WithStrangers;
        let session = message["sessionId"].as_str().map(str::to_owned);
        if self.is_silent(session.as_deref()) {
            return;
        }
        if let Some(id) = message["id"].as_u64() {
            let Some(call) = self.calls.iter_mut().find(|call| call.id == id) else { return };
            call.answered = true;
            let Some(made) = call.made else { return };
            if call.method == "Target.attachToTarget" {
                self.attached += 1;
                // The first one is the page that opens the others.
                if self.play == Play::PopupsSleep && self.attached > 1 {
                    self.silent.extend(message["result"]["sessionId"].as_str().map(str::to_owned));
                }
            }
            message["id"] = made.into();
            if strangers {
                add_stranger(&mut message);
            }
            return self.send(&message);
        }
        if strangers {
            self.strange_events(session.as_deref());
            message["params"]["future"] = json!({"deep": [1, {"x": null}]});
        }
        self.send(&message);
        if strangers && message["method"] == "Target.detachedFromTarget" {
            self.late_answers(message["params"]["sessionId"].as_str().unwrap_or_default());
        }
    }

    /// What a browser of the future may say: unknown methods, and unknown values in known ones.
    fn strange_events(&self, session: Option<&str>) {
        let target = json!({"targetId": "STRANGE", "type": "hologram", "title": "", "url": "future://x", "attached": true,
            "canAccessOpener": false, "openerId": 7, "future": {}});
        let mut events = vec![
            json!({"method": "Future.happened", "params": {"kind": "neverSeen"}}),
            json!({"method": "Page.lifecycleEvent", "params": {"name": 17}}),
            json!({"method": "Target.targetCreated", "params": {"targetInfo": target.clone()}}),
        ];
        if session.is_some() {
            let attached = json!({"sessionId": "STRANGE", "targetInfo": target, "waitingForDebugger": true});
            events.extend([
                json!({"method": "Page.frameNavigated", "params": {"frame": {"id": "STRANGE", "parentId": "NOBODY"}, "type": "Teleport"}}),
                json!({"method": "Page.javascriptDialogClosed"}),
                json!({"method": "Target.attachedToTarget", "params": attached}),
                json!({"method": "Target.detachedFromTarget", "params": {"sessionId": "STRANGE", "targetId": "STRANGE"}}),
            ]);
        }
        for mut event in events {
            if let Some(session) = session {
                event["sessionId"] = session.into();
            }
            self.send(&event);
        }
    }

    /// Answers for a session that is gone: nobody waits for them.
    fn late_answers(&mut self, session: &str) {
        for call in self.calls.iter().filter(|call| call.session.as_deref() == Some(session) && !call.answered) {
            if let Some(id) = call.made {
                self.send(&json!({"id": id, "sessionId": session, "result": {"late": true}}));
            }
        }
    }

    fn made(&mut self, made: &Value) {
        let id = made["id"].as_u64().unwrap();
        let (session, method) = (made["sessionId"].as_str(), made["method"].as_str().unwrap());
        if self.is_silent(session) {
            return;
        }
        let fits = |call: &Call| call.made.is_none() && call.session.as_deref() == session && call.method == method;
        let same = self.calls.iter().position(|call| fits(call) && call.params == made["params"]);
        match same.or_else(|| self.calls.iter().position(fits)) {
            Some(number) => self.calls[number].made = Some(id),
            // Asked again, a sleeping popup says no more than before.
            None if method == "Target.attachToTarget" && self.play == Play::PopupsSleep => {
                self.silent.insert("AGAIN".into());
                self.send(&json!({"id": id, "result": {"sessionId": "AGAIN"}}));
            }
            None => self.send(&json!({"id": id, "sessionId": session, "result": {}})),
        }
    }

    /// Whether the browser of the recording has closed itself.
    fn ended(&self) -> bool {
        self.calls.iter().any(|call| call.method == "Browser.close")
    }

    fn stalled(&self) {
        if let Some(Line::Out(call)) = self.lines.get(self.at) {
            let Call { method, session, .. } = &self.calls[*call];
            panic!("{method} on {session:?} is in the recording but was not called; if that is meant, record again");
        }
    }
}

/// Things in answers that nobody knows.
fn add_stranger(answer: &mut Value) {
    if let Some(result) = answer.get_mut("result").and_then(Value::as_object_mut) {
        result.insert("future".into(), json!({"x": [null]}));
        if let Some(infos) = result.get_mut("targetInfos").and_then(Value::as_array_mut) {
            infos.insert(0, json!({"targetId": "STRANGE", "type": "hologram", "title": "", "url": "future://x", "attached": false, "canAccessOpener": false}));
        }
    }
}
