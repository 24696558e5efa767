//! Keys by name: what each produces on a US keyboard, and the syntax of combinations.
//!
//! Names, codes and virtual key codes are those of the UI Events specifications and of Windows; which names exist and
//! the few oddities (`*` is the numeric pad's) are the original's, so that `press_key` takes the same texts.

use super::InputError;

/// A key as `Input.dispatchKeyEvent` wants it.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// `KeyboardEvent.key`.
    pub key: String,
    /// `KeyboardEvent.code`.
    pub code: String,
    /// Windows virtual key code.
    pub virtual_key: i64,
    /// 0 standard, 1 left, 2 right, 3 numeric pad, 4 mobile.
    pub location: i64,
    /// What it types when no Alt, Control or Meta is held.
    pub text: String,
}

/// Bits of `modifiers`.
pub const ALT: i64 = 1;
/// See [`ALT`].
pub const CONTROL: i64 = 2;
/// See [`ALT`].
pub const META: i64 = 4;
/// See [`ALT`].
pub const SHIFT: i64 = 8;

/// Keys that type nothing: name (also `key`), code, virtual key code, location.
const NAMED: &[(&str, &str, i64, i64)] = &[
    ("Tab", "Tab", 9, 0),
    ("Backspace", "Backspace", 8, 0),
    ("Escape", "Escape", 27, 0),
    ("Delete", "Delete", 46, 0),
    ("Insert", "Insert", 45, 0),
    ("Home", "Home", 36, 0),
    ("End", "End", 35, 0),
    ("PageUp", "PageUp", 33, 0),
    ("PageDown", "PageDown", 34, 0),
    ("ArrowLeft", "ArrowLeft", 37, 0),
    ("ArrowUp", "ArrowUp", 38, 0),
    ("ArrowRight", "ArrowRight", 39, 0),
    ("ArrowDown", "ArrowDown", 40, 0),
    ("Shift", "ShiftLeft", 16, 1),
    ("Control", "ControlLeft", 17, 1),
    ("Alt", "AltLeft", 18, 1),
    ("Meta", "MetaLeft", 91, 1),
    ("AltGraph", "AltGraph", 225, 0),
    ("CapsLock", "CapsLock", 20, 0),
    ("NumLock", "NumLock", 144, 0),
    ("ScrollLock", "ScrollLock", 145, 0),
    ("Pause", "Pause", 19, 0),
    ("PrintScreen", "PrintScreen", 44, 0),
    ("ContextMenu", "ContextMenu", 93, 0),
    ("AudioVolumeMute", "AudioVolumeMute", 173, 0),
    ("AudioVolumeDown", "AudioVolumeDown", 174, 0),
    ("AudioVolumeUp", "AudioVolumeUp", 175, 0),
    ("MediaTrackNext", "MediaTrackNext", 176, 0),
    ("MediaTrackPrevious", "MediaTrackPrevious", 177, 0),
    ("MediaStop", "MediaStop", 178, 0),
    ("MediaPlayPause", "MediaPlayPause", 179, 0),
    ("VolumeDown", "VolumeDown", 182, 4),
    ("VolumeUp", "VolumeUp", 183, 4),
    ("Power", "Power", 0, 0),
    ("Eject", "Eject", 0, 0),
    ("Cancel", "Abort", 3, 0),
    ("Help", "Help", 6, 0),
    ("Convert", "Convert", 28, 0),
    ("NonConvert", "NonConvert", 29, 0),
    ("Select", "Select", 41, 0),
    ("Execute", "Open", 43, 0),
    ("CrSel", "Props", 247, 0),
    ("Clear", "Numpad5", 12, 3),
    ("Accept", "Accept", 30, 0),
    ("ModeChange", "ModeChange", 31, 0),
    ("Print", "Print", 42, 0),
    ("Attn", "Attn", 246, 0),
    ("ExSel", "ExSel", 248, 0),
    ("EraseEof", "EraseEof", 249, 0),
    ("Play", "Play", 250, 0),
    ("ZoomOut", "ZoomOut", 251, 0),
    ("SoftLeft", "SoftLeft", 0, 4),
    ("SoftRight", "SoftRight", 0, 4),
    ("Camera", "Camera", 44, 4),
    ("Call", "Call", 0, 4),
    ("EndCall", "EndCall", 95, 4),
];

/// Other names of keys in [`NAMED`].
const ALIASES: &[(&str, &str)] = &[("Abort", "Cancel"), ("Open", "Execute"), ("Props", "CrSel")];

/// Right-hand modifiers and the like: name, `key`, virtual key code, location.
const SIDES: &[(&str, &str, i64, i64)] = &[
    ("ShiftLeft", "Shift", 16, 1),
    ("ShiftRight", "Shift", 16, 2),
    ("ControlLeft", "Control", 17, 1),
    ("ControlRight", "Control", 17, 2),
    ("AltLeft", "Alt", 18, 1),
    ("AltRight", "Alt", 18, 2),
    ("MetaLeft", "Meta", 91, 1),
    ("MetaRight", "Meta", 92, 2),
];

/// Symbols: plain, with Shift, code, virtual key code.
const SYMBOLS: &[(char, char, &str, i64)] = &[
    ('`', '~', "Backquote", 192),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    ('\\', '|', "Backslash", 220),
    (']', '}', "BracketRight", 221),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
];

/// What Shift makes of the digits 0 to 9.
const SHIFTED_DIGITS: [char; 10] = [')', '!', '@', '#', '$', '%', '^', '&', '*', '('];

/// The numeric pad: name, what it types, virtual key code.
const PAD: &[(&str, char, &str, i64)] = &[
    ("*", '*', "NumpadMultiply", 106),
    ("+", '+', "NumpadAdd", 107),
    ("-", '-', "NumpadSubtract", 109),
    ("/", '/', "NumpadDivide", 111),
];

/// Keys of the numeric pad without and with Num Lock (here: Shift): name, function, virtual key code of it.
const PAD_DIGITS: &[(&str, &str, i64)] = &[
    ("Numpad0", "Insert", 45),
    ("Numpad1", "End", 35),
    ("Numpad2", "ArrowDown", 40),
    ("Numpad3", "PageDown", 34),
    ("Numpad4", "ArrowLeft", 37),
    ("Numpad5", "Clear", 12),
    ("Numpad6", "ArrowRight", 39),
    ("Numpad7", "Home", 36),
    ("Numpad8", "ArrowUp", 38),
    ("Numpad9", "PageUp", 33),
];

fn typing(character: char, code: String, virtual_key: i64, location: i64) -> Key {
    Key { key: character.into(), code, virtual_key, location, text: character.into() }
}

fn silent(key: &str, code: &str, virtual_key: i64, location: i64) -> Key {
    Key { key: key.into(), code: code.into(), virtual_key, location, text: String::new() }
}

/// The bit of a modifier key.
pub fn modifier(key: &Key) -> i64 {
    match key.key.as_str() {
        "Alt" => ALT,
        "Control" => CONTROL,
        "Meta" => META,
        "Shift" => SHIFT,
        _ => 0,
    }
}

/// A key by its name; `shift` matters for names of physical keys (`KeyA`, `Digit1`, `Slash`, `Numpad1`).
pub fn find(name: &str, shift: bool) -> Option<Key> {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return character_key(character);
    }
    let enter = |code: &str, location| Key {
        key: "Enter".into(),
        code: code.into(),
        virtual_key: 13,
        location,
        text: "\r".into(),
    };
    match name {
        "Enter" => return Some(enter("Enter", 0)),
        "NumpadEnter" => return Some(enter("NumpadEnter", 3)),
        "Space" => return Some(typing(' ', "Space".into(), 32, 0)),
        "NumpadDecimal" if shift => return Some(typing('.', name.into(), 110, 3)),
        "NumpadDecimal" => return Some(silent("\0", name, 46, 3)),
        "NumpadEqual" => return Some(typing('=', name.into(), 187, 3)),
        _ => {}
    }
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, real)| real);
    if let Some(&(key, code, virtual_key, location)) = NAMED.iter().find(|(n, ..)| *n == name) {
        return Some(silent(key, code, virtual_key, location));
    }
    if let Some(&(code, key, virtual_key, location)) = SIDES.iter().find(|(n, ..)| *n == name) {
        return Some(silent(key, code, virtual_key, location));
    }
    if let Some(&(plain, shifted, code, virtual_key)) = SYMBOLS.iter().find(|(_, _, code, _)| *code == name) {
        return Some(typing(if shift { shifted } else { plain }, code.into(), virtual_key, 0));
    }
    if let Some(&(_, character, code, virtual_key)) = PAD.iter().find(|(_, _, code, _)| *code == name) {
        return Some(typing(character, code.into(), virtual_key, 3));
    }
    if let Some((number, &(code, function, virtual_key))) =
        PAD_DIGITS.iter().enumerate().find(|(_, (code, ..))| *code == name)
    {
        return Some(if shift {
            typing(char::from(b'0' + number as u8), code.into(), 96 + number as i64, 3)
        } else {
            silent(function, code, virtual_key, 3)
        });
    }
    if let Some(letter) = name.strip_prefix("Key").filter(|l| l.len() == 1).and_then(|l| l.chars().next()) {
        let lower = letter.to_ascii_lowercase();
        return letter
            .is_ascii_uppercase()
            .then(|| typing(if shift { letter } else { lower }, name.into(), i64::from(u32::from(letter)), 0));
    }
    if let Some(digit) = name.strip_prefix("Digit").filter(|d| d.len() == 1).and_then(|d| d.parse::<usize>().ok()) {
        let character = if shift { SHIFTED_DIGITS[digit] } else { char::from(b'0' + digit as u8) };
        return Some(typing(character, name.into(), 48 + digit as i64, 0));
    }
    let function = name.strip_prefix('F').and_then(|n| n.parse::<i64>().ok()).filter(|n| (1..=24).contains(n))?;
    (name == format!("F{function}")).then(|| silent(name, name, 111 + function, 0))
}

/// The key that types a character; Shift is not implied.
fn character_key(character: char) -> Option<Key> {
    match character {
        'a'..='z' | 'A'..='Z' => {
            let upper = character.to_ascii_uppercase();
            Some(typing(character, format!("Key{upper}"), i64::from(u32::from(upper)), 0))
        }
        '0'..='9' => Some(typing(character, format!("Digit{character}"), i64::from(u32::from(character)), 0)),
        ' ' => Some(typing(' ', "Space".into(), 32, 0)),
        '\r' | '\n' => find("Enter", false),
        '\0' => Some(silent("\0", "NumpadDecimal", 46, 3)),
        _ => {
            let digit = SHIFTED_DIGITS.iter().position(|c| *c == character);
            if let Some(&(_, _, code, virtual_key)) = PAD.iter().find(|(_, c, ..)| *c == character) {
                return Some(typing(character, code.into(), virtual_key, 3));
            }
            if let Some(digit) = digit {
                return Some(typing(character, format!("Digit{digit}"), 48 + digit as i64, 0));
            }
            SYMBOLS
                .iter()
                .find(|(plain, shifted, ..)| *plain == character || *shifted == character)
                .map(|(_, _, code, virtual_key)| typing(character, (*code).into(), *virtual_key, 0))
        }
    }
}

/// Reads a combination: `A`, `Control+A`, `Control++`. The last key is pressed, the others are held.
/// A single character that no key types is allowed alone and comes back as a key with only a text.
pub fn combination(text: &str) -> Result<Vec<Key>, InputError> {
    let mut tokens: Vec<String> = Vec::new();
    let mut token = String::new();
    for character in text.chars() {
        if character == '+' && !token.is_empty() {
            tokens.push(std::mem::take(&mut token));
        } else {
            token.push(character);
        }
    }
    if !token.is_empty() {
        tokens.push(token);
    }
    if tokens.is_empty() {
        return Err(InputError::Key(format!("Key {text} could not be parsed.")));
    }
    for (number, token) in tokens.iter().enumerate() {
        if tokens[..number].contains(token) {
            return Err(InputError::Key(format!("Key {text} contains duplicate keys.")));
        }
    }
    if let ([only], true) = (tokens.as_slice(), text.chars().count() == 1)
        && find(only, false).is_none()
    {
        return Ok(vec![Key {
            key: only.clone(),
            code: String::new(),
            virtual_key: 0,
            location: 0,
            text: only.clone(),
        }]);
    }
    // A held Shift changes what physical keys produce.
    let mut shift = false;
    let mut keys = Vec::new();
    for token in &tokens {
        let key = find(token, shift).ok_or_else(|| unknown(token))?;
        shift |= modifier(&key) == SHIFT;
        keys.push(key);
    }
    Ok(keys)
}

/// One short line, with a name that may have been meant.
fn unknown(token: &str) -> InputError {
    let names = NAMED.iter().map(|(name, ..)| *name).chain(["Enter", "Space", "F1", "KeyA", "Digit1", "Numpad1"]);
    let wanted = token.to_lowercase();
    let near = names.filter(|name| {
        let name = name.to_lowercase();
        name == wanted || name.starts_with(&wanted) || name.ends_with(&wanted) || wanted == format!("{name}key")
    });
    let near = match wanted.as_str() {
        "ctrl" => Some("Control"),
        "cmd" | "command" | "win" | "super" => Some("Meta"),
        "option" | "opt" => Some("Alt"),
        "return" => Some("Enter"),
        "esc" => Some("Escape"),
        "del" => Some("Delete"),
        _ => near.into_iter().next(),
    };
    let near = near.map(|name| format!(" Did you mean {name}?")).unwrap_or_default();
    InputError::Key(format!("{token} is invalid.{near}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        combination(text).unwrap().into_iter().map(|key| key.key).collect()
    }

    #[test]
    fn combinations_are_read_as_by_the_original() {
        assert_eq!(names("Control+A"), ["Control", "A"]);
        assert_eq!(names("Control++"), ["Control", "+"]);
        assert_eq!(names("+"), ["+"]);
        assert_eq!(names("Control+Shift+KeyA"), ["Control", "Shift", "A"]);
        assert_eq!(names("Shift+Digit1"), ["Shift", "!"]);
        assert_eq!(names("Shift+a"), ["Shift", "a"]);
        assert_eq!(names("é"), ["é"]);
        for (text, message) in [
            ("", "Key  could not be parsed."),
            ("a+a", "Key a+a contains duplicate keys."),
            ("Control+Shift+Nope", "Nope is invalid."),
            ("Ctrl+a", "Ctrl is invalid. Did you mean Control?"),
            ("Control+é", "é is invalid."),
            ("F25", "F25 is invalid."),
        ] {
            assert_eq!(combination(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn keys_produce_what_a_us_keyboard_does() {
        let key = |name| find(name, false).unwrap();
        assert_eq!(key("Enter").text, "\r");
        assert_eq!((key("!").code.as_str(), key("!").virtual_key), ("Digit1", 49));
        assert_eq!((key("*").code.as_str(), key("*").virtual_key, key("*").location), ("NumpadMultiply", 106, 3));
        assert_eq!((key("Numpad1").key.as_str(), find("Numpad1", true).unwrap().text.as_str()), ("End", "1"));
        assert_eq!((key("F12").virtual_key, key("ShiftRight").location), (123, 2));
        assert_eq!(key("Abort"), key("Cancel"));
        for name in ["keyA", "KeyAA", "Digit10", "F01", "enter"] {
            assert!(find(name, false).is_none(), "{name}");
        }
    }
}
