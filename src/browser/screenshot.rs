//! Pictures of a page: the visible part, the whole document, one element; scaled where a limit asks for it.
//!
//! A picture is verified before it is reported: Chrome answers with nothing where a format cannot hold the size.

use std::time::Duration;

use base64::Engine;
use serde::Deserialize;
use serde_json::{Value, json};

use super::elements::{Element, ElementError};
use super::frames::call_in_world;
use super::page::Attached;
use crate::cdp::CdpError;

/// A picture format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lossless.
    Png,
    /// Lossy, at most 65500 pixels a side.
    Jpeg,
    /// Lossy, at most 16383 pixels a side.
    Webp,
}

/// How long the first tries may take.
const TRIES_IN_FRONT: &[Duration] = &[Duration::from_secs(3), Duration::from_secs(5)];
/// The same for a tab that seems to be behind another one.
const TRIES_BEHIND: &[Duration] = &[Duration::from_millis(300), Duration::from_secs(2), Duration::from_secs(5)];

/// How long Chrome may take for a picture.
const CAPTURE: Duration = Duration::from_secs(60);

/// WebP's limit, from its bitstream's 14-bit sizes.
const WEBP_SIDE: f64 = 16_383.0;

/// The limit of the JPEG library that Chrome uses.
const JPEG_SIDE: f64 = 65_500.0;

impl Format {
    /// As CDP and the tool write it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Png => "png",
            Format::Jpeg => "jpeg",
            Format::Webp => "webp",
        }
    }

    /// By its name.
    pub fn parse(name: &str) -> Option<Self> {
        [Format::Png, Format::Jpeg, Format::Webp].into_iter().find(|format| format.name() == name)
    }

    /// MIME type.
    pub fn mime(self) -> String {
        format!("image/{}", self.name())
    }

    /// Its name for people and the longest side that it can hold, if it has a limit.
    fn longest_side(self) -> Option<(&'static str, f64)> {
        match self {
            Format::Png => None,
            Format::Jpeg => Some(("JPEG", JPEG_SIDE)),
            Format::Webp => Some(("WebP", WEBP_SIDE)),
        }
    }

    /// Whether a file name ends as files of this format do.
    pub fn fits(self, extension: &str) -> bool {
        let extension = extension.to_ascii_lowercase();
        extension == self.name() || (self == Format::Jpeg && extension == "jpg")
    }
}

/// What is in the picture.
pub enum Subject<'a> {
    /// What the window shows.
    Viewport,
    /// The whole document.
    FullPage,
    /// One element.
    Element(&'a Element),
}

/// How to take it.
pub struct Options<'a> {
    /// What.
    pub subject: Subject<'a>,
    /// Format.
    pub format: Format,
    /// 0 to 100, not for PNG.
    pub quality: Option<u8>,
    /// Widest and highest picture in device pixels.
    pub limit: (Option<f64>, Option<f64>),
}

/// A picture.
pub struct Picture {
    /// The file's content.
    pub bytes: Vec<u8>,
    /// Device pixels.
    pub width: usize,
    /// Device pixels.
    pub height: usize,
    /// Smaller than the original by this factor.
    pub scale: f64,
}

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum ScreenshotError {
    /// The element leads nowhere.
    #[error(transparent)]
    Element(#[from] ElementError),
    /// Nothing of it can be seen.
    #[error("The element with uid {uid} {why}.")]
    Invisible { uid: String, why: &'static str },
    /// The format cannot hold it.
    #[error("{format} holds at most {side} pixels a side; this picture has {width}x{height}.")]
    TooLarge { format: &'static str, side: f64, width: u64, height: u64 },
    /// Chrome answered with something that is no picture.
    #[error("Chrome made no valid {format} picture of {width}x{height} pixels ({bytes} bytes)")]
    Invalid { format: &'static str, width: u64, height: u64, bytes: usize },
    /// The browser refused or lost a call.
    #[error(transparent)]
    Cdp(#[from] CdpError),
}

impl ScreenshotError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            ScreenshotError::Element(ElementError::Uid(error)) => error.hint(),
            ScreenshotError::Element(_) => "call take_snapshot and use a uid from it",
            ScreenshotError::Invisible { .. } => "take_snapshot shows what is there; scroll or open what hides it",
            ScreenshotError::TooLarge { .. } => "use format png, or take single elements",
            ScreenshotError::Invalid { .. } => "take the visible part or single elements instead of the full page",
            ScreenshotError::Cdp(_) => "call list_pages to see what is left",
        }
    }
}

/// A box in CSS pixels of the document.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Area {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    css_content_size: Area,
    css_visual_viewport: VisualViewport,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct VisualViewport {
    page_x: f64,
    page_y: f64,
    client_width: f64,
    client_height: f64,
}

/// Size of a subject in device pixels, and its area.
struct Measured {
    area: Area,
    ratio: f64,
}

impl Measured {
    fn size(&self) -> (f64, f64) {
        ((self.area.width * self.ratio).round(), (self.area.height * self.ratio).round())
    }
}

async fn measure(page: &Attached, subject: &Subject<'_>) -> Result<Measured, ScreenshotError> {
    if let Subject::Element(element) = subject {
        scroll_into_view(page, element).await?;
    }
    let metrics: Metrics = page.session.call("Page.getLayoutMetrics", json!({})).await?;
    let context = super::frames::world(&page.session, &page.main_frame()).await?;
    let ratio: f64 = call_in_world(&page.session, context, "() => devicePixelRatio", &[]).await.unwrap_or(1.0);
    let view = metrics.css_visual_viewport;
    let area = match subject {
        Subject::Viewport => {
            Area { x: view.page_x, y: view.page_y, width: view.client_width, height: view.client_height }
        }
        Subject::FullPage => metrics.css_content_size,
        Subject::Element(element) => {
            let inner = element_box(page, element).await?;
            let (x, y) = (inner.x + view.page_x, inner.y + view.page_y);
            // Whole pixels at both edges, so that nothing of the element is cut.
            let (left, top) = (x.round(), y.round());
            Area {
                x: left,
                y: top,
                width: (inner.width + x - left).round().max(1.0),
                height: (inner.height + y - top).round().max(1.0),
            }
        }
    };
    Ok(Measured { area, ratio })
}

async fn scroll_into_view(page: &Attached, element: &Element) -> Result<(), ScreenshotError> {
    let script = "async element => {
        const r = element.getBoundingClientRect();
        const whole = r.left >= 0 && r.top >= 0 && r.right <= innerWidth && r.bottom <= innerHeight;
        if (!whole || window !== top) element.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
        await nextFrame();
        return null;
    }";
    element.call::<Value>(page, script, &[]).await?;
    Ok(())
}

/// The element's box in the main frame's viewport.
async fn element_box(page: &Attached, element: &Element) -> Result<Area, ScreenshotError> {
    let script = "element => {
        const r = element.getBoundingClientRect();
        return element.checkVisibility() ? [r.left, r.top, r.width, r.height] : null;
    }";
    let rect: Option<[f64; 4]> = element.call(page, script, &[]).await?;
    let uid = || element.uid.to_string();
    let [x, y, width, height] = rect.ok_or_else(|| ScreenshotError::Invisible { uid: uid(), why: "is not visible" })?;
    if width <= 0.0 || height <= 0.0 {
        return Err(ScreenshotError::Invisible { uid: uid(), why: "has no size" });
    }
    let (left, top, scale_x, scale_y) = super::input::mouse::frame_offset(page, &element.frame).await?;
    Ok(Area { x: left + x * scale_x, y: top + y * scale_y, width: width * scale_x, height: height * scale_y })
}

/// Takes a picture.
pub async fn take(page: &Attached, options: &Options<'_>) -> Result<Picture, ScreenshotError> {
    let measured = measure(page, &options.subject).await?;
    let (width, height) = measured.size();
    let within = |limit: Option<f64>, size: f64| limit.map_or(1.0, |limit| limit / size.max(1.0));
    let mut scale = within(options.limit.0, width).min(within(options.limit.1, height)).min(1.0);
    if width * scale < 1.0 || height * scale < 1.0 {
        scale = 1.0;
    }
    let (width, height) = ((width * scale).round(), (height * scale).round());
    if let Some((format, side)) = options.format.longest_side()
        && width.max(height) > side
    {
        return Err(ScreenshotError::TooLarge { format, side, width: width as u64, height: height as u64 });
    }
    let mut params = json!({
        "format": options.format.name(),
        "optimizeForSpeed": true,
        "fromSurface": true,
        "captureBeyondViewport": scale < 1.0 || !matches!(options.subject, Subject::Viewport),
    });
    if let Some(quality) = options.quality.filter(|_| options.format != Format::Png) {
        params["quality"] = quality.into();
    }
    if scale < 1.0 || matches!(options.subject, Subject::Element(_)) {
        let Area { x, y, width, height } = measured.area;
        params["clip"] = json!({"x": x, "y": y, "width": width, "height": height, "scale": scale});
    }
    #[derive(Deserialize)]
    struct Captured {
        data: String,
    }
    let capture = async |limit| page.session.call_within("Page.captureScreenshot", &params, limit).await;
    // A tab in the background that behaves as focused (for input) paints nothing, and Chrome waits for a frame for ever.
    // Without that behaviour it is painted for the picture, though often only for the second one that is asked for. The
    // next input brings the behaviour back.
    let mut tries = if page.only_seems_visible() {
        page.unfocus().await?;
        TRIES_BEHIND
    } else {
        TRIES_IN_FRONT
    }
    .iter();
    let captured: Captured = loop {
        let Some(limit) = tries.next() else { break capture(CAPTURE).await? };
        match capture(*limit).await {
            Err(CdpError::Timeout { .. }) => page.unfocus().await?,
            other => break other?,
        }
    };
    let bytes = base64::engine::general_purpose::STANDARD.decode(captured.data).unwrap_or_default();
    let invalid = || ScreenshotError::Invalid {
        format: options.format.name(),
        width: width as u64,
        height: height as u64,
        bytes: bytes.len(),
    };
    let size = imagesize::blob_size(&bytes).map_err(|_| invalid())?;
    if size.width == 0 || size.height == 0 {
        return Err(invalid());
    }
    Ok(Picture { width: size.width, height: size.height, scale, bytes })
}
