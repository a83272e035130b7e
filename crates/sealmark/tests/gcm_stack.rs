//! The key of GHASH, which lets its owner forge, is not on the stack of a thread that has opened or sealed a payload.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use sealmark::gcm::{Key, PieceSealer, Verifier};
use std::fs::{self, File};
use std::hint::black_box;
use std::os::unix::fs::FileExt;

/// GHASH's key under the AES-128 key of zeros (McGrew and Viega, test case 1), each bit inverted: the search must not find the
/// test's own constant.
const INVERTED: [u8; 16] =
    [0x99, 0x16, 0xb4, 0x2b, 0x10, 0x75, 0xd3, 0xc4, 0x77, 0xb3, 0x05, 0xa6, 0x35, 0xcb, 0xd4, 0xd1];

/// A search writes to the stack itself, far above the frames of the work.
const DEPTH: usize = 64;

#[test]
fn the_hash_key_does_not_stay_on_the_stack() {
    deep(DEPTH, &mut || {
        black_box(INVERTED.map(|byte| !byte));
    });
    assert!(copies() > 0, "nothing would have been found");
    // Over the copy that was made to be found.
    deep(DEPTH, &mut || {
        black_box([0; 8192]);
    });
    assert_eq!(copies(), 0, "one would have stayed");

    deep(DEPTH, &mut || {
        let mut piece = [1; 4096];
        let mut sealer = PieceSealer::new(key()).unwrap();
        sealer.seal(&mut piece).unwrap();
        black_box(sealer.finish());
    });
    assert_eq!(copies(), 0, "sealing");
    deep(DEPTH, &mut || {
        let mut verifier = Verifier::new(key(), [0; 12]);
        verifier.authenticate(&[1; 4096]).unwrap();
        assert!(black_box(verifier).verify(&[0; 16]).is_err());
    });
    assert_eq!(copies(), 0, "opening");
}

fn key() -> Key {
    Key::new(&[0; 16]).unwrap()
}

/// Works below so many frames of 1 KiB.
#[inline(never)]
fn deep(frames: usize, work: &mut dyn FnMut()) {
    let frame = [0_u8; 1024];
    black_box(&frame);
    if frames == 0 {
        work()
    } else {
        deep(frames - 1, work)
    }
    black_box(&frame);
}

/// How often the key is in the memory of this stack, in either order of its bytes.
fn copies() -> usize {
    let here = 0_u8;
    let here = black_box(&raw const here) as u64;
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let range = |line: &str| -> Option<(u64, u64)> {
        let (from, to) = line.split(' ').next()?.split_once('-')?;
        Some((u64::from_str_radix(from, 16).ok()?, u64::from_str_radix(to, 16).ok()?))
    };
    let (start, _) = maps.lines().filter_map(range).find(|(from, to)| (*from..*to).contains(&here)).unwrap();
    let mut stack = vec![0; (here - start) as usize];
    File::open("/proc/self/mem").unwrap().read_exact_at(&mut stack, start).unwrap();
    let is_key = |bytes: &[u8]| bytes.iter().zip(&INVERTED).all(|(byte, inverted)| *byte == !inverted);
    let is_reversed =
        |bytes: &[u8]| bytes.iter().rev().zip(&INVERTED).all(|(byte, inverted)| *byte == !inverted);
    stack.windows(INVERTED.len()).filter(|bytes| is_key(bytes) || is_reversed(bytes)).count()
}
