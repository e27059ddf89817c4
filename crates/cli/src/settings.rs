//! The options of `larder serve`, once: one table drives the parser, the help and the environment's names.
//! Knows what each value may be, and not where it came from.

use engine::LifeCycle;
use std::ffi::OsStr;
use std::path::PathBuf;
use storage::Durability;
use tracing_subscriber::filter::{LevelFilter, Targets};

/// What `larder serve` is to do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Options {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) place: Place,
    pub(crate) durability: Durability,
    /// Memory for blocks of files and hot values; none for a share of what there is.
    pub(crate) cache_mb: Option<u64>,
    pub(crate) life_cycle: LifeCycle,
    pub(crate) designs: Vec<PathBuf>,
    pub(crate) time_control: bool,
    pub(crate) buckets: BucketOptions,
    pub(crate) console: ConsoleOptions,
    pub(crate) kinesis_endpoint: Option<String>,
    pub(crate) log: Targets,
}

/// Where the buckets of imports and exports are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct BucketOptions {
    /// The folder of all buckets; none for one beside the data.
    pub(crate) folder: Option<PathBuf>,
    /// The address of a store that speaks the protocol of S3.
    pub(crate) s3_endpoint: Option<String>,
}

/// What the web console is to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ConsoleOptions {
    /// Its port; none for the one after the API's.
    pub(crate) port: Option<u16>,
    pub(crate) is_off: bool,
    pub(crate) is_read_only: bool,
    pub(crate) hosts: Vec<String>,
    /// The folder of the designs that it shows; none for `designs`, if there is one.
    pub(crate) designs: Option<PathBuf>,
}

/// Where the data lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the user's data folder.
    Usual,
    /// In this folder.
    Folder(PathBuf),
    /// Nowhere: it is gone when the server stops.
    Memory,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            host: "127.0.0.1".to_owned(),
            port: 8000,
            place: Place::Usual,
            durability: Durability::Sync,
            cache_mb: None,
            life_cycle: LifeCycle::Immediate,
            designs: Vec::new(),
            time_control: false,
            buckets: BucketOptions::default(),
            console: ConsoleOptions::default(),
            kinesis_endpoint: None,
            log: Targets::new().with_default(LevelFilter::INFO),
        }
    }
}

/// Less cannot hold what one request reads, more is a slip of the keyboard.
const CACHE_MB: std::ops::RangeInclusive<u64> = 8..=1_048_576;

/// One option.
pub(crate) struct Setting {
    /// Its flag without the dashes.
    pub(crate) name: &'static str,
    /// What its value is called; none for a switch.
    pub(crate) value: Option<&'static str>,
    /// What it does, for the help.
    pub(crate) purpose: &'static str,
    /// What holds if it is not given, for the help.
    pub(crate) usual: &'static str,
    /// Takes the value over, or says what the value should have been.
    pub(crate) set: fn(&mut Options, &OsStr) -> Result<(), &'static str>,
}

/// Every option.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        name: "host",
        value: Some("ADDRESS"),
        purpose: "the address to listen on; 0.0.0.0 for all",
        usual: "127.0.0.1",
        set: set_host,
    },
    Setting {
        name: "port",
        value: Some("NUMBER"),
        purpose: "the port to listen on; 0 finds a free one",
        usual: "8000",
        set: set_port,
    },
    Setting {
        name: "data-dir",
        value: Some("FOLDER"),
        purpose: "where the data is kept",
        usual: "in the user's data folder",
        set: set_data_dir,
    },
    Setting {
        name: "cache-mb",
        value: Some("NUMBER"),
        purpose: "memory for what is read often, in MB; it fills with use",
        usual: "an eighth of the memory, 96 to 4096",
        set: set_cache_mb,
    },
    Setting {
        name: "in-memory",
        value: None,
        purpose: "keep nothing on the disk",
        usual: "off",
        set: set_in_memory,
    },
    Setting {
        name: "durability",
        value: Some("sync|relaxed"),
        purpose: "when a write is acknowledged: on the disk, or up to 100 ms before",
        usual: "sync",
        set: set_durability,
    },
    Setting {
        name: "life-cycle",
        value: Some("immediate|realistic"),
        purpose: "whether tables are ACTIVE at once or pass through CREATING as in the real service",
        usual: "immediate",
        set: set_life_cycle,
    },
    Setting {
        name: "design",
        value: Some("FILE…"),
        purpose: "designs to deploy and seed before serving; samples never replace what is there",
        usual: "none",
        set: set_design,
    },
    Setting {
        name: "time-control",
        value: None,
        purpose: "let callers freeze and advance the clock: larder clock --help",
        usual: "off",
        set: set_time_control,
    },
    Setting {
        name: "bucket-dir",
        value: Some("FOLDER"),
        purpose: "where imports and exports find their buckets, each a folder in it",
        usual: "the folder buckets beside the data",
        set: set_bucket_dir,
    },
    Setting {
        name: "s3-endpoint",
        value: Some("URL"),
        purpose: "a store like S3 that has the buckets instead; AWS_ACCESS_KEY_ID, … say who asks",
        usual: "none",
        set: set_s3_endpoint,
    },
    Setting {
        name: "console-port",
        value: Some("NUMBER"),
        purpose: "the port of the web console, which is also at /_console/ of the API's port",
        usual: "the port after the API's: 8001",
        set: set_console_port,
    },
    Setting {
        name: "console-host",
        value: Some("NAME,…"),
        purpose: "names by which browsers may reach the console, beside addresses and localhost",
        usual: "none",
        set: set_console_host,
    },
    Setting {
        name: "no-console",
        value: None,
        purpose: "serve no web console",
        usual: "off",
        set: set_no_console,
    },
    Setting {
        name: "read-only",
        value: None,
        purpose: "the web console may look and not change; the API is as ever",
        usual: "off",
        set: set_read_only,
    },
    Setting {
        name: "designs",
        value: Some("FOLDER"),
        purpose: "the design files that the web console shows, beside those of --design",
        usual: "the folder designs, if there is one",
        set: set_designs,
    },
    Setting {
        name: "kinesis-endpoint",
        value: Some("URL"),
        purpose: "where the data streams are that tables may deliver their changes to",
        usual: "none",
        set: set_kinesis_endpoint,
    },
    Setting {
        name: "log",
        value: Some("LEVEL"),
        purpose: "off, error, warn, info, debug or trace; also by part: info,access=debug",
        usual: "info",
        set: set_log,
    },
];

impl Setting {
    /// The flag as it is typed.
    pub(crate) fn flag(&self) -> String {
        format!("--{}", self.name)
    }

    /// The environment variable that does the same.
    pub(crate) fn variable(&self) -> String {
        format!("LARDER_{}", self.name.replace('-', "_").to_uppercase())
    }
}

fn set_host(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    let host = value.to_str().filter(|host| !host.is_empty() && !host.contains(char::is_whitespace));
    // Brackets belong to addresses in URLs; people type them here too.
    let host = host.ok_or("an address or a host name")?;
    host.trim_start_matches('[').trim_end_matches(']').clone_into(&mut options.host);
    Ok(())
}

fn set_port(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    let port = value.to_str().and_then(|text| text.parse().ok());
    options.port = port.ok_or("a number from 0 to 65535")?;
    Ok(())
}

fn set_data_dir(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    if value.is_empty() {
        return Err("the path of a folder");
    }
    options.place = Place::Folder(PathBuf::from(value));
    Ok(())
}

fn set_cache_mb(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    let megabytes =
        value.to_str().and_then(|text| text.parse().ok()).filter(|number| CACHE_MB.contains(number));
    options.cache_mb = Some(megabytes.ok_or("a number from 8 to 1048576")?);
    Ok(())
}

fn set_bucket_dir(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    if value.is_empty() {
        return Err("the path of a folder");
    }
    options.buckets.folder = Some(PathBuf::from(value));
    Ok(())
}

fn set_s3_endpoint(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    let is_address = |text: &&str| {
        let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
        rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
    };
    let address = value.to_str().filter(is_address).ok_or("an address such as http://127.0.0.1:9000")?;
    options.buckets.s3_endpoint = Some(address.trim_end_matches('/').to_owned());
    Ok(())
}

fn set_console_port(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    let port = value.to_str().and_then(|text| text.parse().ok());
    options.console.port = Some(port.ok_or("a number from 0 to 65535")?);
    Ok(())
}

fn set_console_host(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    let text = value.to_str().filter(|text| !text.contains(char::is_whitespace)).ok_or("host names")?;
    options.console.hosts = text.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    Ok(())
}

fn set_no_console(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    options.console.is_off = is_on(value)?;
    Ok(())
}

fn set_read_only(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    options.console.is_read_only = is_on(value)?;
    Ok(())
}

fn set_designs(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    if value.is_empty() {
        return Err("the path of a folder");
    }
    options.console.designs = Some(PathBuf::from(value));
    Ok(())
}

fn set_in_memory(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    if is_on(value)? {
        options.place = Place::Memory;
    } else if options.place == Place::Memory {
        options.place = Place::Usual;
    }
    Ok(())
}

fn set_time_control(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    options.time_control = is_on(value)?;
    Ok(())
}

fn set_kinesis_endpoint(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    let is_address = |url: &&str| url.starts_with("http://") || url.starts_with("https://");
    let url = value.to_str().filter(is_address).ok_or("an address such as http://localhost:4566")?;
    options.kinesis_endpoint = Some(url.to_owned());
    Ok(())
}

/// What a switch is set to.
fn is_on(value: &OsStr) -> Result<bool, &'static str> {
    match value.to_str() {
        Some("true" | "1" | "yes" | "on") => Ok(true),
        Some("false" | "0" | "no" | "off") => Ok(false),
        _ => Err("true or false"),
    }
}

fn set_durability(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    options.durability = match value.to_str() {
        Some("sync") => Durability::Sync,
        Some("relaxed") => Durability::Relaxed,
        _ => return Err("sync or relaxed"),
    };
    Ok(())
}

fn set_life_cycle(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    options.life_cycle = match value.to_str() {
        Some("immediate") => LifeCycle::Immediate,
        Some("realistic") => LifeCycle::Realistic,
        _ => return Err("immediate or realistic"),
    };
    Ok(())
}

fn set_design(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    options.designs = std::env::split_paths(value).filter(|path| !path.as_os_str().is_empty()).collect();
    if options.designs.is_empty() { Err("the paths of design files") } else { Ok(()) }
}

fn set_log(options: &mut Options, value: &OsStr) -> Result<(), &'static str> {
    const EXPECTED: &str = "off, error, warn, info, debug, trace or a list such as info,access=debug";
    let text = value.to_str().filter(|text| text.split(',').all(is_directive)).ok_or(EXPECTED)?;
    options.log = text.parse().map_err(|_| EXPECTED)?;
    Ok(())
}

/// A level, or a part and its level. A word alone would be taken for a part, most likely a misspelt level.
fn is_directive(text: &str) -> bool {
    let level = text.rsplit_once('=').map_or(text, |(_, level)| level);
    !level.is_empty() && level.parse::<LevelFilter>().is_ok()
}
