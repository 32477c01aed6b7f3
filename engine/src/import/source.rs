//! The kinds of files that are read.

/// The kind of an imported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A run file, or an exported run.
    Json,
    /// An HTML report of this program, which contains its run.
    Html,
    /// A log of MangoHud.
    MangoHud,
    /// A CSV of PresentMon, of any of its generations.
    PresentMon,
    /// A CSV of OCAT.
    Ocat,
    /// A CSV of FrameView.
    FrameView,
    /// A capture of CapFrameX, JSON or CSV.
    CapFrameX,
    /// A hardware monitoring log of MSI Afterburner.
    Afterburner,
    /// A result of cyclictest, JSON or text.
    Cyclictest,
    /// A histogram of rtla timerlat or rtla osnoise.
    Rtla,
    /// A percentile listing of HdrHistogram.
    HdrHistogram,
    /// A log of HWiNFO.
    HwInfo,
    /// A performance log of AMD Software: Adrenalin Edition.
    Adrenalin,
    /// A statistics log of the OpenXR Toolkit.
    OpenXrToolkit,
    /// A CSV that XRFrameTools made of its log.
    XrFrameTools,
    /// The frame times of a Fraps benchmark.
    Fraps,
    /// A file of the CSV profiler of Unreal Engine.
    Unreal,
    /// A result of oslat.
    Oslat,
    /// A result of jitterdebugger.
    Jitterdebugger,
    /// Any CSV with a column of frame times.
    Columns,
    /// Any CSV with a column of the times of a server's ticks.
    Ticks,
}

impl Source {
    /// All kinds of files.
    pub const ALL: [Self; 21] = [
        Self::Json,
        Self::Html,
        Self::MangoHud,
        Self::PresentMon,
        Self::Ocat,
        Self::FrameView,
        Self::CapFrameX,
        Self::Afterburner,
        Self::Cyclictest,
        Self::Rtla,
        Self::HdrHistogram,
        Self::HwInfo,
        Self::Adrenalin,
        Self::OpenXrToolkit,
        Self::Fraps,
        Self::Unreal,
        Self::Oslat,
        Self::Jitterdebugger,
        Self::Columns,
        Self::Ticks,
        Self::XrFrameTools,
    ];

    /// Returns the displayed name of this kind of file.
    pub const fn label(self) -> &'static str {
        self.words().1
    }

    /// Returns the displayed name with an article, for a sentence: `an OCAT CSV`.
    pub fn with_article(self) -> String {
        let (article, label, _) = self.words();
        format!("{article} {label}")
    }

    /// Returns the program that recorded the file.
    pub(super) const fn program(self) -> &'static str {
        self.words().2
    }

    /// Returns the article of the displayed name, the displayed name, and the program that recorded the file.
    const fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            // OCAT is spoken as a word, rtla and the beginning of HdrHistogram letter by letter:
            // all begin with a vowel sound.
            Self::Json => ("a", "Jitterscope JSON", "Jitterscope"),
            Self::Html => ("a", "Jitterscope HTML report", "Jitterscope"),
            Self::MangoHud => ("a", "MangoHud log", "MangoHud"),
            Self::PresentMon => ("a", "PresentMon CSV", "PresentMon"),
            Self::Ocat => ("an", "OCAT CSV", "OCAT"),
            Self::FrameView => ("a", "FrameView CSV", "FrameView"),
            Self::CapFrameX => ("a", "CapFrameX capture", "CapFrameX"),
            Self::Afterburner => ("an", "Afterburner log", "Afterburner"),
            Self::Cyclictest => ("a", "cyclictest histogram", "cyclictest"),
            Self::Rtla => ("an", "rtla histogram", "rtla"),
            Self::HdrHistogram => ("an", "HdrHistogram percentile listing", "HdrHistogram"),
            Self::HwInfo => ("an", "HWiNFO log", "HWiNFO"),
            Self::Adrenalin => ("an", "Adrenalin log", "Adrenalin"),
            Self::OpenXrToolkit => ("an", "OpenXR Toolkit log", "OpenXR Toolkit"),
            Self::XrFrameTools => ("an", "XRFrameTools log", "XRFrameTools"),
            Self::Fraps => ("a", "Fraps frame time log", "Fraps"),
            Self::Unreal => ("an", "Unreal Engine CSV profile", "Unreal Engine"),
            Self::Oslat => ("an", "oslat histogram", "oslat"),
            Self::Jitterdebugger => ("a", "jitterdebugger histogram", "jitterdebugger"),
            Self::Ticks => ("a", "log of server ticks", "a server"),
            Self::Columns => ("a", "CSV with a column of frame times", "another program"),
        }
    }
}
