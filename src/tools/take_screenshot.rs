//! `take_screenshot`: a picture of the viewport, the full page or an element.
//!
//! Pictures that models or clients cannot take are not sent: above 8000 pixels a side they are scaled, above
//! 2 000 000 bytes they go to a file, and in both cases the original is in a file and the answer says so.

use std::path::PathBuf;

use super::on_page::{OnPage, PageContext};
use super::schema::{Param, ParamDefault};
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::elements::Element;
use crate::browser::screenshot::{self, Format, Options, Picture, ScreenshotError, Subject};
use crate::files::{OutputError, temporary, with_extension};
use crate::report::{Failure, Image, Report};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "take_screenshot",
    description: "Take a picture of the viewport, the full page or an element.",
    category: Category::Debugging,
    read_only: false,
    conditions: &[],
    params: &[
        Param::choice("format", &["png", "jpeg", "webp"], "Format.")
            .default(ParamDefault::Configured(|config| &config.screenshot_format))
            .obvious(),
        Param::number_in("quality", 0, 100, "For jpeg and webp.").obvious(),
        Param::text("uid", "Element; without it the viewport.").obvious(),
        Param::bool("fullPage", "The whole document.").obvious(),
        Param::text("filePath", "Write it to this file instead of sending it.").file().obvious(),
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

/// Bytes of a picture that is sent; the original's limit.
const MAX_BYTES: usize = 2_000_000;

/// Longest side of a picture that is sent, in pixels: the limit of today's models.
const MAX_SIDE: f64 = 8_000.0;

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let uid = arguments.optional_text("uid");
        let full = arguments.bool("fullPage");
        if uid.is_some() && full {
            return Err(Failure::new("uid and fullPage can't be used together.", "leave one of them out"));
        }
        let path = arguments.optional_path("filePath");
        let format = format_of(context, arguments, path.as_ref())?;
        let element = match uid {
            Some(uid) => Some(Element::find(&context.on, context.page.id, uid).await?),
            None => None,
        };
        let subject = || match &element {
            Some(element) => Subject::Element(element),
            None if full => Subject::FullPage,
            None => Subject::Viewport,
        };
        let quality =
            arguments.optional_number("quality").map(|q| q.round() as u8).or(context.config.screenshot_quality);
        let limits = (context.config.screenshot_max_width, context.config.screenshot_max_height);
        let limit = (limits.0.map(f64::from), limits.1.map(f64::from));
        let take = async |format: Format, limit: (Option<f64>, Option<f64>)| {
            screenshot::take(&context.on, &Options { subject: subject(), format, quality, limit }).await
        };
        let line = match (uid, full) {
            (Some(uid), _) => format!("Took a screenshot of node with uid \"{uid}\"."),
            (None, true) => "Took a screenshot of the full current page.".into(),
            (None, false) => "Took a screenshot of the current page's viewport.".into(),
        };
        if let Some(path) = path {
            let picture = take(format, limit).await?;
            let path = with_extension(path, format.name());
            context.call.paths.write(&path, &picture.bytes)?;
            report.line(line);
            report.line(format!("Saved screenshot to {}.", path.display()));
            return Ok(());
        }
        let (picture, format) = match take(format, limit).await {
            // The original of what is sent may be a PNG: that has no limit.
            Err(ScreenshotError::TooLarge { .. }) => (take(Format::Png, limit).await?, Format::Png),
            other => (other?, format),
        };
        report.line(line);
        if picture.width.max(picture.height) as f64 > MAX_SIDE {
            let saved = save(context, &picture, format)?;
            let small = |limit: Option<f64>| Some(limit.unwrap_or(MAX_SIDE).min(MAX_SIDE));
            let scaled = take(format, (small(limit.0), small(limit.1))).await?;
            report.line(format!(
                "It has {}x{} pixels, more than models take. Saved screenshot to {}.",
                picture.width,
                picture.height,
                saved.display()
            ));
            if scaled.bytes.len() < MAX_BYTES {
                report.line(format!("Attached is a version of {}x{} pixels.", scaled.width, scaled.height));
                report.image(Image { mime: format.mime(), bytes: scaled.bytes });
            }
        } else if picture.bytes.len() >= MAX_BYTES {
            report.line(format!("Saved screenshot to {}.", save(context, &picture, format)?.display()));
        } else {
            report.image(Image { mime: format.mime(), bytes: picture.bytes });
        }
        Ok(())
    })
}

/// The format that was asked for; a file's name may ask for one too, but not for another one.
fn format_of(context: &PageContext, arguments: &Arguments, path: Option<&PathBuf>) -> Result<Format, Failure> {
    let asked = Format::parse(arguments.text("format")).unwrap_or(Format::Png);
    let Some(path) = path else { return Ok(asked) };
    let Some(extension) = path.extension().and_then(|e| e.to_str()) else { return Ok(asked) };
    if asked.fits(extension) {
        return Ok(asked);
    }
    // The default was filled in; the client has only named the file.
    let is_default = asked.name() == context.config.screenshot_format;
    let named = [Format::Png, Format::Jpeg, Format::Webp].into_iter().find(|format| format.fits(extension));
    if let Some(format) = named.filter(|_| is_default) {
        return Ok(format);
    }
    Err(OutputError::Extension {
        path: path.display().to_string(),
        extension: extension.to_owned(),
        content: match asked {
            Format::Png => "PNG",
            Format::Jpeg => "JPEG",
            Format::Webp => "WebP",
        },
    }
    .into())
}

fn save(context: &PageContext, picture: &Picture, format: Format) -> Result<PathBuf, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("the screenshot could not be saved: {error}"), "give a filePath, or free some space")
    };
    let path = temporary(&format!("screenshot.{}", format.name())).map_err(failed)?;
    context.call.paths.write(&path, &picture.bytes)?;
    Ok(path)
}
