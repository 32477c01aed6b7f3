//! The text of a Quick check: each answer has a sentence, and measurements without a verdict are named.

use super::*;
use crate::platform::Refusal;
use crate::report::quick::{Delayed, DelayedRow, GradeScale};
use crate::report::{Cause, Grading, Needed, Suspect};

fn of(answer: Answer, grade: Option<Grade>) -> Scorecard {
    let grade = grade.map(GradeRange::from);
    let card = |part| Card {
        part,
        is_skipped: false,
        grade,
        standing: Standing::Clear,
        denied: None,
        figure: None,
        scale: None,
        is_stated_only: false,
        has_few_gaps: false,
    };
    Scorecard {
        grade,
        standing: Standing::Clear,
        answer,
        cards: Part::ALL.map(card).to_vec(),
        rates: Vec::new(),
        delayed: None,
        advice: Vec::new(),
        trust: Vec::new(),
    }
}

#[test]
fn every_answer_has_its_sentence() {
    for (answer, grade, expected) in [
        (Answer::Unlikely, Some(Grade::Good), "Good: this PC paces frames well, even when busy."),
        (
            Answer::Occasional,
            Some(Grade::Fair),
            "Fair: this PC may cause occasional stutter when busy.",
        ),
        (
            Answer::UnderLoad,
            Some(Grade::Poor),
            "Poor: this PC is likely to cause stutter when busy.",
        ),
        (Answer::Likely, Some(Grade::Poor), "Poor: this PC is likely to cause stutter."),
        (
            Answer::Incomplete { skipped: 2, unjudged: 0 },
            None,
            "Incomplete: skipped 2 of 5 measurements.",
        ),
        (
            Answer::Incomplete { skipped: 0, unjudged: 1 },
            None,
            "Incomplete: no verdict for 1 of 5 measurements.",
        ),
    ] {
        assert_eq!(sentence(&of(answer, grade)), expected);
    }
    let bound = |answer, best, worst| {
        let card = Scorecard { grade: GradeRange::of(best, worst), ..of(answer, None) };
        sentence(&card)
    };
    assert_eq!(
        bound(Answer::Occasional, Grade::Good, Grade::Fair),
        "Fair or better: no sign of regular stutter."
    );
    assert_eq!(
        bound(Answer::Likely, Grade::Fair, Grade::Poor),
        "Fair or worse: stutter is possible."
    );
    let listed = |answer, best| {
        let grade = GradeRange::of(best, Grade::Poor);
        short_answer(&Conclusion { grade, standing: Standing::Clear, answer })
    };
    assert_eq!(listed(Answer::UnderLoad, Grade::Fair), "stutter is possible");
    assert_eq!(listed(Answer::UnderLoad, Grade::Poor), "stutter likely when busy");
    let grading = Grading { best: Grade::Good, worst: Grade::Poor, needed: Needed::TooClose };
    let undecided = of(Answer::NotEnoughData(grading), None);
    assert_eq!(sentence(&undecided), "Not enough data: between Good and Poor.");
}

#[test]
fn a_denied_part_is_named_with_the_reason_and_those_with_a_doubt_are_not() {
    let mut card = of(Answer::Incomplete { skipped: 0, unjudged: 1 }, Some(Grade::Good));
    let refusal = Refusal {
        requested: "nice 0".to_owned(),
        call: "setpriority".to_owned(),
        errno: Some(13),
        error_name: "EACCES".to_owned(),
        reason: "the program was started below normal priority".to_owned(),
        remedy: String::new(),
    };
    let [first, second, ..] = card.cards.as_mut_slice() else { panic!("five") };
    (first.grade, first.denied) = (None, Some(refusal));
    second.grade = None;
    second.standing = Standing::NotEnoughData(Grading::observed(Grade::Fair));
    assert_eq!(card_word(&card.cards[0]), "Not as requested");
    assert_eq!(why_no_number(&card.cards[0]), "This system denied nice 0.");
    assert_eq!(no_number(&card.cards[1]), "Not enough data");
    assert_eq!(
        plain_evidence(&card),
        "Without a verdict: Sleep accuracy. Denied: nice 0: the program was started below normal \
         priority (EACCES, 13)."
    );
}

#[test]
fn the_measured_rate_is_said_and_the_others_are_estimates() {
    let rate_of = |fps: f64, percent: f64, is_measured: bool| Rate {
        fps,
        period: Nanos::from_secs_f64(1.0 / fps),
        p99: Nanos::from_micros(524),
        percent,
        missed: 31,
        slots: 600,
        grade: is_measured.then_some(Grade::Good.into()),
        is_measured,
    };
    let all = [
        rate_of(30.0, 1.6, false),
        rate_of(60.0, 3.1, true),
        rate_of(120.0, 6.3, false),
        rate_of(240.0, 12.6, false),
    ];
    assert_eq!(
        rates(&all).replace('\u{202f}', " "),
        "Under load, 99% of frames start at most 524 µs late (p99): 3.1% of a frame at 60 FPS, about 12.6% at 240 FPS."
    );
    assert_eq!(rates(&all[..1]), "", "nothing was measured");
    assert_eq!(rates(&[]), "");
    let cells = |rate_of: &Rate| rate(rate_of).map(|cell| cell.replace('\u{202f}', " "));
    assert_eq!(cells(&all[1]), ["60", "16.67 ms", "524 µs late", "3.1%", "5.2%"]);
    assert_eq!(rate_word(&all[1]), "Good");
    assert_eq!(cells(&all[2]), ["120", "8.333 ms", "about 524 µs late", "about 6.3%", "–"]);
    assert_eq!(rate_word(&all[2]), "estimate");
}

fn late(culprits: &[(&str, Cause, u64)], late_count: u64) -> Delayed {
    let row = |&(name, cause, count): &(&str, Cause, u64)| DelayedRow {
        name: name.to_owned(),
        cause,
        program: (cause == Cause::Thread).then(|| name.to_owned()),
        count,
        worst: Nanos::from_micros(1_247),
        culprits: 1,
    };
    Delayed {
        part: Part::FrameLoad,
        late_count,
        frame_count: 600,
        above: Nanos::new(166_667),
        period: Nanos::new(16_666_667),
        rows: culprits.iter().map(row).collect(),
        main: Some("steam.exe".to_owned()),
        suspect: Some("chrome".to_owned()),
    }
}

#[test]
fn what_to_do_counts_the_frames_of_its_note() {
    let plain = |text: String| text.replace('\u{202f}', " ");
    let delayed = late(&[("steam.exe", Cause::Thread, 41), ("", Cause::WaitedForCpu, 19)], 60);
    assert_eq!(
        plain(delayed_note(&delayed)),
        "60 of 600 frames under load started more than 167 µs late (1.0% of a frame)"
    );
    let words: Vec<_> = delayed.rows.iter().map(|row| delayed_row(&delayed, row)).collect();
    assert_eq!(words[0].title, "steam.exe delayed 41 of these 60 frames");
    assert_eq!(
        plain(words[0].text.clone()),
        "Up to 1.247 ms (7.5% of a frame). Pause or close it, then run again."
    );
    assert_eq!(words[1].title, "19 of these 60 frames waited for a CPU");
    assert!(
        words[1].text.ends_with("chrome was busy at that time and may be the cause."),
        "{}",
        words[1].text
    );
    let one = late(&[("steam.exe", Cause::Thread, 1)], 1);
    assert_eq!(delayed_row(&one, &one.rows[0]).title, "steam.exe delayed this frame");
    let others = DelayedRow { culprits: 4, count: 8, ..delayed.rows[0].clone() };
    assert_eq!(delayed_row(&delayed, &others).title, "4 others delayed 8 of these 60 frames");
    let none = late(&[], 0);
    let card = Scorecard { delayed: Some(none), ..of(Answer::Unlikely, Some(Grade::Good)) };
    assert_eq!(
        nothing_to_do(&card).map(plain).as_deref(),
        Some("No frame was more than 167 µs late. Nothing to do.")
    );
    let card = Scorecard { delayed: Some(delayed), ..card };
    assert_eq!(nothing_to_do(&card), None);
    assert!(plain_evidence(&card).ends_with("Main cause of delays: steam.exe."));
    let standing = Standing::Noted(Disturbance::OtherPrograms(1.9));
    let blamed = Scorecard {
        standing,
        delayed: card.delayed.clone(),
        ..of(Answer::Likely, Some(Grade::Poor))
    };
    assert_eq!(
        sentence(&blamed),
        "Poor: because of steam.exe, this PC is likely to cause stutter."
    );
    // The main source of a part with a better grade is not why the check has its grade.
    let mut elsewhere = blamed.clone();
    for part in elsewhere.cards.iter_mut().filter(|part| part.part == Part::FrameLoad) {
        part.grade = Some(Grade::Good.into());
    }
    assert_eq!(
        sentence(&elsewhere),
        "Poor: because other programs were busy, this PC is likely to cause stutter."
    );
    let own = Scorecard { standing: Standing::Clear, ..blamed };
    assert_eq!(sentence(&own), "Poor: this PC is likely to cause stutter.");
    assert_eq!(what_to_do(&card)[0], words[0]);
    assert_eq!(first_to_do(&card).unwrap(), "Pause or close steam.exe, then run again.");
    // Late frames whose cause is not observable give no advice; other advice remains.
    let unseen = [("Not observable here", Cause::NotObservable, 60)];
    let mut card = Scorecard { delayed: Some(late(&unseen, 60)), ..card };
    card.delayed.as_mut().unwrap().rows[0].program = None;
    card.advice = vec![Advice::RepeatWhole];
    assert_eq!(first_to_do(&card).unwrap(), "Run the check again.");
    let titles: Vec<String> = what_to_do(&card).into_iter().map(|words| words.title).collect();
    assert_eq!(titles.len(), 1, "nobody is to be acted on for them: {titles:?}");
    let note = plain(delayed_note(card.delayed.as_ref().unwrap()));
    assert!(note.ends_with("; the cause of 60 is not observable here"), "{note}");
    let gap = |culprit: &str| Advice::LongGaps {
        label: "CPU 0".to_owned(),
        longest: Nanos::from_millis(12),
        culprit: Some(culprit.to_owned()),
    };
    assert_eq!(
        advice(&gap("[kdamond.0]")).text,
        "It is part of the kernel (monitoring of memory use, DAMON) and cannot be closed. Run Scheduling gaps to see \
         how often it runs."
    );
    assert!(advice(&gap("steam.exe")).text.starts_with("It had the CPU in the longest gap."));
}

#[test]
fn the_weakest_result_is_named_with_its_metric() {
    let plain = |text: String| text.replace('\u{202f}', " ");
    let limits = [167, 833, 2_500].map(Nanos::from_micros);
    let mut card = of(Answer::UnderLoad, Some(Grade::Poor));
    let p99 = Nanos::from_micros(5_100);
    card.cards[2].figure = Some(Figure::Frame {
        p99,
        percent: 30.6,
        missed: 0,
        slots: 600,
        missed_words: None,
        rare_interval: Nanos::from_millis(1_430),
        busy: Some((8, 16)),
        full_load: Some(Nanos::from_micros(9_214)),
    });
    let interval = Some((Nanos::from_micros(4_900), Nanos::from_micros(5_300)));
    card.cards[2].scale = Some(GradeScale { limits, value: p99, interval, worst: p99 });
    assert_eq!(
        plain(plain_evidence(&card)),
        "99% of frames start at most 5.100 ms late under load (p99 lateness, 30.6% of a frame); none was missed."
    );
    let words = super::card(&card.cards[2]).unwrap();
    assert_eq!(words.caption, "p99 lateness, 8 of 16 CPUs busy");
    assert_eq!(
        plain(words.sentence),
        "95% CI 4.900 ms to 5.300 ms. None of 600 frames missed. All CPUs busy: 9.214 ms, not graded."
    );
    card.cards[2].grade = GradeRange::of(Grade::Excellent, Grade::Good);
    let words = super::card(&card.cards[2]).unwrap();
    assert!(words.sentence.contains(": covers Excellent and Good."), "{}", words.sentence);
    // Without an interval, the grade rests on the largest lateness.
    card.cards[2].scale = Some(GradeScale { limits, value: p99, interval: None, worst: p99 });
    let sentence = plain(super::card(&card.cards[2]).unwrap().sentence);
    let expected = "No frame was more than 833 µs late. If late frames come more rarely than every 1.4 s, \
                    this run cannot show them. None of 600 frames missed.";
    assert!(sentence.starts_with(expected), "{sentence}");
}

#[test]
fn missed_frames_that_decide_a_grade_are_stated_first() {
    let mut card = of(Answer::UnderLoad, Some(Grade::Fair));
    let p99 = Nanos::from_micros(120);
    let limits = [167, 833, 2_500].map(Nanos::from_micros);
    card.cards[2].figure = Some(Figure::Frame {
        p99,
        percent: 5.04,
        missed: 4,
        slots: 600,
        missed_words: Some("4 of 600 frames were missed (95% CI from 1.8 of 1 000)".to_owned()),
        rare_interval: Nanos::from_millis(1_430),
        busy: None,
        full_load: None,
    });
    card.cards[2].scale = Some(GradeScale { limits, value: p99, interval: None, worst: p99 });
    let words = weakest(&card).replace('\u{202f}', " ");
    let expected = "4 of 600 frames were missed (95% CI from 1.8 of 1 000) under load; p99 lateness is \
                    120 µs, 5.04% of a frame.";
    assert_eq!(words, expected);
}

#[test]
fn an_inconclusive_check_states_its_number() {
    let disturbance = Disturbance::OtherPrograms(0.5);
    let measured = Grading::observed(Grade::Poor);
    let open = Standing::Inconclusive { measured, disturbance };
    let mut card = of(Answer::Inconclusive { idle: Some(Grade::Poor.into()), loaded: None }, None);
    card.standing = open;
    let longest = Nanos::from_millis(1_840);
    card.cards[3].standing = open;
    card.cards[3].figure = Some(Figure::Gaps {
        label: "CPU 1".to_owned(),
        longest,
        runtime: Nanos::from_secs(10),
        cpus: 2,
        culprit: None,
        own_gap_count: 0,
    });
    let words = plain_evidence(&card).replace('\u{202f}', " ");
    assert!(words.starts_with("Measured anyway: Poor, longest gap 1.84 s. "), "{words}");
}

#[test]
fn the_summary_names_the_programs_that_delayed_frames() {
    let mut card = of(Answer::Unlikely, Some(Grade::Good));
    let culprits = [
        ("steam.exe", Cause::Thread, 41),
        ("nvme0q3", Cause::Interrupt, 11),
        ("x", Cause::Thread, 8),
    ];
    card.delayed = Some(late(&culprits, 60));
    card.trust = vec![QualityCheck::OtherPrograms { share: None, is_disturbing: false }];
    let unknown = &super::blocks::quality(&card)[0];
    assert_eq!((unknown.sign, unknown.value.as_str()), (None, "Not reported by this system."));
    card.trust = vec![QualityCheck::OtherPrograms { share: Some(0.06), is_disturbing: false }];
    let summary = document(&card, CheckParts::default()).summary;
    assert!(summary.statement.answer().starts_with("Good: this PC paces"), "{summary:?}");
    assert_eq!(summary.grid.header, Part::ALL.map(Part::name));
    let delayed = "Delayed by: steam.exe 41, nvme0q3 11, x 8 of 60 frames more than 167 µs late";
    let lines = summary.facts.iter().flatten();
    assert!(
        lines.map(|it| it.text.replace('\u{202f}', " ")).any(|it| it == delayed),
        "{summary:?}"
    );
}

#[test]
fn only_programs_that_disturb_are_to_be_closed() {
    let programs = [("rustc", 1.77), ("python3", 0.3), ("sshd", 0.012)];
    let programs = programs.map(|(name, share)| Suspect { name: name.to_owned(), share });
    let advice = vec![Advice::OtherPrograms { share: 1.95, programs: programs.to_vec() }];
    let card = Scorecard { advice, ..of(Answer::Unlikely, Some(Grade::Good)) };
    assert_eq!(busy_names(&card).as_deref(), Some("rustc and python3"));
}
