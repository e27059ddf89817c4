//! `larder serve`: takes the address, opens the data, says so, serves.
//! Knows the order of the start and its words; everything else is done by the crates below.

use crate::failure::Failure;
use crate::settings::{Options, Place};
use crate::{buckets, design, folder, log, memory, say};
use engine::{Clock, Engine, Env, Settings, SystemEnv};
use server::{Listener, Server};
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use storage::{Config, Durability};

/// The port that clients reach by the region `local` alone.
const LOCAL_REGION_PORT: u16 = 8000;
/// The folder of designs that the console shows if no other is named.
const USUAL_DESIGNS: &str = "designs";

/// Serves until told to stop.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    memory::take_small_pages();
    log::start(options.log.clone());
    let dir = folder(&options.place)?;
    let listener = Listener::bind(&options.host, options.port)
        .map_err(|error| Failure::address(&options.host, options.port, &error))?;
    let address = listener.address();
    let clock = options.time_control.then(|| Arc::new(Clock::new()));
    let env: Arc<dyn Env> = match &clock {
        Some(clock) => Arc::<Clock>::clone(clock),
        None => Arc::new(SystemEnv::new()),
    };
    let engine = Engine::open(settings(options, dir.as_deref()), env)
        .map_err(|error| Failure::data(dir.as_deref(), &error))?;
    let kinesis = options.kinesis_endpoint.as_deref().map(|url| {
        let region = client::region_of(url).or_else(client::region);
        client::Http::kinesis(url, region.as_deref().unwrap_or("us-east-1"))
    });
    let kinesis = kinesis.transpose().map_err(|failure| Failure::new(failure.message))?;
    let designs = design::deploy_all(&engine, &options.designs)?;
    let console_listener = console_listener(options, address)?;
    let console_address = console_listener.as_ref().map(Listener::address);
    let found = buckets::find(&options.buckets, dir.as_deref(), &|name| std::env::var(name).ok())?;
    let buckets = Some(found.buckets);
    let settings = server::Settings { console: console(options, address), console_listener, buckets };
    let server = Server::new(listener, engine, settings)
        .map_err(|error| Failure::new(format!("the system gives no threads or signals: {error}")))?
        .with_clock(clock)
        .with_kinesis(kinesis);
    if !address.ip().is_loopback() {
        eprintln!(
            "larder: warning: {} can be reached by other machines, and nobody is asked who they are",
            address.ip()
        );
    }
    let console = console_url(options, address, console_address);
    let lines = Lines { designs: &designs, console: console.as_deref(), buckets: found.told.as_deref() };
    say(&greeting(address, dir.as_deref(), options, &lines));
    server.run().map_err(|error| Failure::new(format!("the server did not end cleanly: {error}")))
}

/// The console's own address. A port that nobody asked for may be taken: the console is then at its path alone.
fn console_listener(options: &Options, api: SocketAddr) -> Result<Option<Listener>, Failure> {
    if options.console.is_off {
        return Ok(None);
    }
    let is_asked = options.console.port.is_some();
    let next = if options.port == 0 { Some(0) } else { options.port.checked_add(1) };
    let Some(port) = options.console.port.or(next) else { return Ok(None) };
    match Listener::bind(&options.host, port) {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if is_asked => Err(Failure::address(&options.host, port, &error)),
        Err(error) => {
            tracing::warn!(
                "the console has no port of its own, because {port} is not free ({error}): it is at http://{api}/_console/"
            );
            Ok(None)
        }
    }
}

fn console(options: &Options, api: SocketAddr) -> Option<console::Settings> {
    if options.console.is_off {
        return None;
    }
    let folder = options.console.designs.clone();
    let usual = || Some(PathBuf::from(USUAL_DESIGNS)).filter(|folder| folder.is_dir());
    let mut hosts = options.console.hosts.clone();
    hosts.push(options.host.clone());
    Some(console::Settings {
        hosts,
        is_read_only: options.console.is_read_only,
        designs: options.designs.iter().cloned().chain(folder.or_else(usual)).collect(),
        endpoint: format!("http://{}", reached(api)),
    })
}

/// Where a person finds the console.
fn console_url(options: &Options, api: SocketAddr, own: Option<SocketAddr>) -> Option<String> {
    if options.console.is_off {
        return None;
    }
    Some(own.map_or_else(
        || format!("http://{}/_console/", reached(api)),
        |own| format!("http://{}", reached(own)),
    ))
}

/// The folder as a full path, or none for memory.
fn folder(place: &Place) -> Result<Option<PathBuf>, Failure> {
    let folder = match place {
        Place::Memory => return Ok(None),
        Place::Folder(folder) => folder.clone(),
        Place::Usual => folder::usual(&|name| std::env::var_os(name)).ok_or_else(|| {
            Failure::new(
                "this user has no home folder: say where the data goes with --data-dir, or --in-memory",
            )
        })?,
    };
    Ok(Some(std::path::absolute(&folder).unwrap_or(folder)))
}

fn settings(options: &Options, dir: Option<&Path>) -> Settings {
    let store = dir.map_or(Config::Memory, |dir| Config::Disk {
        dir: dir.to_owned(),
        durability: options.durability,
        cache_bytes: options.cache_mb.unwrap_or_else(memory::usual_cache_mb) * 1024 * 1024,
    });
    Settings { store, life_cycle: options.life_cycle }
}

/// What the greeting tells beside the options.
#[derive(Default)]
struct Lines<'a> {
    designs: &'a [String],
    console: Option<&'a str>,
    /// Where the buckets are, if that is not obvious.
    buckets: Option<&'a str>,
}

/// What a person sees when the server is up.
fn greeting(address: SocketAddr, dir: Option<&Path>, options: &Options, lines: &Lines<'_>) -> String {
    let mut text = format!("Larder {}\n", env!("CARGO_PKG_VERSION"));
    let mut line = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _written = writeln!(text, "  {name:<11} {value}");
    };
    line("listening", &format!("http://{address}"));
    if let Some(console) = lines.console {
        line("console", console);
    }
    match dir {
        None => line("data", "in memory: nothing is kept"),
        Some(dir) => {
            line("data", &dir.display().to_string());
            line(
                "durability",
                match options.durability {
                    Durability::Sync => "sync: an acknowledged write is on the disk",
                    Durability::Relaxed => "relaxed: a crash may cost the last 100 ms",
                },
            );
        }
    }
    if let Some(buckets) = lines.buckets {
        line("buckets", buckets);
    }
    if !lines.designs.is_empty() {
        line("designs", &lines.designs.join(", "));
    }
    if options.time_control {
        line("clock", &format!("can be turned: larder clock --endpoint http://{}", reached(address)));
    }
    if let Some(url) = &options.kinesis_endpoint {
        line("kinesis", url);
    }
    line("try", &attempt(address));
    text.push_str("Any region and any credentials will do. Ctrl-C stops.\n");
    text
}

/// One command to try.
fn attempt(address: SocketAddr) -> String {
    let reached = reached(address);
    if reached == SocketAddr::from((Ipv4Addr::LOCALHOST, LOCAL_REGION_PORT)) {
        return "aws dynamodb list-tables --region local".to_owned();
    }
    format!("AWS_ENDPOINT_URL=http://{reached} aws dynamodb list-tables --region local")
}

/// The address by which this machine reaches the server.
fn reached(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip @ (IpAddr::V4(_) | IpAddr::V6(_)) => ip,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greeting_says_where_and_how() {
        let address = SocketAddr::from(([127, 0, 0, 1], 8000));
        let lines = Lines { console: Some("http://127.0.0.1:8001"), ..Lines::default() };
        let text = greeting(address, Some(Path::new("/data")), &Options::default(), &lines);
        let expected = format!(
            "Larder {}\n  listening   http://127.0.0.1:8000\n  console     http://127.0.0.1:8001\n  data        /data\n  \
             durability  sync: an acknowledged write is on the disk\n  \
             try         aws dynamodb list-tables --region local\n\
             Any region and any credentials will do. Ctrl-C stops.\n",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn other_addresses_are_named_in_full() {
        let table = [
            ("0.0.0.0:8000", "aws dynamodb list-tables --region local"),
            (
                "0.0.0.0:9000",
                "AWS_ENDPOINT_URL=http://127.0.0.1:9000 aws dynamodb list-tables --region local",
            ),
            ("[::]:8000", "AWS_ENDPOINT_URL=http://[::1]:8000 aws dynamodb list-tables --region local"),
        ];
        for (address, expected) in table {
            assert_eq!(attempt(address.parse().unwrap()), expected);
        }
        let designs = ["lunch-cache".to_owned(), "nishiki".to_owned()];
        let options = Options { time_control: true, ..Options::default() };
        let lines = Lines { designs: &designs, buckets: Some("/tmp/files"), ..Lines::default() };
        let text = greeting("[::1]:1".parse().unwrap(), None, &options, &lines);
        assert!(text.contains("  buckets     /tmp/files\n"));
        assert!(text.contains("nothing is kept") && text.contains("lunch-cache, nishiki"));
        assert!(text.contains("larder clock --endpoint http://[::1]:1\n"));
    }
}
