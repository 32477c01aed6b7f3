//! Tags and texts of a page of this program, which closes its elements and quotes its attributes.

/// A piece of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mark<'a> {
    /// The beginning of an element.
    Open(Tag<'a>),
    /// The end of the element of this name.
    Close(&'a str),
    /// Text between tags.
    Text(String),
}

/// The beginning of an element.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    classes: &'a str,
    /// Its name for who cannot see it.
    pub(super) label: Option<String>,
    /// The columns that a cell spans.
    pub(super) span: usize,
    /// Whether it ends at once.
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

/// The pieces of a page in order.
pub(super) struct Marks<'a> {
    rest: &'a str,
}

/// Begins to read a page.
pub(super) const fn marks(page: &str) -> Marks<'_> {
    Marks { rest: page }
}

impl<'a> Marks<'a> {
    /// Passes over everything up to and including a text.
    fn skip(&mut self, end: &str) {
        self.rest = self.rest.split_once(end).map_or("", |(_, rest)| rest);
    }

    /// Takes a tag up to the bracket that ends it, which is not one in quotes.
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
            // What is in these is no text of the page, whatever brackets it holds.
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
