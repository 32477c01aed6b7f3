//! Parsers for Linux text about clocks, limits, capabilities, and containers.

/// Parses the preemption model from `/proc/version`: the word that begins with `PREEMPT`.
pub fn preemption(version: &str) -> Option<String> {
    let word = version.split_whitespace().find(|word| word.starts_with("PREEMPT"))?;
    Some(word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_').to_owned())
}

/// Whether a capability, given by its number, is among the effective capabilities in `/proc/self/status`.
pub fn has_capability(status: &str, capability: u32) -> Option<bool> {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    let mask = u64::from_str_radix(line.trim(), 16).ok()?;
    Some(mask.checked_shr(capability)? & 1 == 1)
}

/// Parses the CPU quota in percent of one CPU: 50 for `50000 100000`; `None` for `max` and for
/// `-1`, which mean no quota. The text is `cpu.max` of a control group, or `cpu.cfs_quota_us`
/// followed by `cpu.cfs_period_us`.
pub fn quota_percent(text: &str) -> Option<u32> {
    let mut words = text.split_whitespace();
    let quota: u64 = words.next()?.parse().ok()?;
    let period: u64 = words.next()?.parse().ok()?;
    u32::try_from(quota.checked_mul(100)?.checked_div(period)?).ok()
}

/// Parses for how many nanoseconds a control group was throttled, from `cpu.stat` of cgroup version 1 or 2.
pub fn throttled_nanos(stat: &str) -> Option<i64> {
    stat.lines().find_map(|line| {
        let (name, value) = line.split_once(' ')?;
        let value: i64 = value.trim().parse().ok()?;
        match name {
            "throttled_usec" => value.checked_mul(1_000),
            "throttled_time" => Some(value),
            _ => None,
        }
    })
}

/// Returns the path of the control group for a controller from `/proc/self/cgroup`. For cgroup version 2,
/// `controller` is empty.
pub fn group_of<'a>(cgroup: &'a str, controller: &str) -> Option<&'a str> {
    cgroup.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let names = parts.nth(1)?;
        names.split(',').any(|name| name == controller).then(|| parts.next())?
    })
}

/// Returns the path of a control group and those of its ancestors, the innermost first: `/a/b`, `/a`, `""`.
pub fn group_and_ancestors(path: &str) -> impl Iterator<Item = &str> {
    let path = path.trim_end_matches('/');
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(above, _)| above))
}

/// Returns the kind of container that the path of a control group shows.
pub fn container(cgroup: &str) -> Option<&'static str> {
    [("kubepods", "Kubernetes"), ("docker", "Docker"), ("libpod", "Podman"), ("lxc", "LXC")]
        .into_iter()
        .find(|(mark, _)| cgroup.contains(mark))
        .map(|(_, name)| name)
}

/// Returns the selected word, in brackets, of a list such as `always [madvise] never`.
pub fn selected_word(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    rest.split_once(']').map(|(word, _)| word.to_owned())
}

/// Returns the first value of this name in `/proc/cpuinfo`.
pub fn cpuinfo(text: &str, name: &str) -> Option<String> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == name)
        .map(|(_, value)| value.trim().to_owned())
        .filter(|value| !value.is_empty())
}

/// Returns the lowest nice value that the soft limit `RLIMIT_NICE` permits: 20 minus the limit.
pub fn min_nice(limit: u64) -> i64 {
    20 - i64::try_from(limit.min(40)).unwrap_or(40)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preemption_model_is_one_word_of_the_version() {
        for (text, expected) in [
            (
                "Linux version 6.8.0-48-generic (x) #48 SMP PREEMPT_DYNAMIC Fri",
                Some("PREEMPT_DYNAMIC"),
            ),
            ("Linux version 6.1.0-rt (x) #1 SMP PREEMPT_RT Debian", Some("PREEMPT_RT")),
            ("Linux version 5.15.0 (x) #1 SMP PREEMPT Mon", Some("PREEMPT")),
            ("Linux version 5.4.0 (x) #1 SMP Mon", None),
        ] {
            assert_eq!(preemption(text).as_deref(), expected);
        }
    }

    #[test]
    fn rights_are_bits_of_a_mask() {
        let status = "Name:\tx\nCapPrm:\t0\nCapEff:\t0000000000800000\n";
        assert_eq!(has_capability(status, 23), Some(true));
        assert_eq!(has_capability(status, 22), Some(false));
        assert_eq!(has_capability(status, 99), None);
        assert_eq!(has_capability("CapEff:\tzzz\n", 23), None);
        assert_eq!(has_capability("", 23), None);
    }

    #[test]
    fn quotas_are_shares_of_one_cpu() {
        assert_eq!(quota_percent("50000 100000\n"), Some(50));
        assert_eq!(quota_percent("400000 100000"), Some(400));
        assert_eq!(quota_percent("max 100000"), None);
        assert_eq!(quota_percent("-1 100000"), None);
        assert_eq!(quota_percent("1 0"), None);
        assert_eq!(quota_percent(""), None);
    }

    #[test]
    fn throttled_time_is_read_from_both_versions() {
        let second = "usage_usec 12\nnr_periods 3\nnr_throttled 2\nthrottled_usec 345\n";
        assert_eq!(throttled_nanos(second), Some(345_000));
        let first = "nr_periods 3\nnr_throttled 2\nthrottled_time 345678\n";
        assert_eq!(throttled_nanos(first), Some(345_678));
        assert_eq!(throttled_nanos("usage_usec 12\n"), None);
        assert_eq!(throttled_nanos(""), None);
    }

    #[test]
    fn groups_are_found_by_controller() {
        let first = "4:memory:/m\n2:cpuacct,cpu:/a/b\n0::/\n";
        assert_eq!(group_of(first, "cpu"), Some("/a/b"));
        assert_eq!(group_of(first, "cpuset"), None);
        assert_eq!(group_of(first, ""), Some("/"));
        assert_eq!(group_of("0::/user.slice/x:y\n", ""), Some("/user.slice/x:y"));
        let all: Vec<&str> = group_and_ancestors("/a/b").collect();
        assert_eq!(all, ["/a/b", "/a", ""]);
        assert_eq!(group_and_ancestors("/").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn containers_are_known_by_their_control_group() {
        assert_eq!(container("0::/system.slice/docker-3f2a.scope"), Some("Docker"));
        assert_eq!(container("0::/kubepods/besteffort/pod1/docker-2"), Some("Kubernetes"));
        assert_eq!(container("0::/user.slice/user-1000.slice"), None);
    }

    #[test]
    fn words_and_lines_are_found() {
        assert_eq!(selected_word("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(selected_word("none"), None);
        let text = "processor\t: 0\nmicrocode\t: 0xa20120a\nflags\t\t: \n";
        assert_eq!(cpuinfo(text, "microcode").as_deref(), Some("0xa20120a"));
        assert_eq!(cpuinfo(text, "flags"), None);
        assert_eq!(cpuinfo(text, "absent"), None);
        let nice = [min_nice(0), min_nice(20), min_nice(25), min_nice(u64::MAX)];
        assert_eq!(nice, [20, 0, -5, -20]);
    }
}
