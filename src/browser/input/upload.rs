//! Giving files to a file field, directly or through the chooser that a click opens.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::InputError;
use super::mouse::{aim, click};
use crate::browser::elements::Element;
use crate::browser::page::Attached;
use crate::cdp::Session;

/// How long a click may take to open a file chooser.
const CHOOSER: Duration = Duration::from_secs(3);

#[derive(Deserialize)]
struct Field {
    file: bool,
    multiple: bool,
    disabled: bool,
}

/// Checks that the files exist before anything is sent to the page.
pub fn check(paths: &[PathBuf]) -> Result<(), InputError> {
    for path in paths {
        let failed = |why: &str| InputError::File {
            why: format!("Cannot upload \"{}\": {why}; nothing was uploaded.", path.display()),
            hint: "give the absolute path of an existing file",
        };
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_dir() => return Err(failed("it is a directory")),
            Ok(_) => {
                std::fs::File::open(path).map_err(|e| failed(&e.to_string()))?;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(failed("there is no such file")),
            Err(error) => return Err(failed(&error.to_string())),
        }
    }
    Ok(())
}

fn only_one(count: usize) -> InputError {
    InputError::File {
        why: format!("The file field takes one file, not {count}; nothing was uploaded."),
        hint: "call upload_file with one path",
    }
}

/// Gives the files to the element.
pub async fn upload(page: &Attached, element: &Element, paths: &[PathBuf]) -> Result<(), InputError> {
    let script =
        "(e) => ({file: e.tagName === 'INPUT' && e.type === 'file', multiple: !!e.multiple, disabled: isDisabled(e)})";
    let field: Field = element.call(page, script, &[]).await?;
    if field.file {
        if field.disabled {
            let why = "It is disabled; nothing was uploaded.".into();
            return Err(InputError::NotReady { uid: element.uid, why, hint: "find out what enables it" });
        }
        if paths.len() > 1 && !field.multiple {
            return Err(only_one(paths.len()));
        }
        let params = json!({"files": paths, "backendNodeId": element.backend});
        element.frame.session.call::<Value>("DOM.setFileInputFiles", params).await?;
        return Ok(());
    }
    let mut choosers = element.frame.session.subscribe(&["Page.fileChooserOpened"]);
    let _intercepting = Intercepting(&element.frame.session);
    element.frame.session.call::<Value>("Page.setInterceptFileChooserDialog", json!({"enabled": true})).await?;
    let point = aim(page, element, true).await?;
    click(page, point, false).await?;
    let event = tokio::time::timeout(CHOOSER, choosers.next()).await.ok().flatten();
    let details: Value = match event.map(|event| event.decode()) {
        Some(Ok(details)) => details,
        _ => {
            return Err(InputError::File {
                why: "Failed to upload file. The element is no file field, and clicking it opened no file chooser."
                    .into(),
                hint: "take_snapshot shows the page's file fields; use the uid of one",
            });
        }
    };
    if paths.len() > 1 && details["mode"] == "selectSingle" {
        return Err(only_one(paths.len()));
    }
    let params = json!({"files": paths, "backendNodeId": details["backendNodeId"]});
    element.frame.session.call::<Value>("DOM.setFileInputFiles", params).await?;
    Ok(())
}

/// File choosers come to us and open for nobody else, until this is dropped: also when the call is cancelled.
struct Intercepting<'a>(&'a Session);

impl Drop for Intercepting<'_> {
    fn drop(&mut self) {
        self.0.post("Page.setInterceptFileChooserDialog", json!({"enabled": false}));
    }
}
