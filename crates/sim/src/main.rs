//! Plays seeds: `cargo run -p sim -- --help` says how.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use sim::{Flaw, Place, Played, crowd, live, play, tell_everything};

/// What is told of a run that goes on for hours.
const PROGRESS_SEEDS: u64 = 100;
const HELP: &str = "\
usage: sim [--seed N] [--seeds COUNT] [--steps COUNT] [--hours N | --forever] [--tell] [--alone | --histories] [--disk]

  --seed N       the first seed (1)
  --seeds COUNT  how many (1)
  --steps COUNT  steps of each (200); a seed plays the same only with as many steps
  --hours N      go on from that seed for so long; --forever has no end
  --tell         say what is asked, answered and done
  --alone        one client, in memory, instead of a crowd on a played disk
  --histories    the history of one table
  --disk         these two in a real folder";

/// What to play.
struct Options {
    first: u64,
    seeds: u64,
    steps: usize,
    /// How long to go on; then the number of seeds does not count.
    lasting: Option<Duration>,
    place: Place,
    mode: Mode,
}

#[derive(Clone, Copy)]
enum Mode {
    Crowd,
    Alone,
    Histories,
}

impl Options {
    fn read(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options {
            first: 1,
            seeds: 1,
            steps: 200,
            lasting: None,
            place: Place::Memory,
            mode: Mode::Crowd,
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let text = arguments.next().ok_or_else(|| format!("{argument} needs a number"))?;
                text.parse::<u64>().map_err(|error| format!("{argument} {text}: {error}"))
            };
            match argument.as_str() {
                "--seed" => options.first = number()?,
                "--seeds" => options.seeds = number()?,
                "--steps" => options.steps = usize::try_from(number()?).unwrap_or(usize::MAX),
                "--hours" => options.lasting = Some(Duration::from_secs(number()?.saturating_mul(3600))),
                "--forever" => options.lasting = Some(Duration::MAX),
                "--tell" => tell_everything(),
                "--disk" => options.place = Place::Disk,
                "--alone" => options.mode = Mode::Alone,
                "--histories" => options.mode = Mode::Histories,
                _ => return Err(format!("{argument} is no option")),
            }
        }
        Ok(options)
    }

    fn play(&self, seed: u64) -> Result<Played, String> {
        match self.mode {
            Mode::Crowd => crowd(seed, self.steps, Flaw::None),
            Mode::Alone => play(seed, self.steps, self.place),
            Mode::Histories => live(seed, self.steps, self.place),
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        eprintln!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let options = match Options::read(&arguments) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}; --help lists the options");
            return ExitCode::from(2);
        }
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "how long a run goes on is no matter of the simulated clock"
    )]
    let began = Instant::now();
    let (mut played, mut failed, mut trace) = (0, 0, 0_u64);
    for seed in options.first.. {
        let is_over = match options.lasting {
            Some(lasting) => began.elapsed() >= lasting,
            None => played >= options.seeds,
        };
        if is_over {
            break;
        }
        match options.play(seed) {
            Ok(one) => trace = trace.rotate_left(1) ^ one.trace,
            Err(difference) => {
                failed += 1;
                eprintln!("{difference}");
            }
        }
        played += 1;
        if played % PROGRESS_SEEDS == 0 {
            let seconds = began.elapsed().as_secs();
            eprintln!("{played} seeds played in {seconds} s, {failed} with differences, the last was {seed}");
        }
    }
    eprintln!("trace {trace:016x}");
    eprintln!("{played} seeds of {} steps: {failed} with differences", options.steps);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
