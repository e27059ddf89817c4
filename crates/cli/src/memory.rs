//! How much memory there is for this process, what of it the cache may have, and in which pieces the system gives it.
//! Knows no options.

use std::fs;
use std::path::{Path, PathBuf};

const MB: u64 = 1024 * 1024;
/// The cache's share of the memory.
const CACHE_SHARE: u64 = 8;
const CACHE_MB_MIN: u64 = 96;
const CACHE_MB_MAX: u64 = 4096;

/// The size of a cache that nobody has said anything of, in MB.
pub(crate) fn usual_cache_mb() -> u64 {
    share(available_bytes(Path::new("/")))
}

/// Has the system give memory in small pages. A large one is filled with zeros when it is touched first, and that can
/// take milliseconds in a virtual machine, in the middle of somebody's request (docs/performance).
#[cfg(target_os = "linux")]
pub(crate) fn take_small_pages() {
    // A system that does not know large pages gives small ones.
    let _refused = rustix::thread::disable_transparent_huge_pages(true);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn take_small_pages() {}

/// A share of the memory, within bounds. Where the memory is not known, it counts as little.
fn share(memory_bytes: Option<u64>) -> u64 {
    memory_bytes.map_or(0, |bytes| bytes / MB / CACHE_SHARE).clamp(CACHE_MB_MIN, CACHE_MB_MAX)
}

/// The machine's memory, or less where a group of processes is limited to less (as containers are).
fn available_bytes(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let machine = line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)?;
    Some(group_limits(root).fold(machine, u64::min))
}

/// The limits of the process's own group and of all above it, in the second form of groups and in the first.
fn group_limits(root: &Path) -> impl Iterator<Item = u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let top = root.join("sys/fs/cgroup");
    let mut files: Vec<PathBuf> =
        Path::new(own).ancestors().map(|group| top.join(group).join("memory.max")).collect();
    files.push(top.join("memory/memory.limit_in_bytes"));
    files.into_iter().filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_an_eighth_within_bounds() {
        let cases = [(None, 96), (Some(512 * MB), 96), (Some(16_384 * MB), 2048), (Some(1 << 40), 4096)];
        for (memory, expected) in cases {
            assert_eq!(share(memory), expected, "{memory:?}");
        }
    }

    #[test]
    fn a_limit_of_a_group_counts_as_the_memory() {
        let dir = tempfile::TempDir::new().unwrap();
        let root = dir.path().to_path_buf();
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(available_bytes(&root), None);
        write("proc/meminfo", "MemFree:  1 kB\nMemTotal:       16384 kB\nBuffers: 2 kB\n");
        assert_eq!(available_bytes(&root), Some(16 * MB));
        write("proc/self/cgroup", "1:name=systemd:/x\n0::/outer/inner\n");
        write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
        assert_eq!(available_bytes(&root), Some(16 * MB));
        write("sys/fs/cgroup/outer/memory.max", "4194304\n");
        assert_eq!(available_bytes(&root), Some(4 * MB));
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2097152\n");
        assert_eq!(available_bytes(&root), Some(2 * MB));
    }
}
