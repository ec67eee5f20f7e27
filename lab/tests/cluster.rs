//! `--cluster`: games and searches on Ray, on this machine and on a test cluster of three nodes.

mod laboratory;

use laboratory::{Run, lab, run_in, run_lab, write_script};
use otrera::record::json;
use otrera_lab::cluster::python;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};
use testkit::{Folder, skip};

/// A match limited by iterations, not time, so that each game depends only on its number and the seed.
const MATCH: &str = "match tournament,iterations=600 greedy --size 6 --seed 3";

/// Returns the path of a Python with Ray; `None`, with a message, if Ray cannot be installed (in CI: a panic).
fn python(test: &str) -> Option<PathBuf> {
    // Only one test at a time installs Ray.
    static FETCHING: Mutex<()> = Mutex::new(());
    let _alone = FETCHING.lock();
    python::with_ray()
        .map_err(|problem| {
            assert!(std::env::var_os("CI").is_none(), "{problem}");
            skip(test, "no Ray (sudo apt-get install python3-venv, and a network)");
        })
        .ok()
}

/// Returns the moves of each game in a result file, by game number; panics if a number occurs twice.
fn games(file: &str) -> BTreeMap<u64, String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut games = BTreeMap::new();
    for line in text.split_inclusive('\n').skip(1).filter(|line| line.ends_with('\n')) {
        let game = json::read(line).expect("a game");
        let moves: Vec<String> = game.moves.iter().map(|played| played.mv.to_string()).collect();
        assert_eq!(games.insert(game.number, moves.join(" ")), None, "game {} occurs twice", game.number);
    }
    games
}

/// Sends SIGKILL to the deepest descendant of `ancestor` whose name begins with `name`; returns true if one existed.
fn kill(ancestor: &Child, name: &str) -> bool {
    let output = Command::new("ps").args(["-e", "-o", "pid=,ppid=,args="]).output().expect("ps starts");
    let table = String::from_utf8_lossy(&output.stdout);
    let processes: Vec<(u32, u32, &str)> = table.lines().filter_map(process).collect();
    let (mut generation, mut found) = (vec![ancestor.id()], None);
    // Process IDs wrap around: a child's can be lower than its parent's.
    while !generation.is_empty() {
        let children = || processes.iter().filter(|(_, parent, _)| generation.contains(parent));
        found = children().rfind(|(.., program)| program.starts_with(name)).or(found);
        generation = children().map(|&(number, ..)| number).collect();
    }
    let number = found.and_then(|&(number, ..)| Pid::from_raw(number as i32));
    number.is_some_and(|number| kill_process(number, Signal::KILL).is_ok())
}

/// Parses a line of `ps`: process ID, parent's process ID, name of the program.
fn process(line: &str) -> Option<(u32, u32, &str)> {
    let mut words = line.split_whitespace();
    let numbers = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some((numbers.0, numbers.1, words.next()?.rsplit('/').next()?))
}

fn wait_for_games(file: &str, count: usize, lab: &mut Child) {
    let patience = Instant::now() + Duration::from_secs(120);
    while games(file).len() < count && lab.try_wait().expect("it can be asked").is_none() {
        assert!(Instant::now() < patience, "{} games of {count}", games(file).len());
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn killed_workers_and_drivers_change_no_game() {
    const GAMES: usize = 400;
    if python("matches on Ray").is_none() {
        return;
    }
    let folder = Folder::new("cluster");
    let (here, there) = (folder.file("here"), folder.file("there"));
    run_lab(&format!("{MATCH} --games {GAMES} --output {here}")).printed();
    let command = format!("{MATCH} --games {GAMES} --output {there} --cluster local --resume");
    let (mut workers, mut drivers) = (0, 0);
    while games(&there).len() < GAMES {
        let mut driver = lab(&command).spawn().expect("lab starts");
        while driver.try_wait().expect("it can be asked").is_none() {
            let before = games(&there).len();
            wait_for_games(&there, before + 1, &mut driver);
            // Alternately kills a `lab` process and a Ray worker.
            if workers < 10 && kill(&driver, if workers % 2 == 0 { "otrera-lab" } else { "ray::play" }) {
                workers += 1;
            }
            if drivers < 2 && workers >= 4 * (drivers + 1) {
                drivers += 1;
                driver.kill().expect("it runs");
            }
        }
    }
    assert_eq!((workers, drivers), (10, 2));
    assert_eq!(games(&there), games(&here));
}

/// A cluster of three nodes on this machine, stopped when dropped.
struct Nodes(Child);

impl Nodes {
    /// Starts the cluster; also returns its address, `HOST:PORT`.
    fn start(python: &Path) -> (Self, String) {
        let script = "import sys\n\
            from ray.cluster_utils import Cluster\n\
            nodes = Cluster(initialize_head=True, head_node_args={'num_cpus': 1})\n\
            [nodes.add_node(num_cpus=1) for _ in range(2)]\n\
            print('at ' + nodes.address, flush=True)\n\
            sys.stdin.read()\n\
            nodes.shutdown()";
        let mut command = Command::new(python);
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("Python starts");
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        let mut lines = output.lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("at ").map(str::to_owned));
        (Self(process), address.expect("the cluster starts"))
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Runs a command on this machine alone and on a cluster; returns what `read` makes of each output path in `folder`.
fn on_both<T>(folder: &Folder, command: &str, address: &str, read: impl Fn(&str) -> T) -> [T; 2] {
    [("here", "--concurrency 3"), ("there", &*format!("--cluster {address}"))].map(|(name, place)| {
        let output = folder.file(name);
        run_in(folder, &format!("{command} {place} --output {output}")).printed();
        read(&output)
    })
}

/// Checks that a command writes equal files, byte for byte, without and with a cluster.
fn compare(command: &str, address: &str) {
    let read = |file: &str| fs::read(file).expect("it is written");
    let [here, there] = on_both(&Folder::new("cluster"), command, address, read);
    assert!(here.len() > 1000, "{command}: {} bytes", here.len());
    assert!(here == there, "{command}");
}

/// Checks that the games of each pair in a tournament of three players are equal without and with a cluster.
fn compare_tourney(address: &str) {
    let folder = Folder::new("cluster-tourney");
    let field = "players = ['tournament', 'greedy', 'random']\ngames = 4\nsize = 6\niterations = 100";
    folder.write("field.toml", field);
    let read = |output: &str| ["0-1", "0-2", "1-2"].map(|pair| games(&format!("{output}/{pair}.jsonl")));
    let [here, there] = on_both(&folder, "tourney field.toml", address, read);
    assert!(here.iter().all(|pair| pair.len() == 4));
    assert_eq!(here, there);
}

/// Checks that the logs and the weights of a round of training are equal without and with a cluster.
fn compare_training(address: &str) {
    let round = "train --rounds 1 --size 6 --games 120 --iterations 10 --match-games 4";
    let [here, there] = on_both(&Folder::new("cluster-train"), round, address, |output| {
        ["rounds.jsonl", "weights-1.json"]
            .map(|name| fs::read_to_string(format!("{output}/{name}")).expect("it is written"))
    });
    assert_eq!(here[0].lines().count(), 3, "options, fit, match: {}", here[0]);
    assert!(here == there, "{}{}", here[0], there[0]);
}

#[test]
fn clusters_write_the_same_files_as_one_machine() {
    let Some(python) = python("commands on Ray") else { return };
    let (_nodes, address) = Nodes::start(&python);
    // With few random plies, some games repeat earlier ones and are replayed.
    let twice = "--size 4 --games 60 --random-plies 1 --drawn-plies 1";
    compare(&format!("self-play {twice} --iterations 20"), &address);
    compare("tune tournament,iterations=5 c=3:0.5 lcb-z=1:0.2 --pairs 100 --size 4", &address);
    compare_tourney(&address);
    compare_training(&address);
}

#[test]
fn three_nodes_match_local_play_and_obey_sprt() {
    let Some(python) = python("a cluster of three nodes") else { return };
    let (_nodes, address) = Nodes::start(&python);
    let folder = Folder::new("cluster");
    let [here, there] = on_both(&folder, &format!("{MATCH} --games 40"), &address, games);
    assert_eq!(there, here);
    let tested = folder.file("sprt");
    let options = format!("--games 4000 --cluster {address} --sprt 0,200 --output {tested}");
    run_lab(&format!("{MATCH} {options}")).printed();
    let played = games(&tested).len();
    assert!((4..400).contains(&played), "{played} games");
}

#[test]
fn a_task_that_always_dies_ends_the_match() {
    if python("a task that dies").is_none() {
        return;
    }
    let folder = Folder::new("cluster");
    // Kills its parent if that is a `lab` that runs a cluster task.
    let script = "grep -q numbers /proc/$PPID/cmdline && kill -9 $PPID";
    let player = format!("cmd:{},proto=uci", write_script(&folder, "deadly.sh", script));
    let command = format!("match random {player} --games 2 --cluster local --output died");
    let Run { status, said, .. } = run_in(&folder, &command);
    assert!(status == Some(1) && said.contains("died 10 times on Ray"), "{said}");
}
