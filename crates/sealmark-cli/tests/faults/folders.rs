//! Folders: any tree comes back as it was, whatever is in an archive stays in its folder, and what fails is named.

use crate::mounts::skip;
use crate::room::{Ended, KEY, ME, Room, bytes, ended};
use crate::watched::{Feed, watch};
use sealmark::archive::{Entry, Item, Kind, Time, seal_archive};
use sealmark::{Existing, Job, Output};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Everything about a tree that an archive keeps.
pub type Tree = BTreeMap<PathBuf, String>;

pub fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut inodes = BTreeMap::new();
    walk(root, root, &mut found, &mut inodes);
    found
}

fn walk(root: &Path, at: &Path, found: &mut Tree, first_names: &mut BTreeMap<u64, PathBuf>) {
    let meta = fs::symlink_metadata(at).unwrap();
    let name = at.strip_prefix(root).unwrap().to_owned();
    let time = (meta.mtime(), meta.mtime_nsec());
    let same = first_names.entry(meta.ino()).or_insert_with(|| name.clone()).clone();
    let what = if meta.is_symlink() {
        format!("{time:?} link to {:?}", fs::read_link(at).unwrap())
    } else if meta.is_dir() {
        format!("{time:?} directory {:o}", meta.mode() & 0o777)
    } else {
        let content = fs::read(at).unwrap();
        format!("{time:?} file {:o} {:?} {} {:?}", meta.mode() & 0o777, same, content.len(), hash(&content))
    };
    found.insert(name, what);
    if meta.is_dir() {
        let mut names: Vec<_> = fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path()).collect();
        names.sort();
        names.iter().for_each(|path| walk(root, path, found, first_names));
    }
}

/// The tree with whole seconds, as the tar archive has them.
fn in_seconds(tree: Tree) -> Tree {
    let cut = |what: String| {
        let (seconds, rest) = what.split_once(',').unwrap();
        format!("{seconds}{}", &rest[rest.find(')').unwrap()..])
    };
    tree.into_iter().map(|(path, what)| (path, cut(what))).collect()
}

fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ mixed >> 27) % end
    }

    fn name(&mut self) -> OsString {
        const LETTERS: &[u8] = b"aab.-_ \\\n\x1b\xff\xc3\xbc*?[~'\"";
        let length = [1, 2, 3, 8, 40, 120, 255][self.below(7) as usize];
        let name: Vec<u8> = (0..length).map(|_| LETTERS[self.below(LETTERS.len() as u64) as usize]).collect();
        if name == b"." || name == b".." { "dots".into() } else { OsString::from_vec(name) }
    }
}

fn plant(numbers: &mut Numbers, at: &Path, depth: u64, files: &mut Vec<PathBuf>) {
    fs::create_dir(at).unwrap();
    for _ in 0..numbers.below(7) {
        let path = at.join(numbers.name());
        if path.symlink_metadata().is_ok() || path.as_os_str().len() > 3000 {
            continue;
        }
        match numbers.below(8) {
            0 | 1 if depth > 0 => plant(numbers, &path, depth - 1, files),
            2 => symlink(numbers.name(), &path).unwrap(),
            3 if !files.is_empty() => {
                let other = &files[numbers.below(files.len() as u64) as usize];
                fs::hard_link(other, &path).unwrap();
            }
            4 => {
                let file = fs::File::create(&path).unwrap();
                file.set_len(numbers.below(3 << 20)).unwrap();
                for _ in 0..numbers.below(4) {
                    file.write_all_at(b"data between holes", numbers.below(2 << 20)).unwrap();
                }
            }
            kind => {
                let length =
                    [0, 1, 511, 512, 513, 16_384, 70_000, 700_000, 2_500_000][numbers.below(9) as usize];
                let content: Vec<u8> = (0..length).map(|at: u64| (at * 31 + kind) as u8).collect();
                fs::write(&path, content).unwrap();
                let mode = [0o644, 0o600, 0o755, 0o444, 0o700][numbers.below(5) as usize];
                fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
                files.push(path);
            }
        }
    }
    if numbers.below(4) == 0 {
        fs::set_permissions(at, Permissions::from_mode(0o550)).unwrap();
    }
}

fn writable(at: &Path) {
    let _files = Command::new("chmod").args(["-R", "u+rwX"]).arg(at).status();
}

#[test]
fn any_tree_comes_back() {
    for seed in 0..40 {
        let room = Room::new();
        let mut numbers = Numbers(seed);
        plant(&mut numbers, &room.path("tree"), 4, &mut Vec::new());
        let before = tree(&room.path("tree"));
        room.run(["seal", "-R", ME, "tree"]).done();
        room.run(["verify", "-i", KEY, "tree.tar.sealed"]).done();
        room.run(["open", "-i", KEY, "--links", "--into", "new", "tree.tar.sealed"]).done();
        assert_eq!(tree(&room.path("new/tree")), before, "seed {seed}");
        let listed = room.run(["list", "-i", KEY, "--json", "tree.tar.sealed"]).out;
        assert_eq!(listed.iter().filter(|byte| **byte == b'\n').count(), before.len(), "seed {seed}");
        room.shell("mkdir tar && sealmark open -i ../key.txt -o - tree.tar.sealed | tar -xpf - -C tar")
            .done();
        assert_eq!(in_seconds(tree(&room.path("tar/tree"))), in_seconds(before), "seed {seed}");
        ["tree", "new", "tar"].iter().for_each(|name| writable(&room.path(name)));
    }
}

/// The vectors of the repository: an archive that breaks a rule, extracted by force and with its links.
#[test]
fn no_archive_writes_outside_of_its_folder() {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors/archive");
    let Ok(vectors) = fs::read_dir(vectors) else { return skip("folders", "the vectors are not here") };
    // These are refused where the tar is read or compared: what is extracted is what the index says, and below the folder.
    let harmless = [
        "a_chunk_of_the_tar_that_starts_with_the_mark",
        "a_footer_with_one_entry_more",
        "a_footer_without_entries",
        "an_entry_that_only_the_tar_has",
        "a_path_in_a_file",
        "a_path_in_a_symbolic_link",
        "a_path_without_its_directory",
        "a_tar_with_something_after_its_end",
        "a_tar_with_something_between_its_entries",
    ];
    // The target is no file of the archive: all but the link is extracted.
    let links = [
        "a_hard_link_to_a_directory",
        "a_hard_link_to_a_hard_link",
        "a_hard_link_to_a_path_before_all_others",
        "a_hard_link_to_a_path_that_is_not_there",
        "a_hard_link_to_a_symbolic_link",
    ];
    let mut refused = 0;
    for vector in vectors.map(|entry| entry.unwrap().path()) {
        let name = vector.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = fs::read(&vector).unwrap();
        let head = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap();
        let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
        let (Some(key), false) =
            (text.lines().find_map(|line| line.strip_prefix("identity: ")), text.contains("zlib"))
        else {
            continue;
        };
        let room = Room::new();
        room.write("key", key);
        room.write("in.sealed", &bytes[head + 2..]);
        fs::create_dir(room.path("into")).unwrap();
        let args = ["open", "-i", "key", "--into", "into/new", "--force", "--links", "in.sealed"];
        let ended = room.run(args);
        assert_eq!(room.names(), ["in.sealed", "into", "key"], "{name}");
        let made: Vec<_> =
            fs::read_dir(room.path("into")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(made.is_empty() || made == ["new"], "{name}: {made:?}");
        assert!(!ended.err.contains("panicked"), "{name}: {ended:?}");
        if text.contains("expect: success") {
            let is_archive = name.starts_with("an_archive");
            assert_eq!(ended.code, Some(if is_archive { 0 } else { 1 }), "{name}: {ended:?}");
        } else if links.contains(&&name[..]) {
            assert_eq!(ended.code, Some(2), "{name}: {ended:?}");
            assert!(ended.err.contains("was not extracted: it is a hard link to"), "{name}: {ended:?}");
            for link in ["into/new/top/l", "into/new/top/c"] {
                assert!(room.path(link).symlink_metadata().is_err(), "{name}");
            }
            refused += 1;
        } else if !harmless.contains(&&name[..]) {
            assert_eq!(ended.code, Some(4), "{name}: {ended:?}");
            refused += 1;
        }
    }
    assert!(refused > 45, "only {refused} archives were refused");
}

/// For two seconds, another process replaces directories and files with links that lead outside, and puts them back.
#[test]
fn links_that_appear_during_extraction_are_not_followed() {
    const DIRECTORIES: usize = 25;
    let room = Room::new();
    for directory in 0..DIRECTORIES {
        fs::create_dir_all(room.path(format!("top/{directory}/sub"))).unwrap();
        for file in 0..10 {
            room.write(format!("top/{directory}/{file}"), "from the archive");
            room.write(format!("top/{directory}/sub/{file}"), "from the archive");
        }
    }
    room.run(["seal", "-R", ME, "-o", "in.sealed", "top"]).done();
    // The same names as in the archive, so that a directory that is a link to it has something to replace.
    fs::create_dir_all(room.path("outside/sub")).unwrap();
    for name in ["0", "5", "sub/0", "sub/5"] {
        room.write(format!("outside/{name}"), "not to be replaced");
    }
    for (name, mode) in [("outside", 0o711), ("outside/sub", 0o711), ("outside/0", 0o600)] {
        fs::set_permissions(room.path(name), Permissions::from_mode(mode)).unwrap();
    }
    let outside = tree(&room.path("outside"));
    room.run(["open", "-i", KEY, "--into", "new", "in.sealed"]).done();

    let (end, mut met) = (Instant::now() + Duration::from_secs(2), 0);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let (aside, link) = (room.path("new/aside"), room.path("new/link"));
            let mut numbers = Numbers(1);
            while !over.load(Ordering::Relaxed) {
                let directory = format!("new/top/{}", numbers.below(DIRECTORIES as u64));
                let (name, target) = match numbers.below(3) {
                    0 => (directory, "../../outside"),
                    1 => (format!("{directory}/sub"), "../../../outside"),
                    _ => (format!("{directory}/5"), "../../../outside/5"),
                };
                let name = room.path(name);
                symlink(target, &link).unwrap();
                // The program may take the name between any two of these calls, so each of them may fail.
                let _there = fs::rename(&name, &aside).and_then(|()| fs::rename(&link, &name));
                thread::sleep(Duration::from_micros(numbers.below(300)));
                let _gone = fs::remove_file(&name).and_then(|()| fs::rename(&aside, &name));
                let _unused = fs::remove_file(&link);
                let _taken = fs::remove_dir_all(&aside).or_else(|_| fs::remove_file(&aside));
            }
        });
        while Instant::now() < end {
            let ended = room.run(["open", "-i", KEY, "--force", "--into", "new", "in.sealed"]);
            met += usize::from(ended.err.contains("is not a directory"));
            if tree(&room.path("outside")) != outside || ended.err.contains("panicked") {
                over.store(true, Ordering::Relaxed);
                panic!("something was written outside, or {ended:?}");
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    assert!(met > 0, "no link was there at the right moment");
}

/// Extracted by force, too: somebody else's archive names files that are in the folder already.
#[test]
fn a_hard_link_binds_and_replaces_nothing_that_was_there() {
    let room = Room::new();
    let target = || b"private/key".to_vec();
    let items = [
        ("private", Kind::Directory),
        ("private/key", Kind::File { size: 0 }),
        ("public", Kind::HardLink { target: target() }),
        ("there", Kind::HardLink { target: target() }),
    ];
    let item = |(path, kind)| Ok(Item::new(Entry::new(path, kind, 0o755, Time::default()), std::io::empty()));
    let items = items.into_iter().map(item);
    let output = Output::create(room.path("in.sealed"), Existing::Refuse).unwrap();
    seal_archive(items, output, &room.to_me(), &Job::default(), || unreachable!("the index is short"))
        .unwrap();
    fs::create_dir_all(room.path("into/private")).unwrap();
    room.write("into/there", "my file");
    room.write("into/private/key", "my key");
    let before = tree(&room.path("into"));
    let only = ["--only", "public", "--only", "there"];
    let args = ["open", "-i", KEY, "--into", "into", "--force", "in.sealed"];
    let ended = room.run(args.iter().chain(&only));
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert_eq!(tree(&room.path("into")), before);
    for path in ["public", "there"] {
        let note = format!("note: \"{path}\" was not extracted: it is a hard link to \"private/key\"");
        assert!(ended.err.contains(&note), "{ended:?}");
    }
}

/// Without the rights of root, nobody looks up a name in a directory with these permissions.
#[test]
fn permissions_of_a_directory_keep_no_link_from_being_made() {
    let room = Room::new();
    let items = [
        ("closed", Kind::Directory, 0o000),
        ("closed/file", Kind::File { size: 0 }, 0o644),
        ("read-only", Kind::Directory, 0o500),
        ("read-only/link", Kind::HardLink { target: b"closed/file".to_vec() }, 0o644),
        ("read-only/way", Kind::SymbolicLink { target: b"link".to_vec() }, 0o777),
    ];
    let item =
        |(path, kind, mode)| Ok(Item::new(Entry::new(path, kind, mode, Time::default()), std::io::empty()));
    let output = Output::create(room.path("in.sealed"), Existing::Refuse).unwrap();
    let items = items.into_iter().map(item);
    seal_archive(items, output, &room.to_me(), &Job::default(), || unreachable!("the index is short"))
        .unwrap();
    let args = ["open", "-i", KEY, "--into", "new", "in.sealed"];
    let drop = "--bounding-set=-dac_override,-dac_read_search";
    let command = if rustix::process::geteuid().is_root() {
        room.sealmark_under(&["setpriv", "--inh-caps=-all", drop], &args)
    } else {
        room.sealmark(args)
    };
    ended(command).done();
    let mode = |name: &str| fs::symlink_metadata(room.path(name)).unwrap().mode() & 0o777;
    assert_eq!((mode("new/closed"), mode("new/read-only")), (0o000, 0o500));
    assert_eq!(fs::metadata(room.path("new/read-only/way")).unwrap().nlink(), 2);
    for name in ["new/closed", "new/read-only"] {
        fs::set_permissions(room.path(name), Permissions::from_mode(0o700)).unwrap();
    }
}

fn attribute(path: &Path, name: &str) -> Option<Vec<u8>> {
    let mut value = [0; 100_000];
    rustix::fs::lgetxattr(path, name, &mut value[..]).ok().map(|length| value[..length].to_vec())
}

#[test]
fn extended_attributes_come_back_on_request() {
    let room = Room::new();
    fs::create_dir_all(room.path("d/sub")).unwrap();
    ["d/a", "d/read-only", "d/sub/large"].iter().for_each(|name| room.write(name, name));
    room.write("d/sub/large", vec![b'x'; 2_000_000]);
    fs::set_permissions(room.path("d/read-only"), Permissions::from_mode(0o444)).unwrap();
    fs::hard_link(room.path("d/a"), room.path("d/b")).unwrap();
    let set = |path: &str, name: &str, value: &[u8]| {
        rustix::fs::setxattr(room.path(path), name, value, rustix::fs::XattrFlags::empty())
    };
    let marked = ["d", "d/a", "d/sub", "d/sub/large"];
    for path in marked {
        if set(path, "user.place", path.as_bytes()).is_err() {
            return skip("folders", "this file system has no extended attributes");
        }
    }
    set("d/a", "user.odd", b"=\0\n 12 a=b\n").unwrap();
    set("d/a", "user.empty", b"").unwrap();
    // Only root may set it, and it is not extracted.
    let trusted = set("d/a", "trusted.place", b"x").is_ok();

    room.run(["seal", "-R", ME, "d"]).done();
    assert!(
        !String::from_utf8_lossy(&room.run(["list", "-i", KEY, "--json", "d.tar.sealed"]).out)
            .contains("xattrs")
    );
    room.run(["seal", "-R", ME, "-f", "--xattrs", "d"]).done();
    room.run(["verify", "-i", KEY, "d.tar.sealed"]).done();
    let listed = room.run(["list", "-i", KEY, "--json", "--only", "d/a", "d.tar.sealed"]).out;
    let count = format!("\"xattrs\":{}}}", 3 + usize::from(trusted));
    assert!(String::from_utf8_lossy(&listed).contains(&count), "{}", String::from_utf8_lossy(&listed));

    room.run(["open", "-i", KEY, "--into", "without", "d.tar.sealed"]).done();
    let extracted = room.run(["open", "-i", KEY, "--into", "new", "--xattrs", "d.tar.sealed"]);
    extracted.done();
    let note = "note: left out 1 extended attribute outside of the name space \"user\"; `tar --xattrs` extracts them\n";
    assert_eq!(extracted.err, if trusted { note } else { "" });
    room.shell("mkdir tar && sealmark open -i ../key.txt -o - d.tar.sealed | tar --xattrs -xpf - -C tar")
        .done();
    for path in marked {
        assert_eq!(attribute(&room.path("without").join(path), "user.place"), None);
        for folder in ["new", "tar"] {
            let found = attribute(&room.path(folder).join(path), "user.place");
            assert_eq!(found.as_deref(), Some(path.as_bytes()), "{folder}/{path}");
        }
    }
    for name in ["new/d/a", "new/d/b", "tar/d/a"] {
        assert_eq!(attribute(&room.path(name), "user.odd").unwrap(), b"=\0\n 12 a=b\n", "{name}");
        assert_eq!(attribute(&room.path(name), "user.empty").unwrap(), b"", "{name}");
        assert_eq!(attribute(&room.path(name), "trusted.place"), None, "{name}");
    }
    assert_eq!(tree(&room.path("new/d")), tree(&room.path("d")));
    room.run(["seal", "-R", ME, "--xattrs", "d/a"])
        .failed(1, "only folders are sealed with extended attributes");
}

/// Only root can give files away.
#[test]
fn owners_come_back_on_request() {
    if !rustix::process::geteuid().is_root() {
        return skip("folders", "not root");
    }
    let room = Room::new();
    fs::create_dir_all(room.path("d/sub")).unwrap();
    ["d/a", "d/sub/b"].iter().for_each(|name| room.write(name, name));
    symlink("a", room.path("d/link")).unwrap();
    let all = ["d", "d/a", "d/link", "d/sub", "d/sub/b"];
    for (number, name) in (1000..).zip(all) {
        std::os::unix::fs::lchown(room.path(name), Some(number), Some(number + 70_000)).unwrap();
    }
    room.run(["seal", "-R", ME, "d"]).done();
    let owners = |folder: &str| {
        all.map(|name| {
            fs::symlink_metadata(room.path(folder).join(name)).map(|meta| (meta.uid(), meta.gid())).unwrap()
        })
    };
    room.run(["open", "-i", KEY, "--into", "mine", "d.tar.sealed"]).done();
    assert_eq!(owners("mine"), [(0, 0); 5]);
    room.run(["open", "-i", KEY, "--into", "theirs", "--owners", "d.tar.sealed"]).done();
    assert_eq!(owners("theirs"), owners("."));

    let args = ["open", "-i", KEY, "--into", "refused", "--owners", "d.tar.sealed"];
    let refused = ended(room.sealmark_under(&["setpriv", "--inh-caps=-all", "--bounding-set=-chown"], &args));
    refused.failed(2, "\"d.tar.sealed\": 5 entries were extracted without some of their metadata");
    for name in all {
        let note = format!("note: {name:?} was extracted without its owner: operation not permitted\n");
        assert!(refused.err.contains(&note), "{refused:?}");
    }
    let before = tree(&room.path("d"));
    assert_eq!(tree(&room.path("refused/d")), before);
    assert_eq!(tree(&room.path("theirs/d")), before);
}

/// Running as root, the program gives its rights up, so that it cannot read everything.
#[test]
fn unreadable_files_are_named_and_the_rest_is_sealed() {
    let room = Room::new();
    fs::create_dir_all(room.path("d/closed")).unwrap();
    for name in ["d/a", "d/secret", "d/z", "d/closed/x"] {
        room.write(name, name);
    }
    fs::set_permissions(room.path("d/secret"), Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(room.path("d/closed"), Permissions::from_mode(0o000)).unwrap();
    let drop = "--bounding-set=-dac_override,-dac_read_search";
    for (flag, exit, word) in [("--force", 2, "error"), ("--ignore-failed-read", 0, "warning")] {
        let _none = fs::remove_file(room.path("out"));
        let args = ["seal", flag, "-R", ME, "-o", "out", "d"];
        let Ended { code, err, .. } = if rustix::process::geteuid().is_root() {
            ended(room.sealmark_under(&["setpriv", "--inh-caps=-all", drop], &args))
        } else {
            room.run(args)
        };
        assert_eq!(code, Some(exit), "{err}");
        assert_eq!(
            err.lines().collect::<Vec<_>>(),
            [
                "note: the content of \"d/closed\" is not in the archive: permission denied",
                "note: \"d/secret\" is not in the archive: permission denied",
                &format!("{word}: \"d\": 2 paths could not be read; all others are in the archive"),
                "hint: see the notes above",
            ]
        );
        let listed = room.run(["list", "-i", KEY, "out"]).out;
        assert_eq!(String::from_utf8(listed).unwrap(), "d\nd/a\nd/closed\nd/z\n");
        room.run(["verify", "-i", KEY, "out"]).done();
    }
    fs::set_permissions(room.path("d/closed"), Permissions::from_mode(0o755)).unwrap();
}

/// The full pipe holds the program up while it reads the large file, which then changes.
#[test]
fn a_file_that_changes_is_named_and_its_content_is_padded_or_cut_off() {
    const LENGTH: usize = 48 << 20;
    let content = bytes(LENGTH);
    for (changed, flag, exit, word) in [
        (1_000_000, "--force", 2, "error"),
        (LENGTH + 100_000, "--force", 2, "error"),
        (1_000_000, "--ignore-failed-read", 0, "warning"),
    ] {
        let room = Room::new();
        fs::create_dir(room.path("d")).unwrap();
        for (name, content) in [("d/a", &b"before it"[..]), ("d/m", &content), ("d/z", b"after it")] {
            room.write(name, content);
        }
        let mut command = room.sealmark(["seal", flag, "-R", ME, "-o", "-", "d"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut sealed = vec![0; 1 << 20];
        let mut output = child.stdout.take().unwrap();
        output.read_exact(&mut sealed).unwrap();
        File::options().write(true).open(room.path("d/m")).unwrap().set_len(changed as u64).unwrap();
        output.read_to_end(&mut sealed).unwrap();
        room.write("out", sealed);

        let Ended { code, err, .. } = child.wait_with_output().unwrap().into();
        assert_eq!(code, Some(exit), "{err}");
        assert_eq!(
            err.lines().collect::<Vec<_>>(),
            [
                "note: \"d/m\" changed while it was read: its content in the archive may be mixed",
                &format!("{word}: \"d\": 1 path changed while being read; all others are in the archive"),
                "hint: see the notes above",
            ]
        );
        room.run(["verify", "-i", KEY, "out"]).done();
        room.run(["open", "-i", KEY, "--into", "new", "out"]).done();
        assert_eq!([room.read("new/d/a"), room.read("new/d/z")], [&b"before it"[..], b"after it"]);
        let extracted = room.read("new/d/m");
        assert_eq!(extracted.len(), LENGTH);
        let same = extracted.iter().zip(&content).take_while(|(one, other)| one == other).count();
        assert!(same >= 1_000_000 && extracted[same..].iter().all(|byte| *byte == 0), "{same} are the same");
        assert_eq!(same == LENGTH, changed > LENGTH, "{same} are the same");
    }
}

/// Makes a folder whose index is too long for memory.
pub fn folder_with_a_long_index(at: &Path) {
    fs::create_dir(at).unwrap();
    let target = "t".repeat(4000);
    (0..2200).for_each(|number| symlink(&target, at.join(number.to_string())).unwrap());
}

#[test]
fn a_directory_that_takes_no_temporary_file_is_named() {
    let room = Room::new();
    folder_with_a_long_index(&room.path("d"));
    for output in ["out", "-"] {
        let mut command = room.sealmark(["seal", "--ignore-failed-read", "-R", ME, "-o", output, "d"]);
        let ended = ended({
            command.env("TMPDIR", room.path("none"));
            command
        });
        let said = format!(
            "error: cannot use a temporary file for the index in {:?}: no such file or directory\n\
             hint: set TMPDIR to a directory that has room for it\n",
            room.path("none")
        );
        assert_eq!((ended.code, ended.err), (Some(2), said), "{output}");
        assert_eq!(room.names(), ["d"]);
    }
    room.run(["seal", "-R", ME, "-o", "out", "d"]).done();
    room.run(["verify", "-i", KEY, "out"]).done();
}

/// Where the file system has files that large.
#[test]
fn a_file_too_large_for_an_archive_is_named_and_the_rest_is_sealed() {
    let room = Room::new();
    let Ok(memory) = tempfile::tempdir_in("/dev/shm") else {
        return skip("folders", "/dev/shm is not there");
    };
    let folder = memory.path().join("d");
    fs::create_dir(&folder).unwrap();
    for name in ["a", "m", "z"] {
        fs::write(folder.join(name), name).unwrap();
    }
    let large = File::options().write(true).open(folder.join("m")).unwrap();
    if large.set_len((1 << 52) + 1).is_err() {
        return skip("folders", "a file in /dev/shm cannot be that large");
    }
    let sealed = room.run(["seal", "-R", ME, "-o", "out", folder.to_str().unwrap()]);
    assert_eq!(sealed.code, Some(2), "{sealed:?}");
    let note = "note: \"d/m\" is not in the archive: a file can have at most 2^52 bytes, and the target of a link 4096\n";
    assert!(sealed.err.starts_with(note), "{sealed:?}");
    let listed = room.run(["list", "-i", KEY, "out"]).out;
    assert_eq!(String::from_utf8(listed).unwrap(), "d\nd/a\nd/z\n");
    room.run(["verify", "-i", KEY, "out"]).done();
}

#[test]
fn a_damaged_archive_is_never_taken_for_whole() {
    let room = Room::new();
    fs::create_dir(room.path("d")).unwrap();
    for number in 0..40 {
        room.write(format!("d/{number}"), format!("content {number} ").repeat(400));
    }
    let before = tree(&room.path("d"));
    room.run(["seal", "-R", ME, "d"]).done();
    let sealed = room.read("d.tar.sealed");
    for at in (0..sealed.len()).step_by(997).chain(sealed.len() - 60..sealed.len()) {
        let mut damaged = sealed.clone();
        damaged[at] ^= 4;
        room.write("damaged", &damaged);
        let ended = room.run(["open", "-i", KEY, "--into", "new", "damaged"]);
        assert!(matches!(ended.code, Some(3 | 4)), "byte {at}: {ended:?}");
        assert!(matches!(room.run(["verify", "-i", KEY, "damaged"]).code, Some(3 | 4)), "byte {at}");
        if room.path("new/d").exists() {
            for (name, what) in
                tree(&room.path("new/d")).iter().filter(|(name, _)| name.components().count() > 0)
            {
                assert_eq!(before.get(name), Some(what), "byte {at}");
            }
            fs::remove_dir_all(room.path("new")).unwrap();
        }
    }
    for cut in [sealed.len() - 1, sealed.len() / 2, sealed.len() - 16_400] {
        room.write("damaged", &sealed[..cut]);
        assert_eq!(room.run(["open", "-i", KEY, "--into", "cut", "damaged"]).code, Some(4));
        assert!(!room.path("cut").exists(), "cut at {cut}");
    }
}

/// A file that does not fit into the memory of its batch is open until it is encrypted, and the directory of each file until
/// that is read.
#[test]
fn a_low_limit_of_open_files_leaves_nothing_out() {
    let room = Room::new();
    fs::create_dir(room.path("d")).unwrap();
    for number in 0..300 {
        room.write(format!("d/{number}"), vec![b'x'; 100_000]);
    }
    for number in 0..300 {
        fs::create_dir_all(room.path(format!("many/{number}"))).unwrap();
        room.write(format!("many/{number}/a"), "a");
    }
    for limit in ["--nofile=40:4096", "--nofile=40:40"] {
        for (folder, entries) in [("d", 301), ("many", 601)] {
            ended(room.sealmark_under(&["prlimit", limit], &["seal", "-f", "-R", ME, folder])).done();
            let listed = room.run(["list", "-i", KEY, &format!("{folder}.tar.sealed")]).out;
            assert_eq!(listed.iter().filter(|byte| **byte == b'\n').count(), entries, "{folder} {limit}");
        }
    }
}

#[test]
fn many_files_take_64_megabytes_at_most() {
    many_files(10);
}

/// 100,000 names: `make soak`.
#[test]
#[ignore = "minutes on a slow disk"]
fn very_many_files_take_64_megabytes_at_most() {
    many_files(100);
}

/// With more threads than cores.
fn many_files(directories: usize) {
    const LIMIT: u64 = 64_000_000;
    let room = Room::new();
    for directory in 0..directories {
        let path = room.path(format!("d/directory {directory}"));
        fs::create_dir_all(&path).unwrap();
        for file in 0..1000 {
            fs::write(path.join(format!("a file with a long name {file}")), b"x").unwrap();
        }
    }
    let bounded = |args: &[&str]| {
        let watched = watch(room.sealmark(args), Feed::Nothing);
        watched.ended.done();
        assert!((1_000_000..=LIMIT).contains(&watched.peak), "{args:?} took {} bytes", watched.peak);
    };
    bounded(&["seal", "-j", "8", "-R", ME, "d"]);
    bounded(&["list", "-i", KEY, "d.tar.sealed"]);
    bounded(&["verify", "-j", "8", "-i", KEY, "d.tar.sealed"]);
    bounded(&["open", "-j", "8", "-i", KEY, "--into", "new", "d.tar.sealed"]);
}
