//! Tests of decoding made pages, and of an instance compared with the kernel's own counters.

use std::collections::BTreeMap;

use super::super::numbers::Numbers;
use super::super::perf::tests::EventCounter;
use super::*;

const HEADER: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;
";

/// Returns a page with this time, these flags, and this data.
fn page(time: u64, flags: u64, data: &[u32]) -> Vec<u8> {
    let commit = flags | (4 * data.len() as u64);
    let mut bytes: Vec<u8> = [time, commit].into_iter().flat_map(u64::to_ne_bytes).collect();
    bytes.extend(data.iter().flat_map(|word| word.to_ne_bytes()));
    bytes
}

fn head(kind: u32, delta: u32) -> u32 {
    kind | delta << 5
}

fn records(bytes: &[u8]) -> Option<Vec<(i64, Vec<u8>)>> {
    let page = Page::parse(PageFormat::parse(HEADER)?, bytes)?;
    Some(page.records().map(|(at, data)| (at.get(), data.to_vec())).collect())
}

#[test]
fn records_of_every_type_are_decoded() {
    let bytes = page(
        1_000,
        0,
        &[
            head(2, 5),
            7,
            8,
            // 6 bytes of data: the record takes 8.
            head(0, 10),
            10,
            0x0403_0201,
            0x0605,
            // 2^27 ns later, and 1 ns.
            head(30, 1),
            1,
            head(1, 0),
            9,
            // Unused space of 8 bytes, with a time difference.
            head(29, 3),
            4,
            head(31, 77),
            0,
            head(1, 1),
            5,
            head(29, 0),
            99,
        ],
    );
    let eight: Vec<u8> = [7_u32, 8].into_iter().flat_map(u32::to_ne_bytes).collect();
    assert_eq!(
        records(&bytes).unwrap(),
        [
            (1_005, eight),
            (1_015, vec![1, 2, 3, 4, 5, 6]),
            (1_016 + (1 << 27), 9_u32.to_ne_bytes().to_vec()),
            (78, 5_u32.to_ne_bytes().to_vec()),
        ]
    );
}

#[test]
fn a_page_says_how_many_records_before_it_were_lost() {
    let format = PageFormat::parse(HEADER).unwrap();
    assert_eq!(format.size(), 4_096);
    let lost = |bytes: &[u8]| Page::parse(format, bytes).unwrap().lost;
    assert_eq!(lost(&page(1, 0, &[head(1, 0), 5])), None);
    assert_eq!(lost(&page(1, 0x8000_0000, &[head(1, 0), 5])), Some(1), "not how many");
    let mut counted = page(1, 0xc000_0000, &[head(1, 0), 5]);
    counted.extend(1_234_u64.to_ne_bytes());
    assert_eq!(lost(&counted), Some(1_234));
}

#[test]
fn damaged_pages_end_early() {
    assert_eq!(records(&[0; 12]), None);
    assert_eq!(records(&page(1, 400, &[head(1, 0), 5])), None, "shorter than it says");
    assert_eq!(records(&page(1, 0, &[head(20, 0), 5])), Some(Vec::new()));
    assert_eq!(records(&page(1, 0, &[head(0, 0), u32::MAX, 5])), Some(Vec::new()));
    assert_eq!(PageFormat::parse("field: u64 timestamp; offset:0; size:8;"), None);
}

#[test]
fn sets_of_cpus_and_counts_are_written_as_the_kernel_does() {
    assert_eq!(mask(&[0, 1]), "00000003");
    assert_eq!(mask(&[1, 32, 69]), "00000020,00000001,00000002");
    let text = "entries: 3\noverrun: 5\ncommit overrun: 1\nbytes: 9\noldest event ts: 2.5\n\
                now ts: 7.1\ndropped events: 2\nread events: 40\n";
    let expected = RingStats { written: 43, lost: 5, dropped: 3 };
    assert_eq!(RingStats::parse(text), Some(expected));
    assert_eq!(RingStats::parse("entries: many\n"), None);
    assert_eq!(process_of("jitterscope-12-0"), Some("12"));
    for other in
        ["jitterscope-", "jitterscope-a-0", "jitterscope-12", "other-1-2", "jitterscope--1"]
    {
        assert_eq!(process_of(other), None, "{other}");
    }
}

/// The kernel's own counter of each tracepoint is compared with the records of an instance, on each CPU.
#[test]
fn an_instance_delivers_what_the_kernel_counts_and_is_gone_afterward() {
    let own = super::super::super::thread_id();
    let Ok(layout) = Layout::read() else {
        println!("skipped: tracefs cannot be read here");
        return;
    };
    let cpus = super::super::perf::online_cpus();
    let mut instance = match Instance::create(&[own], &cpus, &layout) {
        Ok(instance) if Numbers::of(&[own]).is_initial => instance,
        outcome => {
            println!("skipped: an instance of tracefs is not permitted here: {:?}", outcome.err());
            return;
        }
    };
    let folder = instance.folder.path.clone();
    assert!(folder.exists());
    let mut events = InstanceEvents::new(&mut instance, &layout, cpus.len());
    for cpu in &cpus {
        events.switches(*cpu).unwrap();
        // Those of which each occurrence is recorded, whatever thread causes it.
        for group in layout.groups.iter().filter(|group| group.filter == Filter::None) {
            events.group(*cpu, group).unwrap();
        }
    }
    let ids: Vec<u16> = layout
        .groups
        .iter()
        .filter(|group| group.filter == Filter::None)
        .flat_map(|group| group.ids.clone())
        .collect();
    let counters: Vec<EventCounter> = cpus
        .iter()
        .flat_map(|cpu| ids.iter().map(|id| EventCounter::open(*id, *cpu).unwrap()))
        .collect();
    let before: Vec<u64> = counters.iter().map(|counter| counter.read().unwrap()).collect();
    instance.start().unwrap();
    let mut names = Names::new(Numbers::of(&[own]));
    let mut records = Vec::new();
    for _ in 0..20 {
        std::thread::sleep(std::time::Duration::from_millis(10));
        instance.drain(&layout, &mut names, &mut |record| records.push(record));
    }
    instance.close(&layout, &mut names, &mut |record| records.push(record));
    let counted: u64 =
        counters.iter().zip(before).map(|(counter, before)| counter.read().unwrap() - before).sum();
    let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
    for record in &records {
        let key = match record.event {
            TraceEvent::Counted => "counted",
            TraceEvent::Received => "received",
            TraceEvent::ReportedLost => "lost",
            TraceEvent::Incomplete => "incomplete",
            _ => continue,
        };
        *sums.entry(key).or_default() += record.value.unwrap();
    }
    println!("{sums:?}; the kernel's counters, a little longer: {counted}");
    assert_eq!(sums["counted"], sums["received"] + sums["lost"]);
    assert_eq!(sums.get("incomplete"), None);
    let received = u64::try_from(sums["received"] + sums["lost"]).unwrap();
    // The counters ran before and after the recording, too.
    assert!(0 < received && received <= counted, "{received} of {counted}");
    // Into a ring of perf, some kernels deliver few of the events of an idle CPU.
    assert!(counted / 2 <= received, "{received} of {counted}");
    drop(instance);
    assert!(!folder.exists());
}
