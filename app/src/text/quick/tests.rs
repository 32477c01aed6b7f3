//! The words of a check: each answer has its sentence, and what is not known is named.

use jitterscope_engine::platform::Refusal;
use jitterscope_engine::report::Grading;

use super::*;

fn of(answer: Answer, grade: Option<Grade>) -> Scorecard {
    let card = |part| Card {
        part,
        is_skipped: false,
        grade,
        standing: Standing::Clear,
        denied: None,
        figure: None,
        strip: None,
    };
    Scorecard {
        grade,
        standing: Standing::Clear,
        answer,
        cards: Part::ALL.map(card).to_vec(),
        rates: Vec::new(),
        advice: Vec::new(),
        trust: Vec::new(),
    }
}

#[test]
fn every_answer_has_its_sentence() {
    for (answer, grade, expected) in [
        (Answer::Unlikely, Some(Grade::Good), "This PC is unlikely to cause stutter."),
        (Answer::Occasional, Some(Grade::Fair), "This PC may cause occasional stutter."),
        (
            Answer::UnderLoad,
            Some(Grade::Poor),
            "This PC is likely to cause stutter when other programs are busy.",
        ),
        (Answer::Likely, Some(Grade::Poor), "This PC is likely to cause stutter."),
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
        grade: is_measured.then_some(Grade::Good),
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
