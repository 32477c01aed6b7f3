//! Starts runs: in this process immediately, by an agent on a background thread.

use std::time::Instant;

use jitterscope_engine::plan::Plan;
use jitterscope_engine::run::Labels;
use jitterscope_engine::runner::{Host, MachineFacts, Runner, Sink};

use super::{Active, Context, Live, Phase, Running, RunningMessage, TestState};

impl Running {
    /// Handles a run that an agent has started.
    pub(super) fn take_started(&mut self, runner: Runner) {
        let Some(active) = &mut self.active else { return };
        if active.is_stopped {
            runner.stop();
        }
        active.runner = Some(runner);
    }

    /// Handles a run that an agent failed to start: reports the error, and ends the check or series
    /// of the run.
    pub(super) fn take_not_started(&mut self, error: &str, context: &Context) {
        context.report_error(format!("The test was not run: {error}."));
        self.active = None;
        self.quick.stop();
        let test = self.tests.iter().find(|state| state.live().is_some()).map(TestState::key);
        if let Some(test) = test {
            self.drop_run(test, context);
        }
    }

    /// Ends a test that produced no run, and the series to which the test belongs.
    pub(super) fn drop_run(&mut self, test: &str, context: &Context) {
        if let Some(state) = self.test_mut(test) {
            state.set_phase(Phase::Idle);
        }
        self.drop_part(context);
        self.followed = None;
        self.sequence = None;
    }

    /// Starts to measure a plan, which also becomes the settings of its test.
    pub(super) fn start(&mut self, plan: &Plan, labels: Labels, context: &Context) {
        if self.is_running() || self.quick.check.is_some() {
            return;
        }
        if let Some(state) = self.test_mut(plan.key()) {
            state.set_plan(plan.clone());
        }
        self.start_plan(plan.clone(), labels, context);
    }

    /// Starts to measure a plan; returns whether the measurement was started or, by an agent, is
    /// being started.
    pub(super) fn start_plan(&mut self, plan: Plan, labels: Labels, context: &Context) -> bool {
        // All parts of a quick check run on the same host.
        let Some(host) = self.quick.host().or_else(|| context.host.clone()) else {
            context.report_error(crate::text::series::NOT_CONNECTED);
            return false;
        };
        let Some(facts) = &context.facts else { return false };
        let window = self.tasks.host.clone();
        let wake = move || window.wake();
        let Some(state) = self.tests.iter_mut().find(|state| state.key() == plan.key()) else {
            return false;
        };
        let planned = plan.duration(&facts.cpus);
        let request = MachineFacts {
            machine: facts.machine.clone(),
            clock: facts.clock.clone(),
            cpus: facts.cpus.clone(),
        };
        let sink = context.store.clone().map_or(Sink::Discard, Sink::Store);
        let mut request = request.request(plan, labels);
        request.trace = state.trace;
        let runner = match host {
            Host::Here => match host.start(request, sink, wake) {
                Ok(runner) => Some(runner),
                Err(error) => {
                    context.report_error(format!("The test was not run: {error}."));
                    return false;
                }
            },
            // Starting takes a while: wait for the agent on a background thread.
            Host::Agent(_) => {
                let start = move || match host.start(request, sink, wake) {
                    Ok(runner) => Ok(Box::new(runner)),
                    Err(error) => Err(error.to_string()),
                };
                self.tasks.spawn_at_own_priority("start", start, RunningMessage::Started);
                None
            }
        };
        state.set_phase(Phase::Running(Box::new(Live::new(planned, Instant::now()))));
        self.active = Some(Active { runner, is_stopped: false, cost_at_start: self.window_cost });
        self.endings.begin();
        true
    }
}
