//! A parser of tags and texts for pages that this program writes: every element is closed, and
//! attributes are quoted.

/// A token of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mark<'a> {
    /// A start tag.
    Open(Tag<'a>),
    /// An end tag, with the name of the element.
    Close(&'a str),
    /// Text between tags.
    Text(String),
}

/// A start tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    classes: &'a str,
    /// The `aria-label` of the element, which screen readers use.
    pub(super) label: Option<String>,
    /// The number of columns that a table cell spans.
    pub(super) span: usize,
    /// Whether the element has no content and no end tag.
    pub(super) is_empty: bool,
}

impl<'a> Tag<'a> {
    fn of(text: &'a str) -> Self {
        let name = text.split([' ', '\n', '/']).next().unwrap_or_default();
        let attribute = |key: &str| {
            let from = text.find(key)? + key.len();
            text.get(from..)?.split('"').next()
        };
        Self {
            name,
            classes: attribute(" class=\"").unwrap_or_default(),
            label: attribute(" aria-label=\"").map(unescaped),
            span: attribute(" colspan=\"").and_then(|span| span.parse().ok()).unwrap_or(1),
            is_empty: text.ends_with('/'),
        }
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.name == name
    }

    pub(super) fn has_class(&self, class: &str) -> bool {
        self.classes.split(' ').any(|one| one == class)
    }
}

/// An iterator over the tokens of a page.
pub(super) struct Marks<'a> {
    rest: &'a str,
}

/// Returns the tokens of a page.
pub(super) const fn marks(page: &str) -> Marks<'_> {
    Marks { rest: page }
}

impl<'a> Marks<'a> {
    /// Skips everything up to and including `end`.
    fn skip(&mut self, end: &str) {
        self.rest = self.rest.split_once(end).map_or("", |(_, rest)| rest);
    }

    /// Consumes and returns the text of a tag up to its closing bracket; brackets within quotes do not end the tag.
    fn tag(&mut self) -> &'a str {
        let mut is_quoted = false;
        let end = self.rest.find(|letter: char| {
            is_quoted ^= letter == '"';
            letter == '>' && !is_quoted
        });
        let (tag, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.get(1..).unwrap_or_default();
        tag
    }
}

impl<'a> Iterator for Marks<'a> {
    type Item = Mark<'a>;

    fn next(&mut self) -> Option<Mark<'a>> {
        loop {
            if self.rest.is_empty() {
                return None;
            }
            if !self.rest.starts_with('<') {
                let end = self.rest.find('<').unwrap_or(self.rest.len());
                let (text, rest) = self.rest.split_at(end);
                self.rest = rest;
                return Some(Mark::Text(unescaped(text)));
            }
            self.rest = self.rest.get(1..).unwrap_or_default();
            let tag = self.tag();
            if let Some(name) = tag.strip_prefix('/') {
                return Some(Mark::Close(name));
            }
            let tag = Tag::of(tag);
            // The content of scripts and styles is not text of the page, even if it contains brackets.
            match tag.name {
                "script" => self.skip("</script>"),
                "style" => self.skip("</style>"),
                "meta" | "br" | "!DOCTYPE" => {}
                _ => return Some(Mark::Open(tag)),
            }
        }
    }
}

fn unescaped(text: &str) -> String {
    let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    plain.replace("&#39;", "'").replace("&amp;", "&")
}
