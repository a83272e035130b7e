//! Rows made by hand, for tests.

use super::{Cell, cells};
use crate::machine::Machine;
use crate::protocol::Operation;
use crate::rows::Role;
use crate::rows::{self, Phase, Row, Sample};

pub const CONNECT: &str = "tls-connect";
pub const TRANSFER: &str = "tls-transfer";

/// Two more than an interval needs.
pub const BLOCKS: u64 = 8;

/// Engine, algorithm, and how the library is used.
pub type Named<'a> = (&'a str, &'a str, &'a str);

#[derive(Default)]
pub struct Made {
    pub rows: Vec<Row>,
}

pub fn line((engine, algorithm, how): Named) -> rows::Line {
    rows::Line::new(engine, algorithm, how)
}

/// How a run of `files` begins.
pub fn header(machine: Machine) -> rows::Header {
    rows::Header {
        schema: rows::SCHEMA,
        lab: "0".into(),
        build: "release".into(),
        commit: "unknown".into(),
        command: "sealmark-lab measure files".into(),
        plan: "files".into(),
        plan_sha256: String::new(),
        history: None,
        seed: 1,
        started: "2026-11-21T00:00:00Z".into(),
        machine,
        held_mib: None,
    }
}

/// One steady operation, of which nothing but its time is known.
pub fn steady(
    job: &str,
    size: u64,
    line: &rows::Line,
    operation: Operation,
    block: u64,
    wall_ns: u64,
) -> Sample {
    Sample {
        job: job.into(),
        size,
        block,
        pass: 0,
        place: 0,
        line: line.clone(),
        operation,
        phase: Phase::Steady,
        count: 1,
        wall_ns,
        used: Default::default(),
        output_bytes: None,
        start_ns: None,
        core_ns: None,
        tls: None,
        requests: None,
    }
}

impl Made {
    pub fn cells(&self) -> Vec<Cell> {
        cells(&self.rows)
    }

    pub fn samples(&mut self) -> impl Iterator<Item = &mut Sample> {
        self.rows.iter_mut().filter_map(|row| if let Row::Sample(sample) = row { Some(sample) } else { None })
    }

    pub fn engines(&mut self) -> impl Iterator<Item = &mut rows::Engine> {
        self.rows.iter_mut().filter_map(|row| if let Row::Engine(engine) = row { Some(engine) } else { None })
    }

    pub fn role(&mut self, engine: &str, role: Role) {
        self.engine(engine, engine, role, None);
    }

    /// One engine for each JDK.
    pub fn jvm(&mut self, family: &str, jdk: &str) -> String {
        let engine = format!("{family} {jdk}");
        self.engine(&engine, family, Role::Peer, Some(jdk));
        engine
    }

    fn engine(&mut self, engine: &str, family: &str, role: Role, jdk: Option<&str>) {
        self.rows.push(Row::Engine(rows::Engine {
            engine: engine.into(),
            family: family.into(),
            about: "made by hand".into(),
            role,
            version: "1".into(),
            jdk: jdk.map(str::to_owned),
            in_process: true,
        }));
    }

    /// Tomcats on two JDKs; those that seal on the newer one take twice the time. `change` alters each sample.
    pub fn served(change: impl Fn(&mut Sample)) -> Self {
        let mut made = Self::default();
        for (family, algorithm, role) in [
            ("tomcat-plain", "none", Role::Yardstick),
            ("tomcat-mask", "mask", Role::Peer),
            ("tomcat-sealed", "token", Role::Ours),
        ] {
            for jdk in ["17", "25"] {
                let engine = format!("{family} {jdk}");
                made.engine(&engine, family, role, Some(jdk));
                let ns = if engine == "tomcat-sealed 25" { 2_000_000 } else { 1_000_000 };
                made.timed("log-app", 8, (&engine, algorithm, "tuned"), Operation::Serve, ns);
            }
        }
        for sample in made.samples() {
            sample.count = 10;
            sample.requests = Some(rows::Requests {
                median_ns: 400_000,
                p99_ns: 1_000_000 + 1_000_000 * (sample.block % 2),
                client_cpu_ns: Some(200_000),
            });
            change(sample);
        }
        made
    }

    pub fn reference(&mut self, job: &str, size: u64, named: Named) {
        self.rows.push(Row::Size(rows::Size { job: job.into(), size, reference: Some(line(named)) }));
    }

    /// One steady operation of a microsecond, and what is different about it.
    pub fn sample(
        &mut self,
        job: &str,
        size: u64,
        named: Named,
        operation: Operation,
        block: u64,
        change: impl Fn(&mut Sample),
    ) {
        let mut sample = steady(job, size, &line(named), operation, block, 1_000);
        change(&mut sample);
        self.rows.push(Row::Sample(sample));
    }

    /// Blocks in which every operation takes so long, and as much CPU. The first line over a transport is also compared with itself.
    pub fn timed(&mut self, job: &str, size: u64, named: Named, operation: Operation, ns: u64) {
        self.spent(job, size, named, operation, ns, rows::Tls::default());
    }

    pub fn spent(
        &mut self,
        job: &str,
        size: u64,
        named: Named,
        operation: Operation,
        ns: u64,
        tls: rows::Tls,
    ) {
        let is_known = |row: &Row| matches!(row, Row::Sample(known) if (known.job.as_str(), known.size, known.operation, known.line.how()) == (job, size, operation, named.2));
        let is_first = !self.rows.iter().any(is_known);
        for block in 0..BLOCKS {
            for again in [false, true].into_iter().take(1 + usize::from(is_first)) {
                self.sample(job, size, named, operation, block, |sample| {
                    sample.line.again = again;
                    sample.wall_ns = ns;
                    sample.used.cpu_ns = Some(ns);
                    sample.tls = Some(tls);
                });
            }
        }
    }
}
