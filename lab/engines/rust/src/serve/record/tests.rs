//! Every way to seal values, on every number of threads, and against damage.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use super::*;
use crate::jobs;
use std::collections::HashSet;

const SCHEMES: [Scheme; 5] =
    [Scheme::Token, Scheme::AwsLcRs, Scheme::RustCrypto, Scheme::Article, Scheme::Bare];
const THREADS: [&str; 4] = ["1-thread", "2-threads", "16-threads", "256-threads"];
const SEED: u64 = 7;

fn task(scheme: Scheme, threads: &str, bytes: u64) -> Task {
    Task {
        job: "record".into(),
        parameters: jobs::RECORD.named(scheme.algorithm(), threads),
        bytes: Some(bytes),
        concurrency: None,
        seed: SEED,
        directory: String::new(),
        peer: None,
    }
}

fn prepared(scheme: Scheme, threads: &str, bytes: u64) -> Records {
    let mut engine = Records::new(scheme);
    let ready = engine.prepare(&jobs::RECORD, &task(scheme, threads, bytes)).ok().unwrap();
    assert_eq!(ready.authenticated, scheme != Scheme::Article);
    engine
}

fn sealed(engine: &Records, values: &[u8]) -> Vec<u8> {
    engine.threads().unwrap().go_through(Operation::Seal, values.to_vec()).unwrap()
}

fn opened(engine: &Records, lines: &[u8]) -> Result<Vec<u8>, Answer> {
    engine.threads().unwrap().go_through(Operation::Open, lines.to_vec())
}

#[test]
fn values_go_there_and_back_in_their_order_on_any_number_of_threads() {
    for scheme in SCHEMES {
        for threads in THREADS {
            for (bytes, count) in [(49, 1), (49, 300), (300, 17), (1, 5)] {
                let engine = prepared(scheme, threads, bytes);
                let values = value(SEED + 1, bytes * count);
                let lines = sealed(&engine, &values);
                assert_eq!(line_ends(&lines).len() as u64, count + 1, "{scheme:?} {threads}");
                assert!(opened(&engine, &lines).unwrap() == values, "{scheme:?} {threads} {bytes}");
            }
        }
    }
}

#[test]
fn what_authenticates_is_another_text_each_time_and_refused_when_altered() {
    for scheme in SCHEMES.into_iter().filter(|scheme| *scheme != Scheme::Article) {
        let engine = prepared(scheme, "16-threads", 49);
        let values = value(SEED, 49).repeat(200);
        let lines = [sealed(&engine, &values), sealed(&engine, &values)].concat();
        let texts: HashSet<&[u8]> = lines.split_inclusive(|byte| *byte == b'\n').collect();
        assert_eq!(texts.len(), 400, "{scheme:?}");
        let text = &lines[..line_ends(&lines)[1]];
        for at in [0, text.len() / 2, text.len() - 9] {
            let mut altered = text.to_vec();
            altered[at] ^= 1;
            let refused = opened(&engine, &altered);
            assert!(matches!(refused, Err(Answer::Refused { .. })), "{scheme:?} {at}: {refused:?}");
        }
        for cut in [&text[1..], &text[..text.len() - 1], b"\n"] {
            assert!(matches!(opened(&engine, cut), Err(Answer::Refused { .. })), "{scheme:?} {cut:?}");
        }
    }
}

#[test]
fn a_span_ends_with_the_value() {
    let value = fingerprint_of(&value(SEED, 49)).sha256;
    for scheme in SCHEMES {
        // Each thread of a larger pool makes a stock to open, which takes its time without optimisation.
        for threads in ["1-thread", "16-threads"] {
            let mut engine = prepared(scheme, threads, 49);
            for (operation, count) in [(Operation::Seal, 1), (Operation::Open, 3), (Operation::Seal, 1_030)] {
                let answer = engine.time(operation, 0, count);
                let Answer::Timed(Timed { count: told, sha256, .. }) = answer else {
                    panic!("{scheme:?}: {answer:?}")
                };
                assert_eq!((told, sha256), (count, value.clone()), "{scheme:?} {threads}");
            }
        }
    }
}

#[test]
fn what_is_not_this_job_is_unsupported() {
    let unsupported = |scheme: Scheme, task: &Task, job| {
        matches!(Records::new(scheme).prepare(job, task), Err(Answer::Unsupported { .. }))
    };
    let token = task(Scheme::Token, "1-thread", 49);
    assert!(unsupported(Scheme::Bare, &token, &jobs::RECORD));
    assert!(unsupported(Scheme::Token, &token, &jobs::CIPHER));
    assert!(unsupported(Scheme::Token, &task(Scheme::Token, "tuned", 49), &jobs::RECORD));
    let mut engine = prepared(Scheme::Token, "1-thread", 49);
    assert!(matches!(engine.time(Operation::Encode, 0, 1), Answer::Unsupported { .. }));
    assert!(matches!(Records::new(Scheme::Token).time(Operation::Seal, 0, 1), Answer::Failed { .. }));
}

#[test]
fn every_thread_of_a_crew_does_its_part_and_keeps_its_desk() {
    let pool = Pool::start(vec![0_usize; 7]).unwrap();
    for round in 1..=3 {
        let seen = pool.all(|number, sum| {
            *sum += number;
            (number, *sum)
        });
        assert_eq!(seen, (0..7).map(|number| (number, number * round)).collect::<Vec<_>>());
    }
}
