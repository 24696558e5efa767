//! Sizes and ranges of sizes as clients write them: `1MB`, `500kb-2MiB`, `-16`, `10k-`. Both ends are inclusive; a single
//! size is the lower end.

/// A range in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeRange {
    /// Lower end.
    pub min: f64,
    /// Upper end, if there is one.
    pub max: Option<f64>,
}

/// Reads a range. The error starts with the markers of the original.
pub fn parse(text: &str) -> Result<SizeRange, String> {
    let trimmed = text.trim();
    if !trimmed.contains('-') {
        return Ok(SizeRange { min: size(trimmed)?, max: None });
    }
    let wrong = |why: &str| Err(format!("Invalid byte size range: \"{text}\". {why}"));
    let ends: Vec<&str> = trimmed.split('-').map(str::trim).collect();
    let &[lower, upper] = ends.as_slice() else {
        return wrong("Give one size or two, such as 1MB, 1MB-2MB, -1MB or 1MB-.");
    };
    if lower.is_empty() && upper.is_empty() {
        return wrong("One of its ends is needed.");
    }
    let min = if lower.is_empty() { 0.0 } else { size(lower)? };
    let max = if upper.is_empty() { None } else { Some(size(upper)?) };
    if max.is_some_and(|max| min > max) {
        return wrong("Its lower end is above its upper end.");
    }
    Ok(SizeRange { min, max })
}

fn size(text: &str) -> Result<f64, String> {
    if text.is_empty() {
        return Err(format!("Invalid byte size: \"{text}\""));
    }
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = (&text[..unit_at], text[unit_at..].trim_start());
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_number = !whole.is_empty() && !fraction.is_empty() && !fraction.contains('.');
    if !is_number || !unit.chars().all(|c| c.is_ascii_alphabetic()) {
        return Err(format!("Invalid byte size format: \"{text}\". Write it as 1024, 1MB or 1.5GiB."));
    }
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" | "byte" | "bytes" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => {
            let known = "B, kB, KiB, MB, MiB, GB, GiB, TB, TiB";
            return Err(format!("Unknown unit \"{unit}\" in \"{text}\". Units: {known}."));
        }
    };
    let bytes = (number.parse::<f64>().unwrap_or(f64::INFINITY) * factor).round();
    if bytes.is_finite() { Ok(bytes) } else { Err(format!("Invalid byte size: \"{text}\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let range = |text| parse(text).map(|r| (r.min, r.max));
        assert_eq!(range("1024"), Ok((1024.0, None)));
        assert_eq!(range(" 1.5 KB "), Ok((1500.0, None)));
        assert_eq!(range("1kib-2MiB"), Ok((1024.0, Some(2_097_152.0))));
        assert_eq!(range("-16"), Ok((0.0, Some(16.0))));
        assert_eq!(range("1m -"), Ok((1e6, None)));
        assert_eq!(range("0.0015k"), Ok((2.0, None)));
        assert_eq!(range("2t"), Ok((2e12, None)));
    }

    #[test]
    fn refusals_begin_as_in_the_original() {
        for (text, start) in [
            ("2MB-1MB", "Invalid byte size range: \"2MB-1MB\". "),
            ("1-2-3", "Invalid byte size range: \"1-2-3\". "),
            ("-", "Invalid byte size range: \"-\". "),
            ("abc", "Invalid byte size format: \"abc\". "),
            ("1.2.3", "Invalid byte size format: \"1.2.3\". "),
            (".5", "Invalid byte size format: \".5\". "),
            ("5 m b", "Invalid byte size format: \"5 m b\". "),
            ("5QB", "Unknown unit \"QB\" in \"5QB\". "),
            ("", "Invalid byte size: \"\""),
            ("1-x", "Invalid byte size format: \"x\". "),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(start), "{text}: {error}");
        }
    }
}
