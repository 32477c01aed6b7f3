//! The serial fraction of some work: the part that more threads do not shorten, by a fit of
//! Amdahl's law.

use super::float;
use super::student::student_t;

/// The serial fraction of some work, with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SerialFraction {
    /// The share of the time on one thread that more threads do not shorten; below 0 if the speedup is
    /// greater than the number of threads.
    pub share: f64,
    /// 95% confidence interval of the share; `None` with fewer than three times.
    pub interval: Option<(f64, f64)>,
}

impl SerialFraction {
    /// Fits `T(n) = a + b / n` to times on n threads by least squares. The share is `a / (a + b)`. Its interval
    /// is by the delta method and Student's t, whose degrees of freedom are the number of times minus 2.
    /// `None` with fewer than two different thread counts, or if `a + b` is not positive.
    pub fn of(times: &[(u32, f64)]) -> Option<Self> {
        let count = float(times.len());
        let inverse = |threads: u32| 1.0 / f64::from(threads.max(1));
        let mean_x = times.iter().map(|&(threads, _)| inverse(threads)).sum::<f64>() / count;
        let mean_y = times.iter().map(|&(_, time)| time).sum::<f64>() / count;
        let (mut squares, mut products) = (0.0, 0.0);
        for &(threads, time) in times {
            let x = inverse(threads) - mean_x;
            squares += x * x;
            products += x * (time - mean_y);
        }
        let spread = products / squares;
        let serial = mean_y - spread * mean_x;
        let one = serial + spread;
        if !(1e-12 < squares && 0.0 < one) {
            return None;
        }
        let share = serial / one;
        let rest = |&(threads, time): &(u32, f64)| time - serial - spread * inverse(threads);
        let rests: f64 = times.iter().map(|time| rest(time) * rest(time)).sum();
        let degrees = times.len().saturating_sub(2);
        let interval = (0 < degrees).then(|| {
            let variance = rests / float(degrees);
            let of_spread = variance / squares;
            let of_serial = variance / count + of_spread * mean_x * mean_x;
            let together = -of_spread * mean_x;
            let (by_serial, by_spread) = (spread / (one * one), -serial / (one * one));
            let of_share = by_serial * by_serial * of_serial
                + by_spread * by_spread * of_spread
                + 2.0 * by_serial * by_spread * together;
            let error = student_t(degrees, 0.95) * of_share.max(0.0).sqrt();
            (share - error, share + error)
        });
        Some(Self { share, interval })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_fit_is_that_of_the_textbook() {
        // T(n) = 10 + 90 / n. For each n, one time is 1 too low and one is 1 too high.
        let times = [(1, 99.0), (1, 101.0), (2, 54.0), (2, 56.0), (4, 31.5), (4, 33.5)];
        let fit = SerialFraction::of(&times).unwrap();
        assert!((fit.share - 0.1).abs() < 1e-12, "{fit:?}");
        // The residuals are ±1: their variance is 6 / 4. With x = 1 / n: Sxx = 7 / 12, var b = 18 / 7,
        // var a = 1 / 4 + 7 / 8, cov = -3 / 2. The derivative of the share by a is 0.009, by b -0.001;
        // t(4) = 2.776 445.
        let variance: f64 =
            0.009 * 0.009 * 1.125 + 0.001 * 0.001 * 18.0 / 7.0 + 2.0 * 0.009 * 0.001 * 1.5;
        let error = 2.776_445_105 * variance.sqrt();
        let (low, high) = fit.interval.unwrap();
        assert!((low - 0.1 + error).abs() < 1e-9 && (high - 0.1 - error).abs() < 1e-9, "{fit:?}");
    }

    #[test]
    fn one_thread_count_reports_nothing_and_two_times_have_no_interval() {
        assert_eq!(SerialFraction::of(&[(1, 100.0), (1, 101.0)]), None);
        assert_eq!(SerialFraction::of(&[]), None);
        let fit = SerialFraction::of(&[(1, 100.0), (2, 55.0)]).unwrap();
        assert!((fit.share - 0.1).abs() < 1e-12);
        assert_eq!(fit.interval, None);
    }

    proptest! {
        #[test]
        fn work_that_follows_the_law_gives_its_share(share in 0.0_f64..1.0, one in 1.0_f64..1e9) {
            let times: Vec<(u32, f64)> = [1, 2, 4, 8, 16]
                .map(|threads| (threads, one * (share + (1.0 - share) / f64::from(threads))))
                .into();
            let fit = SerialFraction::of(&times).unwrap();
            prop_assert!((fit.share - share).abs() < 1e-9, "{fit:?}");
        }
    }
}
