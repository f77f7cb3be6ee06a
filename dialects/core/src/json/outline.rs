//! What a text of JSON may be, determined without reading it: so a tool can choose among readers.

/// The keys of the object that a text is, and the value of `format` when that is a string.
///
/// The text need not be right: a mistake in it is for the reader to find, which tells more.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Outline<'a> {
    /// The keys as they are written, in order.
    pub keys: Vec<&'a str>,
    /// `dlc-tiny-uops/1`
    pub format: Option<&'a str>,
}

impl<'a> Outline<'a> {
    /// Looks through a text.
    pub fn of(text: &'a str) -> Outline<'a> {
        let bytes = text.as_bytes();
        let mut outline = Outline::default();
        let (mut at, mut depth) = (0, 0usize);
        // The last string at the top, and the key that it stands after.
        let (mut last, mut key) = (None, None);
        while at < bytes.len() {
            match bytes[at] {
                b'"' => {
                    let start = at + 1;
                    at = start;
                    while at < bytes.len() && !matches!(bytes[at], b'"' | b'\n') {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                    if depth == 1 {
                        last = text.get(start..at);
                        if key == Some("format") {
                            outline.format = last;
                        }
                    }
                }
                b':' if depth == 1 => {
                    key = last.take();
                    outline.keys.extend(key);
                }
                b',' if depth == 1 => (last, key) = (None, None),
                b'{' | b'[' => {
                    depth += 1;
                    key = None;
                }
                b'}' | b']' => depth = depth.saturating_sub(1),
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    at += bytes[at..].iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
                }
                b' ' | b'\t' | b'\r' | b'\n' => {}
                // Whatever is not an object is none that is looked for.
                _ if depth == 0 => break,
                _ => {}
            }
            at += 1;
        }
        outline
    }

    /// Whether a key is there.
    pub fn has(&self, key: &str) -> bool {
        self.keys.contains(&key)
    }
}
