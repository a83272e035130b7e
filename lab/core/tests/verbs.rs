//! The command line: what can be asked, and what is said when it cannot be done.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod lab;

use lab::{Lab, fake, fake_in_memory, job, job_in_memory};

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn lab_of_two() -> Lab {
    let lab = Lab::new();
    lab.write(
        "engines.toml",
        &(fake("yardstick", "yardstick", "--times 2") + &fake("good", "ours", "--times 3")),
    );
    lab.write("job.toml", &job("file"));
    lab
}

fn lab_of_two_in_memory() -> Lab {
    let lab = Lab::new();
    let engines =
        fake_in_memory("yardstick", "yardstick", "--times 2") + &fake_in_memory("good", "ours", "--times 3");
    lab.write("engines.toml", &engines);
    lab
}

#[test]
fn the_table_is_printed_again_from_the_results_alone() {
    let lab = lab_of_two();
    let first = lab.run(&[]).table();
    std::fs::remove_file(lab.path("engines.toml")).unwrap();
    let again = lab.command(&["table", "--long", "results.jsonl"]);
    let printed = String::from_utf8(again.stdout).unwrap();
    assert!(printed.contains("good"), "{printed}");
    assert_eq!(first, printed + "raw samples: results.jsonl\npage: results.html\n");
    assert!(std::fs::read_to_string(lab.path("results.html")).unwrap().contains("good"));
}

#[test]
fn an_interrupted_run_has_a_table_that_says_so() {
    let lab = lab_of_two();
    assert!(!lab.run(&[]).table().contains("interrupted"));
    let text = std::fs::read_to_string(lab.path("results.jsonl")).unwrap();
    let cut = &text[..text.trim_end().rfind('\n').unwrap() + 10];
    lab.write("cut.jsonl", cut);
    let table = String::from_utf8(lab.command(&["table", "cut.jsonl"]).stdout).unwrap();
    assert!(table.contains("interrupted") && table.contains("good"), "{table}");
}

#[test]
fn results_carry_what_was_run_on_what() {
    let lab = lab_of_two();
    let rows = lab.run(&[]).rows;
    let header = &rows[0];
    assert_eq!(
        (&header["row"], &header["schema"], &header["seed"]),
        (&"header".into(), &3.into(), &7.into())
    );
    assert!(header["command"].as_str().unwrap().starts_with("sealmark-lab measure job.toml"), "{header}");
    // The lab's own commit: this directory is no tree of git's.
    assert_eq!(header["commit"], env!("SEALMARK_LAB_COMMIT"));
    assert!(header["machine"]["cores"].as_u64().unwrap() > 0, "{header}");
    let samples: Vec<_> = rows.iter().filter(|row| row["row"] == "sample").collect();
    // Two engines and one of them again, two operations, two blocks.
    assert_eq!(samples.len(), 3 * 2 * 2);
    for (at, pair) in samples.chunks(6).enumerate() {
        assert!(pair.iter().all(|row| row["block"] == at), "block {at}: {pair:?}");
        assert!(pair.iter().any(|row| row["engine"] == "good"), "block {at}: {pair:?}");
    }
}

#[test]
fn a_filter_keeps_the_yardstick() {
    let lab = lab_of_two();
    let ran = lab.run(&["--engine", "good"]);
    assert_eq!((ran.of("sample", "good").len(), ran.of("sample", "yardstick").len()), (4, 8));
    std::fs::remove_file(lab.path("results.jsonl")).unwrap();
    let ran = lab.run(&["--engine", "yardstick/X25519/*"]);
    assert_eq!((ran.of("sample", "good").len(), ran.of("sample", "yardstick").len()), (0, 8));
}

#[test]
fn sizes_can_be_chosen() {
    let lab = lab_of_two();
    let other = "[[job.size]]\nbytes = 204_800\nblocks = 2\nbudget_seconds = 1\ntimeout_seconds = 1\n";
    lab.write("job.toml", &(job("file") + other));
    let ran = lab.run(&["--size", "200KiB"]);
    let samples = ran.of("sample", "good");
    assert!(samples.len() == 4 && samples.iter().all(|row| row["size"] == 204_800), "{samples:?}");
}

#[test]
fn jobs_can_be_chosen() {
    let lab = lab_of_two_in_memory();
    let (codec, cipher) = (job_in_memory("codec"), job_in_memory("cipher"));
    let at = cipher.find("[[job]]").unwrap();
    lab.write("job.toml", &(codec + &cipher[at..]));
    let ran = lab.run(&["--job", "codec"]);
    let samples = ran.of("sample", "good");
    assert!(!samples.is_empty() && samples.iter().all(|row| row["job"] == "codec"), "{samples:?}");
    let arguments = ["measure", "job.toml", "--engines", "engines.toml", "--dir", "scratch", "--job", "file"];
    let said = stderr(&lab.command(&arguments));
    assert!(
        said.contains("has no job \"file\"") && said.contains("--job with one of cipher, codec"),
        "{said}"
    );
}

#[test]
fn large_sizes_wait_for_full_and_for_room() {
    let lab = lab_of_two();
    // A pebibyte: no disk has room for it.
    let huge = "[[job.size]]\nbytes = 1_125_899_906_842_624\nblocks = 2\nbudget_seconds = 1\ntimeout_seconds = 1\nfull = true\n";
    lab.write("job.toml", &(job("file") + huge));
    let without = lab.run(&[]);
    assert!(!without.table().contains("not run"));
    std::fs::remove_file(lab.path("results.jsonl")).unwrap();
    let with = lab.run(&["--full"]);
    assert!(with.table().contains("not run: "), "{}", with.table());
    assert!(
        with.rows
            .iter()
            .any(|row| row["row"] == "note" && row["note"].as_str().unwrap().contains("disk space needed"))
    );
}

#[test]
fn what_an_interrupted_run_left_is_swept_away_and_nothing_else() {
    let lab = lab_of_two();
    // No process has this number: Linux ends at 4194304.
    let stale = lab.path("scratch/sealmark-lab-run-4194305");
    let living = lab.path(&format!("scratch/sealmark-lab-run-{}", std::process::id()));
    let other = lab.path("scratch/run-4194305");
    for directory in [&stale, &living, &other] {
        std::fs::create_dir_all(directory).unwrap();
        std::fs::write(directory.join("sealed"), "left over").unwrap();
    }
    lab.run(&[]).table();
    assert_eq!([stale.exists(), living.exists(), other.exists()], [false, true, true]);
}

#[test]
fn without_a_budget_nothing_is_begun_and_every_size_says_so() {
    let lab = lab_of_two();
    lab.write("job.toml", &job("file"));
    let ran = lab.run(&["--budget", "0s"]);
    assert_eq!(ran.of("sample", "good").len(), 0);
    let notes = ran.rows.iter().filter(|row| row["row"] == "note");
    let notes: Vec<_> = notes.map(|row| (row["note"].as_str(), row["unmeasured"].as_str())).collect();
    assert_eq!(notes, [(Some("the budget was spent before"), Some("size"))]);
}

/// Its blocks would cost next to nothing, and tell nothing.
#[test]
fn no_block_is_spent_on_a_line_that_died() {
    let lab = Lab::new();
    let gone = fake("gone", "ours", "--times 31 --misdeed die --from-run 5");
    lab.write(
        "engines.toml",
        &(fake("yardstick", "yardstick", "--times 20") + &fake("good", "ours", "--times 30") + &gone),
    );
    lab.write("job.toml", &job("file").replace("blocks = 2", "blocks = 6"));
    let ran = lab.run(&[]);
    ran.must_fail("gone", "died", "scripted to die");
    assert_eq!(ran.rows.iter().filter(|row| row["row"] == "block").count(), 4);
}

#[test]
fn a_question_takes_as_many_blocks_as_its_answer_needs() {
    // Fewer than four blocks of a file tell nothing.
    for (times, blocks) in [("--times 30", 4), ("--times 21", 6)] {
        let lab = Lab::new();
        lab.write(
            "engines.toml",
            &(fake("yardstick", "yardstick", "--times 20") + &fake("good", "ours", times)),
        );
        lab.write("job.toml", &job("file").replace("blocks = 2", "blocks = 6"));
        let ran = lab.run(&[]);
        assert_eq!(ran.of("sample", "good").len(), 2 * blocks, "{times}");
        assert_eq!(ran.rows.iter().filter(|row| row["row"] == "block").count(), blocks, "{times}");
        let told = String::from_utf8(lab.command(&["table", "results.jsonl"]).stdout).unwrap();
        assert!(told.contains("Use ") && !told.contains("answer"), "{times}: {told}");
        assert!(!told.contains("cannot tell"), "{times}: {told}");
    }
}

#[test]
fn what_cannot_be_done_is_said_with_a_way_out() {
    let lab = lab_of_two();
    lab.run(&[]);
    for (arguments, error, hint) in [
        (&["measure", "nowhere"][..], "cannot read job file \"nowhere\"", "hint: name a job file"),
        (
            &["measure", "files", "--engine", "nobody"],
            "there is no engine \"nobody\"",
            "hint: `sealmark-lab doctor`",
        ),
        (
            &["measure", "files", "--out", "results.jsonl"],
            "cannot create results \"results.jsonl\"",
            "hint: choose another --out FILE",
        ),
        (&["table", "job.toml"], "\"job.toml\" line 1", ""),
        (&["table", "nowhere"], "cannot read \"nowhere\"", ""),
        (&["serve", "nobody"], "engines.toml describes no program \"nobody\"", ""),
    ] {
        let output = lab.command(arguments);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(
            said.starts_with("error: ") && said.contains(error) && said.contains(hint),
            "{arguments:?}: {said}"
        );
    }
}

#[test]
fn list_names_the_plans() {
    let output = Lab::new().command(&["list"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for part in ["files: ", "pipes: ", "quick: ", "log-tuning: "] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}
