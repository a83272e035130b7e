#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::super::contest::NATIVE;
use super::*;
use crate::protocol::Operation;
use crate::rows::{self, Row};
use crate::summary::fixtures::{CONNECT, Made, Named, TRANSFER, line};
use crate::table::TableRow;

const TLS: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519 ECDSA-P-256";
const HYBRID_TLS: &str = "TLSv1.3 TLS_AES_128_GCM_SHA256 X25519MLKEM768 ECDSA-P-256";

fn told(made: &Made) -> Vec<Answer> {
    all(&made.cells())
}

/// Base64 in a library, in a JVM, and over JNI.
fn base64(encode: [u64; 3], decode: [u64; 3]) -> Answer {
    let mut made = Made::default();
    let names = ["simdutf".to_owned(), made.jvm("java.util.Base64", "25.0.3"), made.jvm(NATIVE, "25.0.3")];
    for (operation, times) in [(Operation::Encode, encode), (Operation::Decode, decode)] {
        for (name, ns) in names.iter().zip(times) {
            measured(&mut made, "codec", 49, (name, "base64", "tuned"), operation, ns);
        }
    }
    told(&made).remove(0)
}

/// A line, measured against itself besides: there is no noise.
fn measured(made: &mut Made, job: &str, size: u64, named: Named, operation: Operation, ns: u64) {
    made.timed(job, size, named, operation, ns);
    let again: Vec<Row> = made
        .rows
        .iter()
        .filter_map(|row| match row {
            Row::Sample(sample)
                if sample.line == line(named) && (sample.operation, sample.size) == (operation, size) =>
            {
                let mut sample = sample.clone();
                sample.line.again = true;
                Some(Row::Sample(sample))
            }
            _ => None,
        })
        .collect();
    made.rows.extend(again);
}

fn checked(made: &mut Made, job: &str, size: u64, named: Named, released_bytes: u64) {
    made.rows.push(Row::Checked(crate::rows::Checked {
        job: job.into(),
        size,
        line: line(named),
        authenticated: true,
        code: String::new(),
        output_bytes: size,
        sha256: String::new(),
        released_bytes: Some(released_bytes),
    }));
}

/// Base64 in a library and in a JVM, one of which did not become steady.
fn unsteady(engine: &str) -> Answer {
    let mut made = Made::default();
    let jvm = made.jvm("java.util.Base64", "25.0.3");
    for (name, ns) in [("simdutf", 100), (&jvm, 300), ("Go", 400)] {
        measured(&mut made, "codec", 49, (name, "base64", "tuned"), Operation::Encode, ns);
    }
    made.samples()
        .filter(|it| it.line.engine == engine)
        .for_each(|it| it.phase = crate::rows::Phase::Unsteady);
    told(&made).remove(0)
}

#[test]
fn a_line_that_was_still_warming_up_is_no_choice_and_has_no_figure() {
    let slow = unsteady("java.util.Base64 25.0.3");
    let headline = "Use simdutf. In a JVM this run cannot tell: java.util.Base64 had not become steady. Go takes 4.00 × as long.";
    assert_eq!((slow.headline.as_str(), slow.is_told), (headline, true));
    assert_eq!(slow.figures, "simdutf 100 ns · Go 4.00 × (4.00–4.00) · java.util.Base64 still warming up");
    let drawn: Vec<&str> = slow.picture.rows.iter().map(|row| row.told(0)).collect();
    assert_eq!(drawn, ["simdutf", "Go"]);
    // It took less than what became steady: nobody knows how much less it will take.
    let fast = unsteady("simdutf");
    assert!(
        fast.headline.starts_with("Use java.util.Base64; simdutf may be as fast: this run cannot tell."),
        "{fast:#?}"
    );
    assert!(!fast.is_told && fast.figures.contains("simdutf still warming up"), "{fast:#?}");
}

#[test]
fn each_operation_has_its_winner_and_each_runtime() {
    let answer = base64([100, 350, 2_100], [130, 120, 1_200]);
    assert_eq!(
        (answer.about.as_str(), answer.headline.as_str()),
        (
            "base64, 49 bytes",
            "Encode with simdutf, decode with java.util.Base64. In a JVM use java.util.Base64. Native code over JNI \
             takes 6.00 × as long there."
        )
    );
    let figures = "simdutf 100 ns · java.util.Base64 3.50 × (3.50–3.50) · native code over JNI 6.00 × java.util.Base64 \
                   (6.00–6.00)";
    assert_eq!(answer.figures, figures);
    let at = |bar: &TableRow| bar.figures[1].as_ref().unwrap().value.unwrap().round();
    let bars = answer.picture.rows.iter().map(|bar| (bar.told(0), at(bar), bar.is_reference));
    let bars: Vec<(&str, f64, bool)> = bars.collect();
    let expected =
        [("simdutf", 1.0, true), ("java.util.Base64", 4.0, false), ("native code over JNI", 21.0, false)];
    assert_eq!((bars, answer.is_told), (expected.to_vec(), true));
}

#[test]
fn one_winner_is_named_once() {
    let answer = base64([100, 350, 300], [100, 350, 300]);
    assert_eq!(answer.headline, "Use simdutf. In a JVM use java.util.Base64.");
}

#[test]
fn lines_that_take_the_same_time_are_told_together() {
    let answer = base64([1_000, 1_001, 9_000], [1_000, 1_001, 9_000]);
    let expected = "Use simdutf or java.util.Base64: they take the same time.";
    assert!(answer.headline.starts_with(expected) && answer.is_told, "{}", answer.headline);
}

/// A line whose time jumps to and fro may be the fastest.
#[test]
fn what_cannot_be_told_is_not_chosen() {
    let mut made = Made::default();
    for (engine, ns) in [("one", 1_000), ("two", 1_100)] {
        measured(&mut made, "codec", 49, (engine, "base64", "tuned"), Operation::Encode, ns);
    }
    for sample in made.samples().filter(|sample| sample.line.engine == "two") {
        sample.wall_ns = if sample.block % 2 == 0 { 700 } else { 2_000 };
    }
    let answer = told(&made).remove(0);
    assert_eq!(
        (answer.headline.as_str(), answer.is_told),
        ("Use one; two may be as fast: this run cannot tell.", false)
    );
    assert!(answer.figures.ends_with("), undecided"), "{}", answer.figures);
}

/// One takes 1.2 % more, and its blocks stray to either side: that is neither the same nor more.
#[test]
fn a_choice_that_nobody_beats_by_more_than_the_band_is_told() {
    let mut made = Made::default();
    for (engine, ns) in [("one", 100_000), ("two", 101_200)] {
        measured(&mut made, "codec", 49, (engine, "base64", "tuned"), Operation::Encode, ns);
    }
    let strays = |by: u64, block: u64| if block.is_multiple_of(2) { 1_000 + by } else { 1_000 - by };
    let told = |by: u64| {
        let mut made = Made { rows: made.rows.clone() };
        for sample in made.samples().filter(|sample| sample.line.engine == "two") {
            sample.wall_ns = sample.wall_ns * strays(by, sample.block) / 1_000;
        }
        told(&made).remove(0)
    };
    let near = told(5);
    assert_eq!((near.headline.as_str(), near.is_told), ("Use one.", true));
    assert!(
        near.figures.starts_with("one 100 µs · two 1.01 × (1.0") && !near.figures.contains("undecided"),
        "{near:#?}"
    );
    // Lines differ from themselves by more.
    let mut noisy = Made { rows: made.rows.clone() };
    for sample in noisy.samples().filter(|sample| sample.line.engine == "two") {
        let again = if sample.line.again { 1_300 } else { 1_000 };
        sample.wall_ns = sample.wall_ns * strays(5, sample.block) / 1_000 * again / 1_000;
    }
    assert!(!all(&noisy.cells()).remove(0).is_told);
    // It may as well be 4 % faster.
    let far = told(20);
    assert_eq!(
        (far.headline.as_str(), far.is_told),
        ("Use one; two may be as fast: this run cannot tell.", false)
    );
}

#[test]
fn too_short_a_run_chooses_nothing() {
    let mut made = Made::default();
    made.sample("codec", 49, ("one", "base64", "tuned"), Operation::Encode, 0, |_| {});
    let answer = told(&made).remove(0);
    assert_eq!(answer.headline, "Choose nothing by this run: it was too short to tell.");
    assert!(!answer.is_told && answer.figures.contains("in 1 block one took least"), "{}", answer.figures);
}

#[test]
fn only_what_releases_nothing_opens_an_attachment() {
    let mut made = Made::default();
    for (engine, ns, released) in [("openssl", 1_000, 99), ("sealmark", 2_000, 0), ("Go", 9_000, 0)] {
        let named = (engine, "AES-128-GCM", "update");
        measured(&mut made, "payload", 1 << 21, named, Operation::Open, ns);
        checked(&mut made, "payload", 1 << 21, named, released);
    }
    let answer = told(&made).remove(0);
    assert_eq!(
        (answer.about.as_str(), answer.headline.as_str()),
        ("attachment, 2 MiB", "Use sealmark. Go takes 4.50 × as long.")
    );
    assert!(!answer.figures.contains("OpenSSL"), "{}", answer.figures);
}

/// An attachment that lines open, each of which releases nothing early.
fn opened(made: &mut Made, size: u64, engine: &str, ns: u64) {
    let named = (engine, "AES-128-GCM", "wss4j");
    made.timed("payload", size, named, Operation::Open, ns);
    checked(made, "payload", size, named, 0);
}

/// Lines were left out at 20 MiB.
fn left_out() -> Row {
    let note = rows::Note::new("payload", 20 << 20, "1 of 2 measurements, about 2 min more: x".into());
    Row::Note(rows::Note { unmeasured: Some(rows::Unmeasured::Lines), ..note })
}

/// The answer at 20 MiB.
fn of_the_larger(made: &Made) -> String {
    let answer = told(made).pop().unwrap();
    let is_chosen = !answer.headline.starts_with("Choose nothing");
    assert_eq!((answer.about.as_str(), answer.is_told), ("attachment, 20 MiB", is_chosen));
    answer.headline
}

#[test]
fn nothing_is_chosen_where_the_budget_paid_for_no_rival() {
    let of = |ours: Option<u64>, is_paid: bool| {
        let mut made = Made::default();
        if let Some(ns) = ours {
            opened(&mut made, 1 << 17, "SunJCE", 1_800);
            opened(&mut made, 1 << 17, "sealmark", ns);
        }
        opened(&mut made, 20 << 20, "SunJCE", 16_000_000);
        made.rows.extend((!is_paid).then(left_out));
        of_the_larger(&made)
    };
    let nothing = "Choose nothing by this run: it has no figures of";
    assert_eq!(of(Some(85), false), format!("{nothing} sealmark."));
    assert_eq!(of(None, false), format!("{nothing} any other line."));
    // It was slower where both were measured; or nobody left it out.
    assert_eq!([of(Some(9_000), false), of(Some(85), true)], ["Use SunJCE."; 2]);
    // A library may be missing on some JDKs: the answer names these.
    let mut made = Made::default();
    for jdk in ["11", "17", "21"] {
        let engine = made.jvm("SunJCE", jdk);
        opened(&mut made, 1 << 17, &engine, 1_800);
    }
    opened(&mut made, 20 << 20, "SunJCE 17", 16_000_000);
    made.rows.push(left_out());
    assert_eq!(of_the_larger(&made), format!("{nothing} SunJCE on JDK 11, 21."));
}

#[test]
fn a_library_on_several_jdks_is_named_once_and_what_takes_many_times_as_long_is_no_rival() {
    let mut made = Made::default();
    opened(&mut made, 1 << 17, "sealmark", 85_000);
    for (jdk, ns) in [("11", 1_800_000), ("21", 1_900_000), ("8", 60_000_000)] {
        let engine = made.jvm("SunJCE", jdk);
        opened(&mut made, 1 << 17, &engine, ns);
    }
    // Nobody knows how far a line differs from itself.
    made.rows.retain(|row| !matches!(row, Row::Sample(sample) if sample.line.again));
    let answer = told(&made).remove(0);
    let headline =
        "Use sealmark. In a JVM use SunJCE on JDK 11, 21. SunJCE on JDK 8 takes 33.3 × as long there.";
    assert_eq!((answer.headline.as_str(), answer.is_told), (headline, true), "{answer:#?}");
    assert!(!answer.figures.contains("undecided"), "{}", answer.figures);
}

#[test]
fn an_old_jvm_gets_the_advice_of_what_verifies_first_there() {
    let advice = |has_ours: bool| {
        let mut made = Made::default();
        let lines = [("SunJCE", 90_000, 0), ("BouncyCastle", 3_000, 99), ("sealmark-wss", 2_000, 0)];
        for (family, ns, released) in lines.into_iter().take(if has_ours { 3 } else { 2 }) {
            let engine = made.jvm(family, "17.0.15");
            let named = (engine.as_str(), "AES-128-GCM", "wss4j");
            measured(&mut made, "payload", 1 << 21, named, Operation::Open, ns);
            checked(&mut made, "payload", 1 << 21, named, released);
        }
        told(&made).remove(0).headline
    };
    assert_eq!(advice(false), "Use SunJCE.");
    assert_eq!(advice(true), "Use sealmark-wss. SunJCE takes 45.0 × as long.");
}

#[test]
fn a_program_is_told_beside_the_yardstick_of_programs() {
    let mut made = Made::default();
    for (engine, role) in
        [("copy", Role::Yardstick), ("sealmark-cli", Role::Ours), ("cp", Role::Peer), ("age", Role::Peer)]
    {
        made.role(engine, role);
    }
    made.engines().filter(|row| row.engine != "copy").for_each(|row| row.in_process = false);
    for (engine, key, ns) in [
        ("copy", "none", 100),
        ("cp", "none", 1_000),
        ("sealmark-cli", "MLKEM768-X25519", 500),
        ("age", "X25519", 2_000),
    ] {
        measured(&mut made, "file", 1 << 28, (engine, key, "tuned"), Operation::Seal, ns);
    }
    let answer = told(&made).remove(0);
    assert_eq!(answer.headline, "Use sealmark. It takes 0.50 × the time of cp. Age takes 4.00 × as long.");
    assert_eq!(answer.figures, "sealmark 500 ns · 0.50 × cp (0.50–0.50) · age 4.00 × (4.00–4.00)");
}

/// The blocks of a size may have been left out: nobody would ask for more if it had no question.
#[test]
fn the_largest_size_is_a_question_after_one_block_too() {
    let mut made = Made::default();
    for (engine, ns) in [("one", 100), ("other", 900)] {
        measured(&mut made, "codec", 49, (engine, "base64", "tuned"), Operation::Encode, ns);
        measured(&mut made, "codec", 8_404, (engine, "base64", "tuned"), Operation::Encode, ns);
    }
    made.rows.retain(|row| !matches!(row, Row::Sample(it) if it.size == 8_404 && it.block > 0));
    let [small, large] = told(&made).try_into().unwrap();
    assert_eq!((small.size, small.is_told), (49, true), "{small:#?}");
    assert_eq!((large.size, large.is_told), (8_404, false), "{large:#?}");
    assert!(large.doubt.is_some_and(|doubt| doubt.is_open));
}

#[test]
fn no_suite_is_advised_that_is_broken() {
    let mut made = Made::default();
    let suites = ["NULL_MD5", "RC4_128_MD5", "3DES_EDE_CBC_SHA", "AES_128_CBC_SHA", "AES_256_CBC_SHA"];
    for (ns, suite) in (1_000..).step_by(1_000).zip(suites) {
        let way = format!("TLSv1 TLS_RSA_WITH_{suite} none RSA-1024");
        measured(&mut made, TRANSFER, 1 << 20, ("SunJSSE", &way, "nodelay"), Operation::Upload, ns);
    }
    let answer = told(&made).remove(0);
    assert_eq!(answer.headline, "Use TLS_RSA_WITH_AES_128_CBC_SHA with SunJSSE.");
}

/// Connections of two libraries.
fn handshakes() -> Made {
    let mut made = Made::default();
    for (engine, ns) in [("rustls", 100_000), ("openssl", 200_000)] {
        for (way, more) in [(TLS, 0), (HYBRID_TLS, 30_000)] {
            for (operation, part) in [(Operation::Full, 1), (Operation::Resumed, 2)] {
                measured(&mut made, CONNECT, 1, (engine, way, "memory"), operation, (ns + more) / part);
            }
        }
    }
    made.samples().for_each(|sample| sample.used.cpu_ns = Some(sample.wall_ns));
    made
}

#[test]
fn handshakes_have_answers_of_their_own() {
    let answers = told(&handshakes());
    let headlines: Vec<&str> = answers.iter().map(|answer| answer.headline.as_str()).collect();
    let expected = [
        "Use rustls.",
        "Turn on X25519MLKEM768 if recorded traffic must stay secret: a handshake takes 1.15 to 1.30 × the CPU time.",
        "Resume sessions: a full connection takes 2.00 × the time of a resumed one.",
    ];
    assert_eq!(headlines, expected);
    assert!(answers.iter().all(|answer| answer.is_told), "{answers:#?}");
}

/// All ratios alternate between a third and three.
#[test]
fn an_open_question_of_connections_repeats_its_operations_and_native_lines_first() {
    let mut made = handshakes();
    let jvm = made.jvm("SunJSSE", "27");
    for (way, operation) in
        [TLS, HYBRID_TLS].into_iter().flat_map(|way| [(way, Operation::Full), (way, Operation::Resumed)])
    {
        measured(&mut made, CONNECT, 1, (&jvm, way, "memory"), operation, 400_000);
    }
    for it in made.samples() {
        let is_other = [
            it.line.engine != "rustls",
            it.line.parameters.get("group") == Some("X25519"),
            it.operation == Operation::Full,
        ];
        let number = it.block + is_other.into_iter().map(u64::from).sum::<u64>();
        it.wall_ns *= if number.is_multiple_of(2) { 3 } else { 1 };
        it.used.cpu_ns = Some(it.wall_ns);
    }
    let doubts: Vec<Doubt> = told(&made).into_iter().map(|answer| answer.doubt.unwrap()).collect();
    let operations: Vec<Vec<Operation>> =
        doubts.iter().map(|doubt| doubt.operations.iter().copied().collect()).collect();
    let both = vec![Operation::Full, Operation::Resumed];
    assert_eq!(operations, [vec![Operation::Full], vec![Operation::Full], both]);
    for doubt in &doubts {
        let native = doubt.lines.iter().filter(|line| line.engine != jvm).cloned().collect();
        assert_eq!(doubt.native, native);
        assert_eq!(doubt.native.len() * 3, doubt.lines.len() * 2, "{doubt:#?}");
    }
}

/// Two lines that cannot be told apart in one block; one chooses by the first operation of a job.
#[test]
fn an_open_choice_repeats_the_operation_that_one_chooses_by() {
    for (job, how, algorithm, operations) in [
        ("payload", "wss4j", "AES-128-GCM", [Operation::Open, Operation::Seal]),
        (TRANSFER, "nodelay", TLS, [Operation::Upload, Operation::Download]),
        ("pipe", "tuned", "X25519", [Operation::Seal, Operation::Seal]),
    ] {
        let mut made = Made::default();
        for engine in ["one", "other"] {
            let named = (engine, algorithm, how);
            checked(&mut made, job, 1 << 20, named, 0);
            operations.iter().for_each(|operation| made.timed(job, 1 << 20, named, *operation, 1_000));
        }
        made.rows.retain(|row| !matches!(row, Row::Sample(it) if it.block > 0));
        let doubt = told(&made).remove(0).doubt.unwrap();
        assert_eq!(doubt.operations.into_iter().collect::<Vec<_>>(), operations[..1], "{job}");
    }
}

/// Hybrid handshakes alternate between a third and three times the time of classic ones.
#[test]
fn what_a_group_costs_comes_after_the_choice_of_a_library() {
    let is_open = |is_chosen: bool| {
        let mut made = handshakes();
        for it in made.samples() {
            let is_hybrid = it.line.parameters.get("group") == Some("X25519MLKEM768");
            let is_moved = is_hybrid || !is_chosen && it.line.engine == "openssl";
            it.wall_ns *= if is_moved && it.block.is_multiple_of(2) { 9 } else { 1 };
            it.used.cpu_ns = Some(it.wall_ns);
        }
        let told = told(&made);
        assert_eq!((told[0].is_told, told[1].is_told), (is_chosen, false), "{told:#?}");
        told[1].doubt.as_ref().unwrap().is_open
    };
    assert_eq!([true, false].map(is_open), [true, false]);
}

/// A library may become steady in full connections and stay unsteady in resumed ones.
#[test]
fn what_one_library_tells_of_resuming_waits_for_no_other() {
    let mut made = handshakes();
    let late =
        |it: &&mut crate::rows::Sample| it.line.engine == "openssl" && it.operation == Operation::Resumed;
    made.samples().filter(late).for_each(|it| it.phase = crate::rows::Phase::Unsteady);
    let resumed = told(&made).remove(2);
    assert_eq!((resumed.about.as_str(), resumed.is_told), ("resumed TLS", true), "{resumed:#?}");
    assert!(resumed.figures.contains("OpenSSL still warming up"), "{resumed:#?}");
}

#[test]
fn every_job_but_the_empty_loop_is_asked_for_by_a_name_of_its_own() {
    let asked: Vec<_> = crate::jobs::ALL.iter().filter(|job| !job.is_own_cost).collect();
    let names: std::collections::BTreeSet<&str> = asked.iter().map(|job| job.about).collect();
    assert_eq!(names.len(), asked.len());
    assert!(asked.iter().all(|job| !job.about.is_empty()));
}

/// A JVM that is steady in one block of eight and slow in all of them holds nothing; one that was as fast as the choice does.
#[test]
fn a_line_that_does_not_become_steady_holds_no_question_that_others_tell() {
    let of = |ns: u64| {
        let mut made = Made::default();
        let jvm = made.jvm("SunJSSE", "25");
        for (engine, ns) in [("rustls", 100_000), ("openssl", 200_000), (&*jvm, ns)] {
            measured(&mut made, CONNECT, 1, (engine, TLS, "memory"), Operation::Full, ns);
        }
        made.rows.retain(|row| !matches!(row, Row::Sample(it) if it.line.engine == jvm && it.line.again));
        for sample in made.samples().filter(|sample| sample.line.engine == jvm && sample.block > 0) {
            sample.phase = crate::rows::Phase::Unsteady;
        }
        told(&made).remove(0)
    };
    let [slow, quick] = [300_000, 90_000].map(of);
    assert_eq!((slow.headline.as_str(), slow.is_told), ("Use rustls.", true), "{slow:#?}");
    assert!(slow.doubt.is_none_or(|doubt| !doubt.is_open));
    assert!(!quick.is_told, "{quick:#?}");
}
