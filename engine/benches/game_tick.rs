//! What a cycle of the game costs, on one thread and on two, and how well two share it.
//!
//! `cargo bench -p jitterscope-engine --bench game_tick`
#![expect(clippy::print_stdout, reason = "a bench prints")]
#![expect(clippy::cast_precision_loss, reason = "a cycle is far below 2^53 ns")]

use std::time::Instant;

use jitterscope_engine::game::{Kind, Movement, Phases, Settings, World};

const WARM_UP: usize = 20;
const ROUNDS: usize = 20;
const CYCLES: usize = 10;

fn main() {
    for kind in [Kind::Players, Kind::Npcs] {
        for movement in [Movement::Teleport, Movement::Walk, Movement::Mixed] {
            measure(Settings { kind, movement, ..Settings::default() });
        }
    }
}

/// Plays the same game with each count of threads, by turns, so that a drift of the machine meets
/// both alike. Prints the mean of the quicker half of the rounds, and where the time went.
fn measure(settings: Settings) {
    let began = Instant::now();
    let now = || i64::try_from(began.elapsed().as_nanos()).unwrap_or(i64::MAX);
    let mut games: Vec<_> = [1, 2]
        .into_iter()
        .filter_map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()?;
            let mut world = World::new(settings);
            for _ in 0..WARM_UP {
                world.cycle(Some(&pool), &now);
            }
            Some((threads, pool, world, Vec::new()))
        })
        .collect();
    for _ in 0..ROUNDS {
        for (_, pool, world, rounds) in &mut games {
            let play = || (0..CYCLES).map(|_| world.cycle(Some(pool), &now)).collect();
            let cycles: Vec<Phases> = pool.install(play);
            rounds.push(cycles);
        }
    }
    let mut means = Vec::new();
    println!("{:?}, {:?}", settings.kind, settings.movement);
    for (threads, _, world, mut rounds) in games {
        let total = |round: &[Phases]| round.iter().map(|cycle| cycle.total().get()).sum::<i64>();
        rounds.sort_by_key(|round| total(round));
        rounds.truncate(ROUNDS / 2);
        let count = (rounds.len() * CYCLES) as f64;
        let mean = |of: fn(&Phases) -> i64| {
            rounds.iter().flatten().map(of).sum::<i64>() as f64 / count / 1e6
        };
        let all = mean(|cycle| cycle.total().get());
        println!(
            "  {threads} thread(s): {all:.3} ms a cycle \
             (moving {:.3}, preparing {:.3}, encoding {:.3}, releasing {:.3}), {} bytes",
            mean(|cycle| cycle.moving.get()),
            mean(|cycle| cycle.preparing.get()),
            mean(|cycle| cycle.encoding.get()),
            mean(|cycle| cycle.releasing.get()),
            world.counters().bytes,
        );
        means.push(all);
    }
    if let [one, two] = means[..] {
        println!("  one / (2 x two): {:.3}", one / (2.0 * two));
    }
}
