//! What is emulated on a page. One value per page holds all of it; each call replaces the value and applies it to the
//! page and to its frames in other processes, and frames that come later get it before they run.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::collect::Part;
use super::page::Attached;
use crate::cdp::{CdpError, Session};

/// How long a frame in another process or a worker may take.
const CHILD: Duration = Duration::from_secs(2);

/// Throughput in bytes per second and latency in milliseconds, as the original's presets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Network {
    /// As in the tool's parameter.
    pub name: &'static str,
    offline: bool,
    download: f64,
    upload: f64,
    latency: f64,
    /// How many times longer loading may take.
    factor: f64,
}

const fn network(name: &'static str, download: f64, upload: f64, latency: f64, factor: f64) -> Network {
    Network { name, offline: false, download, upload, latency, factor }
}

/// The presets, in the order of the schema.
pub const NETWORKS: &[Network] = &[
    Network { name: "Offline", offline: true, download: 0.0, upload: 0.0, latency: 0.0, factor: 1.0 },
    network("Slow 3G", 50_000.0, 50_000.0, 2_000.0, 10.0),
    network("Fast 3G", 180_000.0, 84_375.0, 562.5, 5.0),
    network("Slow 4G", 180_000.0, 84_375.0, 562.5, 2.5),
    network("Fast 4G", 1_012_500.0, 168_750.0, 165.0, 1.0),
];

/// A viewport. Written as JSON in this order of keys, as the original does.
#[derive(Debug, Clone, PartialEq)]
pub struct Viewport {
    /// `None`: not given, which means 1.
    pub scale: Option<f64>,
    /// Mobile layout: overlay scroll bars, viewport meta tag.
    pub mobile: bool,
    /// Touch events.
    pub touch: bool,
    /// Landscape orientation.
    pub landscape: bool,
    /// CSS pixels.
    pub width: f64,
    /// CSS pixels.
    pub height: f64,
}

impl Viewport {
    /// `<w>x<h>[x<dpr>][,mobile][,touch][,landscape]`. The error is the message for the agent.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',').map(str::trim);
        let size: Vec<&str> = parts.next().unwrap_or_default().split('x').collect();
        let expected =
            "expected <width>x<height>[x<scale>][,mobile][,touch][,landscape], for example 390x844x3,mobile,touch";
        let number =
            |at: usize| size.get(at).map(|t| t.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n > 0.0));
        let (Some(Some(width)), Some(Some(height))) = (number(0), number(1)) else {
            return Err(format!("Invalid viewport \"{text}\": width and height must be numbers above 0; {expected}"));
        };
        let scale = match number(2) {
            None => None,
            Some(Some(scale)) => Some(scale),
            Some(None) => return Err(format!("Invalid viewport \"{text}\": the scale must be above 0; {expected}")),
        };
        if size.len() > 3 {
            return Err(format!("Invalid viewport \"{text}\"; {expected}"));
        }
        let mut viewport = Viewport { scale, mobile: false, touch: false, landscape: false, width, height };
        for flag in parts {
            match flag {
                "mobile" => viewport.mobile = true,
                "touch" => viewport.touch = true,
                "landscape" => viewport.landscape = true,
                _ => return Err(format!("Invalid viewport \"{text}\": \"{flag}\" is not known; {expected}")),
            }
        }
        Ok(viewport)
    }

    /// As it is told to clients.
    pub fn json(&self) -> Value {
        let mut object = Map::new();
        if let Some(scale) = self.scale {
            object.insert("deviceScaleFactor".into(), number(scale));
        }
        object.insert("isMobile".into(), self.mobile.into());
        object.insert("hasTouch".into(), self.touch.into());
        object.insert("isLandscape".into(), self.landscape.into());
        object.insert("width".into(), number(self.width));
        object.insert("height".into(), number(self.height));
        object.into()
    }
}

/// A number as JavaScript writes it: whole ones without a fraction.
pub fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { Value::from(value as i64) } else { Value::from(value) }
}

/// `<lat>,<lon>`.
pub fn parse_geolocation(text: &str) -> Result<(f64, f64), String> {
    let expected = "expected <latitude>,<longitude>, for example 52.52,13.4";
    let (latitude, longitude) = text
        .split_once(',')
        .and_then(|(a, b)| Some((a.trim().parse::<f64>().ok()?, b.trim().parse::<f64>().ok()?)))
        .ok_or_else(|| format!("Invalid geolocation \"{text}\": {expected}"))?;
    if !(-90.0..=90.0).contains(&latitude) {
        return Err(format!("Invalid geolocation \"{text}\": the latitude must be between -90 and 90"));
    }
    if !(-180.0..=180.0).contains(&longitude) {
        return Err(format!("Invalid geolocation \"{text}\": the longitude must be between -180 and 180"));
    }
    Ok((latitude, longitude))
}

/// A JSON object with texts as values; names in lower case.
pub fn parse_headers(text: &str) -> Result<Map<String, Value>, String> {
    let wrong =
        |why: &str| format!("Invalid extraHttpHeaders: {why}; expected a JSON object, for example {{\"x-a\": \"1\"}}");
    let Ok(Value::Object(given)) = serde_json::from_str(text) else { return Err(wrong("not a JSON object")) };
    let mut headers = Map::new();
    for (name, value) in given {
        if !value.is_string() {
            return Err(wrong(&format!("the value of \"{name}\" is not a string")));
        }
        headers.insert(name.to_lowercase(), value);
    }
    Ok(headers)
}

/// All that is emulated on a page. The default is nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Emulation {
    /// Throttling.
    pub network: Option<Network>,
    /// Slowdown of the CPU, above 1.
    pub cpu: Option<f64>,
    /// Latitude and longitude.
    pub geolocation: Option<(f64, f64)>,
    /// `User-Agent`.
    pub user_agent: Option<String>,
    /// `prefers-color-scheme`.
    pub color_scheme: Option<String>,
    /// `forced-colors`.
    pub forced_colors: Option<String>,
    /// `prefers-contrast`.
    pub contrast: Option<String>,
    /// `prefers-reduced-motion`.
    pub reduced_motion: Option<String>,
    /// The viewport.
    pub viewport: Option<Viewport>,
    /// More request headers. Kept by calls that do not mention them.
    pub headers: Option<Map<String, Value>>,
}

impl Emulation {
    /// How many times longer the CPU takes.
    pub fn cpu_factor(&self) -> f64 {
        self.cpu.unwrap_or(1.0).max(1.0)
    }

    /// How many times longer the network may take.
    pub fn network_factor(&self) -> f64 {
        self.network.map_or(1.0, |n| n.factor)
    }

    /// How long a navigation may take, in milliseconds.
    pub fn navigation_timeout(&self) -> f64 {
        10_000.0 * self.network_factor() * self.cpu_factor()
    }

    /// Applies all of it to a page, after `before`. Returns whether the page must be reloaded to see it.
    pub async fn apply(&self, page: &Attached, before: &Emulation, default_agent: &str) -> Result<bool, CdpError> {
        let session = &page.session;
        let call = async |method: &str, params: Value| session.call::<Value>(method, params).await.map(|_| ());
        self.apply_network(session).await?;
        call("Emulation.setCPUThrottlingRate", json!({"rate": self.cpu_factor()})).await?;
        self.apply_geolocation(session).await?;
        let agent = self.user_agent.as_deref().unwrap_or(default_agent);
        if self.user_agent.is_some() || before.user_agent.is_some() {
            call("Network.setUserAgentOverride", json!({"userAgent": agent})).await?;
        }
        call("Emulation.setEmulatedMedia", self.media()).await?;
        if let Some(headers) = &self.headers {
            call("Network.setExtraHTTPHeaders", json!({"headers": headers})).await?;
        }
        self.apply_viewport(session).await?;
        let children = page.children();
        let children = children.iter().map(|child| async {
            let applied = async {
                match Part::of(&child.kind) {
                    part if part.is_worker() => self.apply_to_worker(&child.session).await,
                    _ => self.apply_to_frame(&child.session).await,
                }
            };
            // One that goes away meanwhile needs nothing; one that hangs has got the first of it and must not be waited for.
            let _ = tokio::time::timeout(CHILD, applied).await;
        });
        futures_util::future::join_all(children).await;
        let traits = |e: &Emulation| e.viewport.as_ref().map_or((false, false), |v| (v.mobile, v.touch));
        Ok(traits(self) != traits(before))
    }

    /// What a worker needs of its own. Sent at once.
    pub(super) async fn apply_to_worker(&self, session: &Session) -> Result<(), CdpError> {
        let agent = async {
            match &self.user_agent {
                Some(agent) => {
                    session.call::<Value>("Network.setUserAgentOverride", json!({"userAgent": agent})).await.map(drop)
                }
                None => Ok(()),
            }
        };
        let (network, agent) = tokio::join!(self.apply_network(session), agent);
        network.and(agent)
    }

    /// What a frame in another process needs of its own.
    pub(super) async fn apply_to_frame(&self, session: &Session) -> Result<(), CdpError> {
        self.apply_network(session).await?;
        if let Some(agent) = &self.user_agent {
            session.call::<Value>("Network.setUserAgentOverride", json!({"userAgent": agent})).await?;
        }
        if let Some(headers) = &self.headers {
            session.call::<Value>("Network.setExtraHTTPHeaders", json!({"headers": headers})).await?;
        }
        self.apply_geolocation(session).await?;
        session.call::<Value>("Emulation.setEmulatedMedia", self.media()).await.map(|_| ())
    }

    async fn apply_geolocation(&self, session: &Session) -> Result<(), CdpError> {
        let call = match self.geolocation {
            Some((latitude, longitude)) => {
                let params = json!({"latitude": latitude, "longitude": longitude, "accuracy": 0});
                session.call::<Value>("Emulation.setGeolocationOverride", params).await
            }
            None => session.call::<Value>("Emulation.clearGeolocationOverride", json!({})).await,
        };
        call.map(|_| ())
    }

    async fn apply_network(&self, session: &Session) -> Result<(), CdpError> {
        let (offline, download, upload, latency) = match self.network {
            Some(n) => (n.offline, n.download, n.upload, n.latency),
            None => (false, -1.0, -1.0, 0.0),
        };
        let params =
            json!({"offline": offline, "latency": latency, "downloadThroughput": download, "uploadThroughput": upload});
        session.call::<Value>("Network.emulateNetworkConditions", params).await.map(|_| ())
    }

    fn media(&self) -> Value {
        let feature =
            |name: &str, value: &Option<String>| json!({"name": name, "value": value.as_deref().unwrap_or("")});
        json!({"features": [
            feature("prefers-color-scheme", &self.color_scheme),
            feature("forced-colors", &self.forced_colors),
            feature("prefers-contrast", &self.contrast),
            feature("prefers-reduced-motion", &self.reduced_motion),
        ]})
    }

    async fn apply_viewport(&self, session: &Session) -> Result<(), CdpError> {
        let Some(viewport) = &self.viewport else {
            session.call::<Value>("Emulation.clearDeviceMetricsOverride", json!({})).await?;
            let params = json!({"enabled": false});
            return session.call::<Value>("Emulation.setTouchEmulationEnabled", params).await.map(|_| ());
        };
        let orientation = if viewport.landscape {
            json!({"type": "landscapePrimary", "angle": 90})
        } else {
            json!({"type": "portraitPrimary", "angle": 0})
        };
        let params = json!({
            "mobile": viewport.mobile,
            "width": viewport.width.round() as u32,
            "height": viewport.height.round() as u32,
            "deviceScaleFactor": viewport.scale.unwrap_or(1.0),
            "screenOrientation": orientation,
        });
        session.call::<Value>("Emulation.setDeviceMetricsOverride", params).await?;
        let params = json!({"enabled": viewport.touch});
        session.call::<Value>("Emulation.setTouchEmulationEnabled", params).await.map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewports_are_read_and_told() {
        let viewport = Viewport::parse("400x700x2,mobile,touch").unwrap();
        assert_eq!(
            viewport.json().to_string(),
            r#"{"deviceScaleFactor":2,"isMobile":true,"hasTouch":true,"isLandscape":false,"width":400,"height":700}"#
        );
        let plain = Viewport::parse("400x700").unwrap().json().to_string();
        assert_eq!(plain, r#"{"isMobile":false,"hasTouch":false,"isLandscape":false,"width":400,"height":700}"#);
        for wrong in ["400", "0x5", "-1x5", "axb", "4x4x0", "4x4x1x1", "4x4,phone"] {
            assert!(Viewport::parse(wrong).unwrap_err().starts_with("Invalid viewport"), "{wrong}");
        }
    }

    #[test]
    fn places_and_headers_are_checked() {
        assert_eq!(parse_geolocation("10.5, 20"), Ok((10.5, 20.0)));
        for wrong in ["91,0", "0,181", "1", "a,b"] {
            assert!(parse_geolocation(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_headers(r#"{"X-A":"1"}"#).unwrap()["x-a"], "1");
        assert!(parse_headers("[]").is_err() && parse_headers(r#"{"a":1}"#).is_err());
    }

    #[test]
    fn slow_devices_get_more_time() {
        let emulation = Emulation { network: Some(NETWORKS[1]), cpu: Some(2.0), ..Emulation::default() };
        assert_eq!(emulation.navigation_timeout(), 200_000.0);
    }
}
