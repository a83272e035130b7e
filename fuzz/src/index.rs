//! Indexes of archives: whatever an author writes, a reader lists safe paths in order, or refuses.

use crate::header::refuse;
use crate::payload::{CHUNK, SECRET_KEY, derived, fixed_key, header_of, one_thread, seal};
use sealmark::archive::{Archive, Item, Located, path_order, seal_archive};
use sealmark::{Error, Identity, Input, Job, Malformed, Output, Result, SealTo, verify_input};

/// Takes the length of the blocks (two bytes), the number of entries, the chunks of a tar archive of zeros (one byte each), and
/// then blocks and table.
///
/// Entries that a reader accepts can be sealed again, and are listed then as before.
pub fn index(data: &[u8]) -> bool {
    let Some(([low, high, entries, chunks], index)) = data.split_first_chunk::<4>() else { return false };
    let content = usize::from(*chunks) % 4 * CHUNK;
    let table = 32 + u64::from(u16::from_le_bytes([*low, *high]));
    let footer = [content as u64, table, u64::from(*entries)].map(u64::to_be_bytes).concat();
    let mark = derived(b"sealmark/1 file index");
    let sealed = [header_of("tar"), seal(&[&vec![0; content], &mark[..], index, &footer].concat())].concat();
    let listed = match list(&sealed) {
        Ok(listed) => listed,
        Err(error) => return refuse(&error),
    };
    check(&listed);
    let again = seal_again(&listed);
    assert_eq!(list(&again).expect("a list of what was sealed"), listed);
    match verify(&again) {
        // An entry without its directory, or a hard link to no file, which a reader of a part of an index cannot see.
        Ok(()) | Err(Error::Malformed(Malformed::Archive(_))) => {}
        Err(error) => panic!("sealed otherwise than it is verified: {error:?}"),
    }
    assert_eq!(verify(&sealed).is_ok(), listed.is_empty(), "a tar of zeros has no entry");
    true
}

/// No path leads out of the folder that it is extracted to, and none comes twice.
fn check(listed: &[Located]) {
    for located in listed {
        let names = located.entry().path.split(|byte| *byte == b'/');
        assert!(!names.into_iter().any(|name| matches!(name, b"" | b"." | b"..") || name.contains(&0)));
    }
    let paths = listed.windows(2).map(|pair| path_order(&pair[0].entry().path, &pair[1].entry().path));
    assert!(paths.into_iter().all(std::cmp::Ordering::is_lt), "paths out of order");
}

fn input(sealed: &[u8]) -> Input {
    let bytes = sealed.to_vec();
    Input::from_ranges(sealed.len() as u64, move |out, at| {
        out.copy_from_slice(&bytes[at as usize..][..out.len()]);
        Ok(())
    })
}

fn list(sealed: &[u8]) -> Result<Vec<Located>> {
    let archive = Archive::open(input(sealed), &fixed_key())?;
    let listed: Vec<Located> = archive.entries(b"").collect::<Result<_>>()?;
    if let Some(last) = listed.last() {
        let path = &last.entry().path;
        let found: Vec<Located> = archive.entries(path).collect::<Result<_>>()?;
        assert_eq!(found, listed[listed.len() - 1..], "found by its path");
    }
    Ok(listed)
}

fn verify(sealed: &[u8]) -> Result<()> {
    verify_input(&input(sealed), &fixed_key(), &one_thread()).map(drop)
}

/// Seals the entries with contents of zeros.
fn seal_again(listed: &[Located]) -> Vec<u8> {
    let mut sealed = Vec::new();
    let to = SealTo::recipients(sealmark::Format::Sealmark, &[identity().recipient()]).expect("a recipient");
    let items = listed.iter().map(|located| Ok(Item::new(located.entry().clone(), std::io::repeat(0))));
    let spill = || unreachable!("an index of at most 64 KiB stays in memory");
    seal_archive(items, Output::stream(&mut sealed), &to, &Job::default(), spill)
        .expect("entries that were listed can be sealed");
    sealed
}

fn identity() -> Identity {
    SECRET_KEY.trim().parse().expect("the fixed key is a key")
}
