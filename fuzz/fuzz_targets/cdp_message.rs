//! The envelope of browser messages, and the repair of texts with half a surrogate pair.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;

#[allow(dead_code, reason = "the module is the server's; the target uses a part of it")]
#[path = "../../src/cdp/message.rs"]
mod message;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let decoded = message::decode::<Value>(text);
    if serde_json::from_str::<Value>(text).is_ok() {
        assert!(decoded.is_ok());
    }
    if let Some(repaired) = message::repair_surrogates(text) {
        assert!(message::repair_surrogates(&repaired).is_none(), "repaired once, repaired for good");
    }
    let _ = serde_json::from_str::<message::Envelope>(text);
});
