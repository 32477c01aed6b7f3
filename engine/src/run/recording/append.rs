//! Adds what a recorder has in addition to what it had before.

use super::{Canary, Recording};

impl Recording {
    /// Returns the single values, without what each later one adds to.
    #[must_use]
    pub fn without_lists(&self) -> Self {
        let Self { follow, length, limits, frame_uncertainty, unsaved, costs, .. } = *self;
        let Self { stall_count, stalls_omitted_until, .. } = *self;
        Self {
            label: self.label.clone(),
            follow,
            process: self.process.clone(),
            length,
            limits,
            frame_uncertainty,
            stall_count,
            stalls_omitted_until,
            tier: self.tier.clone(),
            unsaved,
            costs,
            ..Self::default()
        }
    }

    /// Adds later facts: lists continue, and single values replace earlier ones.
    pub fn append(&mut self, more: &Self) {
        let Self {
            label,
            follow,
            process,
            later_games,
            length,
            limits,
            frames,
            frame_uncertainty,
            canaries,
            stalls,
            stall_count,
            stalls_omitted_until,
            events,
            details,
            threads,
            tier,
            unsaved,
            notes,
            series,
            costs,
            // Detail is deleted from a recording that has ended, a log is joined with one, and one is compared.
            answers: _,
            before_join: _,
            earlier: _,
        } = more;
        self.label.clone_from(label);
        self.process.clone_from(process);
        self.tier.clone_from(tier);
        (self.follow, self.length, self.limits) = (*follow, *length, *limits);
        self.frame_uncertainty = *frame_uncertainty;
        (self.unsaved, self.costs) = (*unsaved, *costs);
        for (at, frame_time) in frames.iter() {
            self.frames.push(at, frame_time);
        }
        for (canary, position) in canaries.iter().zip(0..) {
            match self.canaries.get_mut(position) {
                Some(own) => own.append(canary),
                None => self.canaries.push(canary.clone()),
            }
        }
        self.later_games.extend_from_slice(later_games);
        self.stalls.extend_from_slice(stalls);
        self.stall_count = *stall_count;
        if self.stalls_omitted_until < *stalls_omitted_until {
            self.stalls_omitted_until = *stalls_omitted_until;
            self.stalls.retain(|stall| *stalls_omitted_until < stall.late);
        }
        self.events.extend_from_slice(events);
        self.details.extend_from_slice(details);
        self.threads.extend_from_slice(threads);
        self.notes.extend_from_slice(notes);
        for (name, series) in series {
            let own = self.series.entry(name.clone()).or_default();
            series.iter().for_each(|(at, value)| own.push(at, value));
        }
    }
}

impl Canary {
    /// Adds later intervals.
    fn append(&mut self, more: &Self) {
        for (own, more) in [
            (&mut self.at, &more.at),
            (&mut self.min, &more.min),
            (&mut self.p50, &more.p50),
            (&mut self.p99, &more.p99),
            (&mut self.max, &more.max),
            (&mut self.count, &more.count),
        ] {
            own.extend(more.values());
        }
    }
}
