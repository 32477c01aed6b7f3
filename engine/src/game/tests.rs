//! Tests the game by its packets: they are decoded, counted, and compared between numbers of threads.

mod client;
mod npc_client;

use proptest::prelude::*;

use super::blocks::{appearance, said};
use super::observer::{Observer, PACKET};
use super::random::mix;
use super::set::SLOTS;
use super::tile::{Coarse, Tile};
use super::{Counters, Game, Kind, Movement, Settings, World, players};
use crate::stats::tests::simulated::is_long;
use client::Client;
use npc_client::NpcClient;

/// Players are counted from 0; the player `i` is in slot `i + 1`.
impl World {
    fn players_mut(&mut self) -> &mut players::Players {
        let Game::Players(game) = &mut self.game else { panic!("a game of players") };
        game
    }

    /// Removes a player from the game; the packets of the next cycle inform the other players.
    fn leave(&mut self, player: usize) {
        let table = &mut self.players_mut().player_table;
        table.playing.put(player + 1, false);
        table.fresh.put(player + 1, false);
    }

    /// Adds a player to the game again; other players see the player one cycle later.
    fn join(&mut self, player: usize, tile: Tile) {
        let game = self.players_mut();
        game.player_table.join(player + 1, tile);
        game.observers[player] = Observer::new(player + 1);
        self.restyle(player);
    }

    /// Changes the appearance of a player to one that differs from the current one.
    fn restyle(&mut self, player: usize) {
        let (game, slot) = (self.players_mut(), player + 1);
        let add = |sum: u32, byte: &u8| sum.wrapping_mul(31).wrapping_add(u32::from(*byte));
        let version = look(game, slot).iter().fold(1, add);
        game.player_table.restyled.put(slot, true);
        game.looks.set(slot, &appearance(slot, version));
    }

    /// Returns the packet of a player in the last cycle; empty if the player has left.
    fn packet(&self, player: usize) -> &[u8] {
        let (counters, packets) = match &self.game {
            Game::Players(game) => (game.observers[player].counters, &game.packets),
            Game::Npcs(game) => (game.watchers[player].counters, &game.packets),
        };
        let from = player * PACKET;
        &packets[from..from + usize::try_from(counters.bytes).unwrap()]
    }

    /// Returns a checksum of all packets of the last cycle, in order.
    fn digest(&self) -> u64 {
        let count = match &self.game {
            Game::Players(game) => game.observers.len(),
            Game::Npcs(game) => game.watchers.len(),
        };
        (0..count).fold(0, |digest, player| {
            let packet = self.packet(player);
            // By hand, as unoptimized iterators would take longer than the game.
            let (eights, rest) = packet.as_chunks::<8>();
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            let mut digest = mix(digest ^ packet.len() as u64);
            for eight in eights {
                digest = mix(digest.wrapping_add(u64::from_le_bytes(*eight)));
            }
            if rest.is_empty() {
                digest
            } else {
                mix(digest.wrapping_add(u64::from_le_bytes(last)))
            }
        })
    }
}

/// Replaces the clock: the tests assert no times.
fn still() -> i64 {
    0
}

fn play(world: &mut World, cycles: usize, pool: Option<&rayon::ThreadPool>) {
    for _ in 0..cycles {
        world.cycle(pool, &still);
    }
}

fn players(world: &World) -> &players::Players {
    let Game::Players(game) = &world.game else { panic!("a game of players") };
    game
}

fn squares(game: &players::Players) -> Vec<Coarse> {
    let square = |slot| {
        if game.player_table.playing.contains(slot) && !game.player_table.fresh.contains(slot) {
            game.player_table.tile(slot).coarse()
        } else {
            Coarse::default()
        }
    };
    (0..SLOTS).map(square).collect()
}

/// Returns the appearance bytes of the player in a slot, without the length prefix.
fn look(game: &players::Players, slot: usize) -> &[u8] {
    let from = slot * game.looks.room;
    &game.looks.bytes[from + 1..from + game.looks.lengths[slot]]
}

/// Creates the screens of the players `of`, counted from 0. A [`Client`] is updated only by packets.
fn screens(world: &World, of: impl Iterator<Item = usize>) -> Vec<Client> {
    let game = players(world);
    of.map(|player| Client::new(player + 1, game.player_table.tile(player + 1), squares(game)))
        .collect()
}

/// Reads the packets of a cycle and compares every screen with the world. `fresh`: the slots that joined in this cycle.
#[track_caller]
fn check(world: &World, screens: &mut [Client], fresh: &[usize]) {
    let game = players(world);
    let length = game.settings.chat_length as usize;
    for screen in screens {
        if !game.player_table.playing.contains(screen.slot) {
            assert!(world.packet(screen.slot - 1).is_empty());
            continue;
        }
        screen.read(world.packet(screen.slot - 1));
        let range = game.observers[screen.slot - 1].range;
        let own = game.player_table.tile(screen.slot);
        for slot in 1..SLOTS {
            let tile = game.player_table.tile(slot);
            let plays = game.player_table.playing.contains(slot);
            let is_seen =
                slot == screen.slot || plays && !fresh.contains(&slot) && own.sees(tile, range);
            assert_eq!(screen.sees(slot), is_seen, "{} of {slot}", screen.slot);
            if is_seen {
                assert_eq!(screen.tile(slot), tile, "{} of {slot}", screen.slot);
            } else {
                let square = if plays { tile.coarse() } else { Coarse::default() };
                assert_eq!(screen.square(slot), square, "{} of {slot}", screen.slot);
            }
            let heard = screen.heard(slot);
            if is_seen && length != 0 && !screen.is_put_off(slot) {
                assert_eq!(heard, Some(said(slot, game.cycle - 1, length)));
                assert_eq!(screen.look(slot), Some(look(game, slot)));
            } else {
                assert_eq!(heard, None);
            }
            if is_seen && !screen.is_put_off(slot) {
                assert_eq!(screen.look(slot), Some(look(game, slot)));
            }
        }
    }
}

#[test]
fn packets_of_a_full_game_read_back_to_the_same_world() {
    for movement in [Movement::Teleport, Movement::Walk, Movement::Mixed] {
        let mut world = World::new(Settings { movement, ..Settings::default() });
        let mut screens = screens(&world, (0..2_046).step_by(341));
        for _ in 0..22 {
            world.cycle(None, &still);
            check(&world, &mut screens, &[]);
        }
    }
}

/// Compares averages per observer and cycle with those of a prototype of the reference tool's game.
/// They are the numbers of players in view, of removed and added players, of bytes, and of deferred
/// blocks, and the view range. The numbers of added players and deferred blocks vary more, as they
/// are differences of larger numbers: their tolerance is 5% of the players in view. Every other
/// tolerance is 5% of the value (at least 1 removed player).
#[test]
fn averages_are_those_of_the_source() {
    let expected = [
        (0..1, [2_046.0, 0.0, 2_045.0, 30_023.0, 1_883.0], 15.0),
        (4..5, [1_998.0, 48.0, 0.0, 30_085.0, 1_481.0], 11.0),
        (8..9, [1_393.0, 514.0, 291.0, 30_062.0, 950.0], 7.0),
        (11..12, [668.0, 615.0, 372.0, 29_918.0, 287.0], 4.0),
        (13..14, [260.0, 390.0, 204.0, 18_729.0, 3.0], 2.05),
        (15..16, [129.0, 160.0, 117.0, 8_765.0, 0.0], 1.20),
        (80..120, [141.0, 128.0, 130.0, 6_200.0, 0.0], 1.25),
    ];
    let mut world = World::new(Settings::default());
    let cycles: Vec<Counters> = (0..120)
        .map(|_| {
            world.cycle(None, &still);
            world.counters()
        })
        .collect();
    let mut problems = Vec::new();
    for (range, [in_sight, removed, added, bytes, refused], view) in expected {
        let mut sum = Counters::default();
        cycles[range.clone()].iter().for_each(|cycle| sum += *cycle);
        let mean = |total: u64| {
            f64::from(u32::try_from(total).unwrap())
                / f64::from(u32::try_from(sum.packets).unwrap())
        };
        let of_sight = 0.05 * in_sight;
        for (name, found, expected, limit) in [
            ("in sight", mean(sum.in_sight), in_sight, of_sight),
            ("gone", mean(sum.removed), removed, f64::max(0.05 * removed, 1.0)),
            ("come", mean(sum.added), added, of_sight),
            ("bytes", mean(sum.bytes), bytes, 0.05 * bytes),
            ("put off", mean(sum.refused), refused, of_sight),
            ("view range", mean(sum.ranges), view, 0.05 * view),
        ] {
            println!("cycles {range:?}: {name} {found:.2}, expected {expected}");
            if limit < (found - expected).abs() {
                problems.push(format!("cycles {range:?}: {name} {found:.2}, expected {expected}"));
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

/// Plays 50 cycles without threads, and the first 10 with each number of threads; all 50 if
/// `JITTERSCOPE_LONG_TESTS` was set at compile time.
#[test]
fn bytes_depend_on_neither_threads_nor_build() {
    let is_long_test = is_long();
    for (kind, expected) in [(Kind::Players, PLAYERS_DIGEST), (Kind::Npcs, NPCS_DIGEST)] {
        let digests = |cycles: usize, pool: Option<&rayon::ThreadPool>| -> Vec<u64> {
            let mut world =
                World::new(Settings { kind, movement: Movement::Mixed, ..Settings::default() });
            let of_cycle = |_| {
                play(&mut world, 1, pool);
                world.digest()
            };
            (0..cycles).map(of_cycle).collect()
        };
        let alone = digests(50, None);
        let digest = alone.iter().fold(0_u64, |digest, of_cycle| digest.rotate_left(1) ^ of_cycle);
        assert_eq!(digest, expected, "{kind:?}: {digest:#018x}");
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let shared = digests(if is_long_test { 50 } else { 10 }, Some(&pool));
            assert!(alone.starts_with(&shared), "{kind:?} with {threads} threads");
        }
    }
}

/// The expected digests of 50 cycles of a game of players and of a game of NPCs, the same in every build.
const PLAYERS_DIGEST: u64 = 0x953a_ddac_cf53_bd7a;
const NPCS_DIGEST: u64 = 0x8c53_38ec_93ea_4268;

#[test]
fn another_seed_is_another_game() {
    let digest = |seed| {
        let mut world = World::new(Settings { seed, players: 50, ..Settings::default() });
        play(&mut world, 3, None);
        world.digest()
    };
    assert_ne!(digest(1), digest(2));
    assert_eq!(digest(1), digest(1));
}

#[test]
fn characters_read_back_to_the_same_world() {
    for (movement, box_size, chat_length) in [
        (Movement::Teleport, 13, 50),
        (Movement::Walk, 13, 50),
        (Movement::Mixed, 40, 80),
        (Movement::Mixed, 1, 0),
        (Movement::Walk, 1_024, 3),
    ] {
        let mut world = World::new(Settings {
            kind: Kind::Npcs,
            players: 3,
            movement,
            box_size,
            chat_length,
            ..Settings::default()
        });
        let mut screen = NpcClient::default();
        for cycle in 0..30 {
            world.cycle(None, &still);
            let Game::Npcs(game) = &world.game else { panic!("a game of characters") };
            screen.read(&world, game.center, chat_length != 0);
            screen.check(game, cycle, chat_length as usize);
            assert_eq!(world.packet(0), world.packet(2));
        }
    }
}

#[test]
fn characters_come_to_the_bytes_of_the_source() {
    let mut world = World::new(Settings { kind: Kind::Npcs, ..Settings::default() });
    play(&mut world, 5, None);
    let Counters { packets, bytes, bits, added, removed, blocks, .. } = world.counters();
    assert_eq!(packets, 2_046);
    for tracked in [added, removed, blocks] {
        assert_eq!(tracked, 250 * packets);
    }
    assert_eq!(bits, packets * (8 + 250 * 46 + 16));
    assert_eq!(bytes, packets * ((8_u64 + 250 * 46 + 16).div_ceil(8) + 250 * 52));
}

/// A change of one player between two cycles.
#[derive(Clone, Debug)]
enum Turn {
    Leave,
    Join(Tile),
    Place(Tile),
    Restyle,
}

/// Generates tiles: most in one small area, so that players see each other, others in the middle or at the edges.
fn tiles() -> impl Strategy<Value = Tile> {
    let along = || {
        prop_oneof![
            4 => 3_200_u16..3_216,
            1 => 0_u16..20,
            1 => 8_185_u16..8_199,
            1 => 16_370_u16..16_384,
            1 => 0_u16..16_384,
        ]
    };
    (along(), along(), prop_oneof![4 => Just(0_u8), 1 => 0_u8..4])
        .prop_map(|(x, z, level)| Tile::new(x, z, level))
}

fn turns() -> impl Strategy<Value = Vec<(usize, Turn)>> {
    let turn = prop_oneof![
        1 => Just(Turn::Leave),
        1 => tiles().prop_map(Turn::Join),
        4 => tiles().prop_map(Turn::Place),
        1 => Just(Turn::Restyle),
    ];
    prop::collection::vec((0_usize..60, turn), 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Players join, leave, change their appearance, and jump to the edges of the map and to each other's tiles.
    #[test]
    fn any_game_reads_back_to_the_same_world(
        count in 1_u32..60,
        chat_length in prop_oneof![Just(0_u32), Just(50), 0_u32..=80],
        box_size in prop_oneof![Just(1_u32), 1_u32..64],
        movement in prop_oneof![Just(Movement::Walk), Just(Movement::Mixed)],
        seed in any::<u64>(),
        turns in prop::collection::vec(turns(), 1..16),
    ) {
        let settings = Settings {
            players: count, chat_length, box_size, movement, seed, ..Settings::default()
        };
        let mut world = World::new(settings);
        let count = players(&world).observers.len();
        let mut screens = screens(&world, 0..count);
        for turns in turns {
            // A player who joins knows the squares of the other players as of the previous cycle.
            let known = squares(players(&world));
            world.players_mut().step();
            let mut fresh = Vec::new();
            for (player, turn) in turns {
                let player = player % count;
                match turn {
                    Turn::Leave => world.leave(player),
                    Turn::Restyle => world.restyle(player),
                    Turn::Join(tile) => {
                        world.join(player, tile);
                        fresh.push(player + 1);
                        screens[player] = Client::new(player + 1, tile, known.clone());
                    }
                    Turn::Place(tile) => {
                        world.players_mut().player_table.place(player + 1, tile);
                    }
                }
            }
            world.send_updates(0, None, &still);
            check(&world, &mut screens, &fresh);
        }
    }
}
