//! How names and sizes are written.

/// Characters (UTF-16 units) of a name that are shown by default.
const DEFAULT_LENGTH: usize = 100;

/// Cuts names for tables.
#[derive(Debug, Clone, Copy)]
pub struct Names {
    length: usize,
}

impl Names {
    /// Names of at most this many UTF-16 units; the default is 100.
    pub fn new(length: Option<usize>) -> Self {
        Names { length: length.unwrap_or(DEFAULT_LENGTH) }
    }

    /// The text, shortened.
    pub fn cut(self, text: &str) -> String {
        // Most are short; no character has more UTF-16 units than bytes.
        if text.len() <= self.length {
            return text.to_owned();
        }
        let mut units = 0;
        for (at, character) in text.char_indices() {
            let width = character.len_utf16();
            if units + width > self.length {
                // Half of a pair would be no valid text.
                let half = if units < self.length { "\u{fffd}" } else { "" };
                return format!("{}{half}...", &text[..at]);
            }
            units += width;
        }
        text.to_owned()
    }

    /// The text, shortened and on one line.
    pub fn line(self, text: &str) -> String {
        self.cut(text).replace('\r', "\\r").replace('\n', "\\n")
    }
}

/// A size as the front-end's `formatBytesToKb` writes it: kilobytes of 1000 bytes, one decimal below 100, then whole ones
/// with separators; half a unit is rounded away from zero. Negative sizes keep their decimal.
pub fn size(bytes: i64) -> String {
    let sign = if bytes < 0 { "-" } else { "" };
    let absolute = bytes.unsigned_abs();
    if bytes < 100_000 {
        let tenths = absolute.saturating_add(50) / 100;
        format!("{sign}{}.{}\u{a0}kB", grouped(tenths / 10), tenths % 10)
    } else {
        format!("{}\u{a0}kB", grouped(absolute.saturating_add(500) / 1000))
    }
}

/// The same with a plus sign where it fits.
pub fn signed_size(bytes: i64) -> String {
    if bytes > 0 { format!("+{}", size(bytes)) } else { size(bytes) }
}

/// A number with a plus sign where it fits.
pub fn signed(number: i64) -> String {
    if number > 0 { format!("+{number}") } else { number.to_string() }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut result = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            result.push(',');
        }
        result.push(digit);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_kilobytes() {
        let plain = |bytes| size(bytes).replace('\u{a0}', " ");
        for (bytes, text) in [
            (0, "0.0 kB"),
            (49, "0.0 kB"),
            (50, "0.1 kB"),
            (250, "0.3 kB"),
            (45_149, "45.1 kB"),
            (99_949, "99.9 kB"),
            (99_999, "100.0 kB"),
            (100_000, "100 kB"),
            (100_500, "101 kB"),
            (1_161_499, "1,161 kB"),
            (3_000_000_000, "3,000,000 kB"),
            (-30, "-0.0 kB"),
            (-1_234_567, "-1,234.6 kB"),
        ] {
            assert_eq!(plain(bytes), text, "{bytes}");
        }
        assert_eq!(signed_size(1200).replace('\u{a0}', " "), "+1.2 kB");
        assert_eq!((signed(3), signed(0), signed(-3)), ("+3".into(), "0".into(), "-3".into()));
    }

    #[test]
    fn names_are_cut_by_utf16_units_and_stay_valid() {
        let names = Names::new(Some(4));
        assert_eq!(names.line("abcd"), "abcd");
        assert_eq!(names.line("abcde"), "abcd...");
        assert_eq!(names.line("äöüß"), "äöüß");
        assert_eq!(names.line("ab\r\n"), "ab\\r\\n");
        assert_eq!(names.line("abc\u{1f600}"), "abc\u{fffd}...");
        assert_eq!(names.line("ab\u{1f600}x"), "ab\u{1f600}...");
    }
}
