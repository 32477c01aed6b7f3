//! Measures a frame loop for five seconds, and prints what is found. With a folder as argument, saves the run there.
//!
//! `cargo run --release -p jitterscope-engine --example measure_frame_loop`

use std::error::Error;
use std::io::{self, Write as _};

use jitterscope_engine::measure::Event;
use jitterscope_engine::nanos::Nanos;
use jitterscope_engine::plan::{FrameLoop, Load, Plan};
use jitterscope_engine::report::{Options, Report};
use jitterscope_engine::run::Labels;
use jitterscope_engine::runner::{MachineFacts, Runner, Sink};
use jitterscope_engine::store::Store;

fn main() -> Result<(), Box<dyn Error>> {
    let settings = FrameLoop {
        fps: 144.0,
        time_each: Nanos::from_secs(5),
        load: Load::NONE,
        ..FrameLoop::default()
    };
    let request = MachineFacts::read().request(Plan::FrameLoop(settings), Labels::default());
    let folder = std::env::args_os().nth(1);
    let sink = folder.map_or(Sink::Discard, |folder| Sink::Store(Store::at(folder)));

    // The function is called when there are events. A window would draw; this program waits for the next event anyway.
    let runner = Runner::start(request, sink, || {})?;
    let mut out = io::stdout();
    let run = loop {
        match runner.next_event() {
            Some(Event::Preparing { step, .. }) => writeln!(out, "{step} …")?,
            // What the system applied can differ from what was requested; a refusal is data.
            Some(Event::Began { applied, .. }) => {
                writeln!(out, "scheduled as {}", applied.effective.policy)?;
            }
            Some(Event::Finished(run)) => break run,
            Some(_) => {}
            None => return Err("the run ended without a result".into()),
        }
    };

    let saved = runner.finish(run).save();
    let report = Report::of(&saved.run, &Options::default());
    writeln!(out, "{}: {} {}", report.word(), report.sentence(), report.evidence())?;
    if let Some(path) = saved.path {
        writeln!(out, "saved as {}", path.display())?;
    }
    Ok(())
}
