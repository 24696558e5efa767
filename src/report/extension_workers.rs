//! Service workers of extensions (10), listed with the pages.

use serde_json::{Map, json};

use super::Section;

/// Their ids and addresses.
pub struct ExtensionWorkerList(pub Vec<(String, String)>);

impl Section for ExtensionWorkerList {
    fn order(&self) -> u8 {
        10
    }

    fn text(&self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let lines = self.0.iter().map(|(id, url)| format!("\n{id}: {url}")).collect::<String>();
        format!("## Extension Service Workers{lines}")
    }

    fn structured(&self, content: &mut Map<String, serde_json::Value>) {
        let list = self.0.iter().map(|(id, url)| json!({"id": id, "url": url}));
        content.insert("extensionServiceWorkers".into(), list.collect());
    }
}
