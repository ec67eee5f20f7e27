//! The memory that this process can use: the machine's memory and the limits of its control groups.

#[cfg(any(target_os = "linux", test))]
use std::path::Path;

/// Memory in bytes, at most the limit of every control group that contains this process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// All memory of the machine.
    pub total: u64,
    /// Memory that is free now.
    pub free: u64,
}

/// Returns the memory that this process can use; `None` if unknown.
#[cfg(target_os = "linux")]
pub fn of_process() -> Option<Memory> {
    from_files(&|path| std::fs::read_to_string(path).ok())
}

/// Returns the memory that this process can use; `None` if unknown.
#[cfg(all(windows, target_pointer_width = "64"))]
pub fn of_process() -> Option<Memory> {
    let status = winsafe::GlobalMemoryStatusEx().ok()?;
    Some(Memory { total: status.ullTotalPhys, free: status.ullAvailPhys })
}

/// Returns the memory that this process can use; `None` if unknown.
#[cfg(not(any(target_os = "linux", all(windows, target_pointer_width = "64"))))]
pub fn of_process() -> Option<Memory> {
    None
}

/// Reads a file of `/proc` or of a control group; `None` if it is missing.
#[cfg(any(target_os = "linux", test))]
type Read<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// Reads the memory from Linux's tables.
#[cfg(any(target_os = "linux", test))]
fn from_files(read: Read) -> Option<Memory> {
    let table = read(Path::new("/proc/meminfo"))?;
    let bytes = |name: &str| {
        let line = table.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
    };
    let total = bytes("MemTotal:")?;
    let free = bytes("MemAvailable:").unwrap_or(total);
    let limit = group_limit(read).unwrap_or(u64::MAX);
    Some(Memory { total: total.min(limit), free: free.min(limit) })
}

/// Returns the lowest memory limit of this process's control groups, which can be nested; `None` without a limit.
#[cfg(any(target_os = "linux", test))]
fn group_limit(read: Read) -> Option<u64> {
    let groups = read(Path::new("/proc/self/cgroup"))?;
    let mounts = read(Path::new("/proc/self/mountinfo"))?;
    mounts.lines().filter_map(|mount| limit_below(mount, &groups, read)).min()
}

/// Returns the lowest limit from this process's control group up to the mount point of the hierarchy. `mount` is a line
/// of `/proc/self/mountinfo`, `groups` the text of `/proc/self/cgroup`.
#[cfg(any(target_os = "linux", test))]
fn limit_below(mount: &str, groups: &str, read: Read) -> Option<u64> {
    let (place, kind) = mount.split_once(" - ")?;
    let mut place = place.split(' ').skip(3).map(|text| text.replace("\\040", " ").replace("\\134", "\\"));
    let (root, mount_point) = (place.next()?, place.next()?);
    let mut kind = kind.split(' ');
    let has_memory = |controllers: &str| controllers.split(',').any(|name| name == "memory");
    // A hierarchy of version 1 has its own controllers; the only one of version 2 has number 0 and none listed.
    let (version, is_ours): (_, fn(&str, &str) -> bool) = match (kind.next()?, kind.next_back()?) {
        ("cgroup2", _) => (2, |number, _| number == "0"),
        ("cgroup", options) if has_memory(options) => {
            (1, |_, names| names.split(',').any(|name| name == "memory"))
        }
        _ => return None,
    };
    let group = groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':');
        let (number, names) = (fields.next()?, fields.next()?);
        fields.next().filter(|_| is_ours(number, names))
    })?;
    // A container can see only part of the hierarchy, from `root` down.
    let below = Path::new(group).strip_prefix(&root).unwrap_or(Path::new(""));
    let files: &[&str] =
        if version == 2 { &["memory.max", "memory.high"] } else { &["memory.limit_in_bytes"] };
    let folders = below.ancestors().map(|folder| Path::new(&mount_point).join(folder));
    // The text "max" means no limit.
    let limits = folders.flat_map(|folder| files.iter().map(move |file| folder.join(file)));
    limits.filter_map(|file| read(&file)?.trim().parse().ok()).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;
    const MEMINFO: &str = "MemTotal:       16384 kB\nMemFree:         1024 kB\nMemAvailable:    8192 kB\n";
    const V2: &str = "28 23 0:25 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
    const V1: &str = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n\
        32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
        35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,hugetlb,memory\n";

    /// Reads the memory in MiB, total and free, from tables and the limits of control groups.
    fn memory(mounts: &str, groups: &str, limits: &[(&str, &str)]) -> Option<[u64; 2]> {
        let tables =
            [("/proc/meminfo", MEMINFO), ("/proc/self/mountinfo", mounts), ("/proc/self/cgroup", groups)];
        let files: Vec<_> = tables.iter().chain(limits).collect();
        let read = |path: &Path| {
            files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned())
        };
        from_files(&read).map(|memory| [memory.total, memory.free].map(|bytes| bytes / MB))
    }

    #[test]
    fn free_memory_is_less_than_all_memory() {
        assert_eq!(memory("", "", &[]), Some([16, 8]));
        assert_eq!(from_files(&|_| None), None);
        let old =
            |path: &Path| (path == Path::new("/proc/meminfo")).then(|| "MemTotal: 2048 kB\n".to_owned());
        assert_eq!(from_files(&old), Some(Memory { total: 2 * MB, free: 2 * MB }), "no MemAvailable");
    }

    #[test]
    fn the_lowest_limit_of_nested_control_groups_holds() {
        let (two, four, twelve) = ("2097152\n", "4194304\n", "12582912\n");
        let job = "0::/slurm/job_7/step_0\n";
        for (limits, expected) in [
            (&[][..], [16, 8]),
            // The root has no limit, the process's own group none either: the limit is between them.
            (&[("/sys/fs/cgroup/slurm/job_7/memory.max", two)], [2, 2]),
            (
                &[
                    ("/sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n"),
                    ("/sys/fs/cgroup/slurm/job_7/memory.max", four),
                    ("/sys/fs/cgroup/slurm/memory.max", twelve),
                ],
                [4, 4],
            ),
            (
                &[("/sys/fs/cgroup/slurm/job_7/step_0/memory.max", two), ("/sys/fs/cgroup/memory.max", four)],
                [2, 2],
            ),
            (&[("/sys/fs/cgroup/slurm/memory.high", twelve)], [12, 8]),
            // A sibling's limit does not count.
            (&[("/sys/fs/cgroup/slurm/job_8/memory.max", two)], [16, 8]),
        ] {
            assert_eq!(memory(V2, job, limits), Some(expected), "{limits:?}");
        }
        let groups = "9:name=systemd:/\n7:cpu,cpuacct:/other\n4:hugetlb,memory:/a/b:c\n0::/\n";
        for (limits, expected) in [
            (&[("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", two)][..], [2, 2]),
            (&[("/sys/fs/cgroup/memory/a/b:c/memory.limit_in_bytes", four)], [4, 4]),
            (&[("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712")], [16, 8]),
            (&[("/sys/fs/cgroup/memory/other/memory.limit_in_bytes", two)], [16, 8]),
            (&[("/sys/fs/cgroup/cpu/a/memory.limit_in_bytes", two)], [16, 8]),
        ] {
            assert_eq!(memory(V1, groups, limits), Some(expected), "{limits:?}");
        }
    }

    #[test]
    fn a_container_sees_part_of_a_hierarchy() {
        let mount = V2.replace(" / ", r" /docker/my\040box ");
        let limit = |folder: &str| format!("/sys/fs/cgroup/{folder}memory.max");
        for (group, folder) in [("/docker/my box/job", "job/"), ("/docker/my box", ""), ("/elsewhere", "")] {
            let found = memory(&mount, &format!("0::{group}\n"), &[(&limit(folder), "3145728")]);
            assert_eq!(found, Some([3, 3]), "{group}");
        }
    }
}
