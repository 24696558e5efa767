//! `emulate`: devices, networks and preferences. Each call replaces all settings but the headers.

use std::time::Duration;

use super::on_page::{OnPage, PageContext};
use super::schema::Param;
use super::{Arguments, Category, Handler, Running, Tool};
use crate::browser::emulate::{Emulation, NETWORKS, Viewport, parse_geolocation, parse_headers};
use crate::browser::navigate::{self, Destination};
use crate::report::{Failure, Report};

/// See the module.
pub const TOOL: Tool = Tool {
    name: "emulate",
    description: "Emulate device, network and preferences. What is left out is reset, except extraHttpHeaders.",
    category: Category::Emulation,
    read_only: false,
    conditions: &[],
    params: &[
        Param::choice(
            "networkConditions",
            &["Offline", "Slow 3G", "Fast 3G", "Slow 4G", "Fast 4G"],
            "Network throttling.",
        )
        .obvious(),
        Param::number_in("cpuThrottlingRate", 1, 20, "Slowdown; 1: none.").obvious(),
        Param::text("geolocation", "<latitude>,<longitude>").check(geolocation),
        Param::text("userAgent", "User agent.").obvious(),
        Param::choice("colorScheme", &["dark", "light", "auto"], "prefers-color-scheme").obvious(),
        Param::choice("forcedColors", &["active", "none", "auto"], "forced-colors").obvious(),
        Param::choice("prefersContrast", &["more", "less", "custom", "no-preference", "auto"], "prefers-contrast")
            .obvious(),
        Param::choice("prefersReducedMotion", &["reduce", "no-preference", "auto"], "prefers-reduced-motion").obvious(),
        Param::text("viewport", "<width>x<height>[x<dpr>][,mobile][,touch][,landscape]").check(viewport),
        Param::text("extraHttpHeaders", "JSON object; empty string: none.").check(headers),
    ],
    handler: Handler::Page(OnPage::new(handler)),
};

fn geolocation(text: &str) -> Result<(), String> {
    if text.is_empty() { Ok(()) } else { parse_geolocation(text).map(|_| ()) }
}

fn viewport(text: &str) -> Result<(), String> {
    if text.is_empty() { Ok(()) } else { Viewport::parse(text).map(|_| ()) }
}

fn headers(text: &str) -> Result<(), String> {
    if text.is_empty() { Ok(()) } else { parse_headers(text).map(|_| ()) }
}

fn handler<'a>(context: &'a PageContext, arguments: &'a Arguments, report: &'a mut Report) -> Running<'a> {
    Box::pin(async move {
        let text = |name: &str| arguments.optional_text(name).filter(|text| !text.is_empty());
        let preference = |name: &str| text(name).filter(|value| *value != "auto").map(str::to_owned);
        let network = text("networkConditions").and_then(|name| NETWORKS.iter().find(|n| n.name == name)).copied();
        if network.is_some() && context.on.urls().is_active() {
            return Err(Failure::new(
                "The network can't be throttled while the server has address lists.",
                "leave networkConditions out, or start the server without --blockedUrlPattern and --allowedUrlPattern",
            ));
        }
        let before = context.on.emulation().clone();
        let headers = match arguments.optional_text("extraHttpHeaders") {
            None => before.headers.clone(),
            Some("") => Some(serde_json::Map::new()),
            Some(given) => parse_headers(given).ok(),
        };
        let emulation = Emulation {
            network,
            cpu: arguments.optional_number("cpuThrottlingRate").filter(|&rate| rate > 1.0),
            geolocation: text("geolocation").and_then(|t| parse_geolocation(t).ok()),
            user_agent: text("userAgent").map(str::to_owned),
            color_scheme: preference("colorScheme"),
            forced_colors: preference("forcedColors"),
            contrast: preference("prefersContrast"),
            reduced_motion: preference("prefersReducedMotion"),
            viewport: text("viewport").and_then(|t| Viewport::parse(t).ok()),
            headers,
        };
        let agent = context.live.pages.user_agent().await?;
        let reload = emulation.apply(&context.on, &before, agent).await?;
        let timeout = Duration::from_millis(emulation.navigation_timeout() as u64);
        *context.on.emulation() = emulation;
        report.line("Emulation configured successfully");
        if reload {
            // Mobile layout and touch are seen by a document from its start only.
            let go = navigate::go(&context.on, Destination::Reload { ignore_cache: false }, timeout).await;
            if let Err(error) = go {
                report.line(format!("The page could not be reloaded: {error}."));
            }
        }
        Ok(())
    })
}
