//! Sections about one page: where an action led (3), pages and downloads it started (4), what is emulated (5), the open
//! dialog (6), the snapshot (14).

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::Section;
use super::fence::fenced;
use super::pages::title_and_url;
use crate::browser::dialogs::Dialog;
use crate::browser::emulate::{Emulation, number};
use crate::browser::pages::PageInfo;
use crate::browser::settle::Download;
use crate::browser::snapshot::render::{self, View};
use crate::browser::snapshot::tree::Snapshot;
use crate::config::Config;

/// The page has another address than before the action.
pub struct NavigatedTo(pub String);

impl Section for NavigatedTo {
    fn order(&self) -> u8 {
        3
    }

    fn text(&self) -> String {
        format!("Page navigated to {}.", self.0)
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        content.insert("navigatedToUrl".into(), self.0.as_str().into());
    }
}

/// Pages that the action opened.
pub struct OpenedPages(pub Vec<PageInfo>);

impl Section for OpenedPages {
    fn order(&self) -> u8 {
        4
    }

    fn text(&self) -> String {
        let lines = self.0.iter().map(title_and_url).collect::<Vec<_>>();
        format!("## Opened pages\n{}", lines.join("\n"))
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        let pages = self.0.iter().map(|page| {
            let mut entry = json!({"id": page.id, "url": page.url, "title": page.title, "selected": false});
            if let Some(context) = &page.isolated_context {
                entry["isolatedContext"] = context.as_str().into();
            }
            entry
        });
        content.insert("openedPages".into(), pages.collect());
    }
}

/// Downloads that the action started.
pub struct Downloads(pub Vec<Download>);

impl Section for Downloads {
    fn order(&self) -> u8 {
        4
    }

    fn text(&self) -> String {
        let lines = self.0.iter().map(|download| match download.size {
            Some(size) => format!("Download started: \"{}\" ({size} bytes).", download.name),
            None => format!("Download started: \"{}\".", download.name),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        let list = self.0.iter().map(|download| json!({"name": download.name, "size": download.size}));
        content.insert("downloads".into(), list.collect());
    }
}

/// What is emulated; nothing at all is no section.
pub struct Emulating(pub Emulation);

impl Section for Emulating {
    fn order(&self) -> u8 {
        5
    }

    fn text(&self) -> String {
        let e = &self.0;
        let mut lines = Vec::new();
        if let Some(network) = e.network {
            lines.push(format!("Emulating network conditions: {}", network.name));
        }
        if e.network.is_some() || e.cpu_factor() > 1.0 {
            lines.push(format!("Default navigation timeout set to {} ms", number(e.navigation_timeout())));
        }
        if let Some((latitude, longitude)) = e.geolocation {
            let (latitude, longitude) = (number(latitude), number(longitude));
            lines.push(format!("Emulating geolocation: latitude={latitude}, longitude={longitude}"));
        }
        if let Some(viewport) = &e.viewport {
            lines.push(format!("Emulating viewport: {}", viewport.json()));
        }
        if let Some(agent) = &e.user_agent {
            lines.push(format!("Emulating user agent: {agent}"));
        }
        if e.cpu_factor() > 1.0 {
            lines.push(format!("Emulating CPU throttling: {}x slowdown", number(e.cpu_factor())));
        }
        for (what, value) in [
            ("color scheme", &e.color_scheme),
            ("forced-colors", &e.forced_colors),
            ("prefers-contrast", &e.contrast),
            ("prefers-reduced-motion", &e.reduced_motion),
        ] {
            if let Some(value) = value {
                lines.push(format!("Emulating {what}: {value}"));
            }
        }
        lines.join("\n")
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        let e = &self.0;
        let mut set = |key: &str, value: Value| _ = content.insert(key.into(), value);
        if let Some(network) = e.network {
            set("networkConditions", network.name.into());
        }
        if e.network.is_some() || e.cpu_factor() > 1.0 {
            set("navigationTimeout", number(e.navigation_timeout()));
        }
        if let Some((latitude, longitude)) = e.geolocation {
            set("geolocation", json!({"latitude": number(latitude), "longitude": number(longitude)}));
        }
        if let Some(viewport) = &e.viewport {
            set("viewport", viewport.json());
        }
        if let Some(agent) = &e.user_agent {
            set("userAgent", agent.as_str().into());
        }
        if e.cpu_factor() > 1.0 {
            set("cpuThrottlingRate", number(e.cpu_factor()));
        }
        for (key, value) in [
            ("colorScheme", &e.color_scheme),
            ("forcedColors", &e.forced_colors),
            ("prefersContrast", &e.contrast),
            ("prefersReducedMotion", &e.reduced_motion),
        ] {
            if let Some(value) = value {
                set(key, value.as_str().into());
            }
        }
    }
}

/// A dialog that waits for an answer.
pub struct OpenDialog(pub Dialog);

impl Section for OpenDialog {
    fn order(&self) -> u8 {
        6
    }

    fn text(&self) -> String {
        let Dialog { kind, message, default_value } = &self.0;
        let default = if kind == "prompt" { format!(" (default value: \"{default_value}\")") } else { String::new() };
        format!("# Open dialog\n{kind}: {message}{default}.\nCall handle_dialog to handle it before continuing.")
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        let Dialog { kind, message, default_value } = &self.0;
        content.insert("dialog".into(), json!({"type": kind, "message": message, "defaultValue": default_value}));
    }
}

/// A snapshot, or where it was written.
pub enum SnapshotSection {
    /// The tree.
    Tree {
        /// Lines, each ended.
        text: String,
        /// The same as JSON, if it is wanted.
        json: Option<Value>,
    },
    /// Lines that changed, each ended.
    Changes(String),
    /// It is in a file.
    File(PathBuf),
}

impl SnapshotSection {
    /// Renders a snapshot.
    pub fn tree(snapshot: &Snapshot, view: &View, config: &Config) -> Self {
        let text = render::text(snapshot, view);
        SnapshotSection::Tree {
            text: if config.mark_page_content { fenced(&text) } else { text },
            json: config.structured_content.then(|| render::json(snapshot, view.root)),
        }
    }
}

impl Section for SnapshotSection {
    fn order(&self) -> u8 {
        14
    }

    fn text(&self) -> String {
        match self {
            SnapshotSection::Tree { text, .. } => format!("## Latest page snapshot\n{text}"),
            SnapshotSection::Changes(text) => format!("## Changes since the last page snapshot\n{text}"),
            SnapshotSection::File(path) => format!("Saved snapshot to {}.", path.display()),
        }
    }

    fn structured(&self, content: &mut Map<String, Value>) {
        match self {
            SnapshotSection::Tree { json: Some(json), .. } => _ = content.insert("snapshot".into(), json.clone()),
            SnapshotSection::Changes(text) => _ = content.insert("snapshotChanges".into(), text.as_str().into()),
            SnapshotSection::Tree { json: None, .. } => {}
            SnapshotSection::File(path) => {
                content.insert("snapshotFilePath".into(), path.to_string_lossy().into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::emulate::{NETWORKS, Viewport};

    #[test]
    fn all_that_is_emulated_in_the_originals_lines() {
        let emulation = Emulation {
            network: Some(NETWORKS[1]),
            cpu: Some(2.0),
            geolocation: Some((10.5, 20.0)),
            user_agent: Some("UA/1".into()),
            color_scheme: Some("dark".into()),
            viewport: Viewport::parse("400x700x2,mobile,touch").ok(),
            ..Emulation::default()
        };
        assert_eq!(
            Emulating(emulation).text(),
            "Emulating network conditions: Slow 3G\nDefault navigation timeout set to 200000 ms\n\
             Emulating geolocation: latitude=10.5, longitude=20\n\
             Emulating viewport: {\"deviceScaleFactor\":2,\"isMobile\":true,\"hasTouch\":true,\"isLandscape\":false,\"width\":400,\"height\":700}\n\
             Emulating user agent: UA/1\nEmulating CPU throttling: 2x slowdown\nEmulating color scheme: dark"
        );
        assert_eq!(Emulating(Emulation::default()).text(), "");
    }

    #[test]
    fn a_prompt_shows_its_default() {
        let dialog = Dialog { kind: "prompt".into(), message: "Name?".into(), default_value: "x".into() };
        assert_eq!(
            OpenDialog(dialog).text(),
            "# Open dialog\nprompt: Name? (default value: \"x\").\nCall handle_dialog to handle it before continuing."
        );
    }
}
