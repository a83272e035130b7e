//! The published figures, put through the claims about them.

use super::super::figures::Seen;
use super::*;
use crate::history::{Figure as Then, Published};
use crate::summary::Ratio;
use crate::summary::growths::Ahead;
use Finding::{Confirmed, Refuted, Undecided};

pub fn findings(world: &World, from: &str) -> Vec<Finding> {
    let rows = world.rows();
    concluded(from).iter().map(|claim| judged(&rows, claim, world.jdk.as_deref()).finding).collect()
}

/// The published table, as if measured today; what has no share is not there, the time of the rest is multiplied by it.
fn published(history: &str, jdk: &str, share: impl Fn(&Then) -> Option<f64>) -> World {
    let mut world = World::on(jdk);
    for figure in Published::of(history).unwrap().figures {
        let is_of = figure.jdk.as_deref().is_none_or(|known| known == jdk);
        let Some((ms, share)) = figure.ms.zip(share(&figure)).filter(|_| is_of) else { continue };
        let line = figure.today[0].to_string();
        let [family, algorithm, how] = line.split('/').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let algorithm = algorithm.replace('*', "none RSA-1024");
        let how = how.to_owned();
        let key = (figure.job, figure.size, figure.operation, family.into(), algorithm, how);
        let ns = ms * 1e6 / figure.count as f64 * share;
        let cold = figure.jdk.map(|_| ns);
        *world.line(&key) = Shown { ns, cold, ..USUAL };
    }
    world
}

fn log_tuning(share: impl Fn(&Then) -> f64) -> World {
    published("log-tuning", "1.4", |figure| Some(share(figure)))
}

/// The second stays open: nobody published what native code took with lines.
#[test]
fn the_table_of_log_tuning_bears_out_what_was_concluded_from_it() {
    let world = log_tuning(|_| 1.0);
    assert_eq!(findings(&world, "log-tuning"), [Confirmed, Undecided, Confirmed, Confirmed, Confirmed]);
    for (at, engine, size, share) in [
        (0, "nativeBase64", 49, 0.9),
        (0, "nativeBase64", 8_404, 3.0),
        // Far less than 0.1 ms in all, as today.
        (2, "nativeRC4", 8_404, 0.7),
        (2, "JCE AES", 8_404, 0.1),
        (3, "JCE RC4", 49, 2.0),
    ] {
        let is_it = |figure: &Then| (figure.published.as_str(), figure.size) == (engine, size);
        let world = log_tuning(|figure| if is_it(figure) { share } else { 1.0 });
        assert_eq!(findings(&world, "log-tuning")[at], Refuted, "{engine} {size} {share}");
    }
    let unfit = |figure: &Then| ["JCE DESede", "JCE BLOWFISH"].contains(&figure.published.as_str());
    let harmless = log_tuning(|figure| if unfit(figure) { 1_000.0 / figure.ms.unwrap() } else { 1.0 });
    assert_eq!(findings(&harmless, "log-tuning")[4], Refuted);
}

/// The tables of tls-2009. Nobody published what the ends computed: so many cores.
pub fn tls_2009(cores: f64, how: &str, share: impl Fn(&Then) -> f64) -> World {
    let mut world = published("tls-2009", "6", |figure| Some(share(figure)));
    let shown = std::mem::take(&mut world.lines).into_iter();
    world.lines = shown
        .map(|(key, it)| {
            ((key.0, key.1, key.2, key.3, key.4, how.to_owned()), Shown { cpu: it.ns * cores, ..it })
        })
        .collect();
    world
}

#[test]
fn the_tables_of_tls_2009_bear_out_what_was_concluded_from_them() {
    let of = |cores, share: &dyn Fn(&Then) -> f64| findings(&tls_2009(cores, "nodelay", share), "tls-2009");
    assert_eq!(of(1.0, &|_| 1.0), [Confirmed; 4]);
    let world = tls_2009(1.0, "nodelay", |_| 1.0);
    let parts = concluded("tls-2009").iter().map(|claim| world.judge(claim).parts.len()).collect::<Vec<_>>();
    assert_eq!(parts, [21 + 1 + 4 + 19, 4, 22, 22]);
    for (at, suite, resumed, share) in [
        (0, "SSL_RSA_WITH_NULL_MD5", false, 1.5),
        (0, "SSL_RSA_WITH_RC4_128_MD5", false, 1.9),
        (0, "SSL_RSA_WITH_DES_CBC_SHA", false, 0.69),
        (0, "SSL_RSA_WITH_3DES_EDE_CBC_SHA", false, 0.47),
        (1, "SSL_DHE_RSA_WITH_DES_CBC_SHA", false, 0.7),
        (2, "SSL_RSA_WITH_RC4_128_MD5", true, 1.07),
        (2, "SSL_DHE_RSA_WITH_DES_CBC_SHA", true, 0.95),
    ] {
        let job = if at == 0 { "tls-transfer" } else { "tls-connect" };
        let named = (job, suite, resumed);
        let is_resumed = |figure: &Then| figure.operation == Operation::Resumed;
        let changed =
            |figure: &Then| (figure.job.as_str(), figure.published.as_str(), is_resumed(figure)) == named;
        assert_eq!(
            of(1.0, &|figure| if changed(figure) { share } else { 1.0 })[at],
            Refuted,
            "{suite} {share}"
        );
    }
    assert_eq!([of(0.94, &|_| 1.0)[3], of(1.9, &|_| 1.0)[3]], [Refuted, Confirmed]);
    assert_eq!(findings(&tls_2009(1.0, "default-sockets", |_| 1.0), "tls-2009"), [Undecided; 4]);
}

/// A run of some suites, or on a JDK that did not take part.
#[test]
fn suites_that_were_not_measured_leave_it_undecided() {
    let mut few = tls_2009(1.0, "nodelay", |_| 1.0);
    let mut some = few.clone();
    few.lines.retain(|key, _| key.4.contains("_AES_"));
    assert_eq!(findings(&few, "tls-2009"), [Undecided; 4]);
    some.lines.retain(|key, _| !key.4.contains("_NULL_"));
    assert_eq!(findings(&some, "tls-2009"), [Undecided, Confirmed, Undecided, Undecided]);
    let rows = some.rows();
    assert!(concluded("tls-2009").iter().all(|claim| judged(&rows, claim, Some("17")).finding == Undecided));
}

/// The tables of peppol-gcm on one JDK, cold and steady alike. A figure without a share is left out.
fn peppol(jdk: &str, share: impl Fn(&Then) -> Option<f64>) -> World {
    published("peppol-gcm", jdk, share)
}

fn peppol_fates(world: &World) -> Vec<Option<Finding>> {
    let jdk = world.jdk.clone().unwrap();
    let all = concluded("peppol-gcm").into_iter().zip(findings(world, "peppol-gcm"));
    all.map(|(claim, finding)| claim.is_about(crate::jdks::major(&jdk)).then_some(finding)).collect()
}

const YES: Option<Finding> = Some(Confirmed);
const NO: Option<Finding> = Some(Refuted);
const OPEN: Option<Finding> = Some(Undecided);

/// Only on Java 12 did opening 5 MB take longer than was said.
#[test]
fn the_tables_of_peppol_gcm_bear_out_what_was_concluded_from_them() {
    let of = |jdk| peppol_fates(&peppol(jdk, |_| Some(1.0)));
    for jdk in ["1.8.0_372", "17", "20.0.1"] {
        assert_eq!(of(jdk), [YES, YES, YES, YES, None, None], "{jdk}");
    }
    assert_eq!(of("12"), [YES, YES, NO, YES, None, None]);
    assert_eq!(of("21"), [YES, None, None, None, YES, YES]);
    assert_eq!(of("25"), [OPEN, None, None, None, OPEN, OPEN]);
    use Operation::{Open, Seal};
    for (at, jdk, operation, name, share) in [
        (0, "17", Seal, "SunJCE, 5 MB", 3.0),
        (0, "21", Seal, "SunJCE, 100 MB", 6.0),
        (1, "17", Open, "SunJCE, 5 MB", 0.1),
        (1, "17", Open, "SunJCE, 100 MB", 0.1),
        (2, "17", Open, "SunJCE, 1 MB", 20.0),
        (3, "17", Open, "SunJCE, 10 MB", 0.5),
        (3, "17", Open, "SunJCE, 100 MB", 0.3),
        (4, "21", Open, "SunJCE, 100 MB", 2.0),
        (5, "21", Seal, "SunJCE, 100 MB", 6.0),
        (5, "21", Open, "SunJCE, 100 MB", 2.0),
    ] {
        let is_it = |figure: &Then| (figure.operation, figure.published.as_str()) == (operation, name);
        let world = peppol(jdk, |figure| Some(if is_it(figure) { share } else { 1.0 }));
        assert_eq!(peppol_fates(&world)[at], NO, "{at} {jdk} {operation} {name} {share}");
    }
    // A machine five times as fast opens 10 MB in time, and takes as many times what Bouncy Castle takes.
    let faster = peppol("17", |_| Some(0.2));
    assert_eq!(peppol_fates(&faster)[..4], [YES, YES, YES, OPEN]);
    let parts = faster.judge(&concluded("peppol-gcm")[3]).parts;
    let refuted = parts.iter().filter(|part| part.finding == Refuted);
    assert!(refuted.map(|part| part.what.contains("on this machine")).eq([true, true]));
    // The size that the sentence names was not sealed.
    let without =
        peppol("17", |figure| ((figure.size, figure.operation) != (104_857_600, Seal)).then_some(1.0));
    assert_eq!(peppol_fates(&without)[0], OPEN);
}

/// A linear Java 17 refutes the second by its exponent, a quadratic 21 the fifth.
#[test]
fn exponents_decide_too() {
    for (at, jdk, power) in [(1, "17", 1.0), (4, "21", 1.5)] {
        let world = peppol(jdk, |figure| {
            let is_it = figure.operation == Operation::Open && figure.published.starts_with("SunJCE");
            let ms = 2.0 * (figure.size as f64 / 5_242_880.0).powf(power);
            Some(if is_it { ms / figure.ms.unwrap() } else { 1.0 })
        });
        let parts = world.judge(&concluded("peppol-gcm")[at]).parts;
        let part = parts.iter().find(|part| part.what.contains("exponent")).unwrap();
        assert_eq!(part.finding, Refuted);
        assert!((part.seen.unwrap().median - power).abs() < 1e-3, "{:?}", part.seen);
    }
}

/// Minutes that nobody waits for are predicted, and decide where the curve has an interval: on Java 17 too few sizes are left
/// for one. A figure measured twice stands beside the prediction, and must not contradict it.
#[test]
fn predictions_decide_what_was_not_measured_or_too_seldom() {
    let is_left_out =
        |figure: &Then| (figure.published.as_str(), figure.operation) == ("SunJCE, 100 MB", Operation::Open);
    let last = |world: &World, at: usize| world.judge(&concluded("peppol-gcm")[at]).parts.pop().unwrap();
    let without = |jdk| peppol(jdk, |figure| (!is_left_out(figure)).then_some(1.0));
    assert_eq!(peppol_fates(&without("12"))[..4], [YES, YES, NO, YES]);
    assert_eq!(peppol_fates(&without("17"))[..4], [YES, OPEN, YES, OPEN]);
    let twice = |share| {
        let mut world = peppol("12", |figure| Some(if is_left_out(figure) { share } else { 1.0 }));
        let is_it = |key: &Key| (key.1, key.2, key.3.as_str()) == (104_857_600, Operation::Open, "SunJCE");
        world.lines.iter_mut().filter(|(key, _)| is_it(key)).for_each(|(_, shown)| shown.blocks = 2);
        world
    };
    assert_eq!(peppol_fates(&twice(1.0))[..4], [YES, YES, NO, YES]);
    for (at, measured) in [(1, 1250.3), (3, 2179.3e9)] {
        for world in [without("12"), twice(1.0)] {
            let seen = last(&world, at).seen.unwrap();
            assert!(seen.is_predicted && seen.is_interval, "{seen:?}");
            assert!(seen.low < 1.1 * measured && measured < seen.high, "{measured} {seen:?}");
        }
        let (median, blocks) = last(&twice(1.0), at).seen.unwrap().beside.unwrap();
        assert!(blocks == 2 && (median / measured - 1.0).abs() < 1e-3, "{median}");
        assert_eq!(last(&twice(0.01), at).finding, Undecided);
    }
}

/// The other line is known to its own blocks only. Few of them reach as far as blocks may stray, and one decides nothing.
#[test]
fn a_predicted_ratio_is_as_uncertain_as_both_of_its_lines() {
    let ahead = Seen::predicted(Ahead { ns: 1e9, range: Some((0.9e9, 1.2e9)), is_judged: true });
    let wide = |seen: Seen| seen.high / seen.low;
    let over = |share: f64, blocks: u64| {
        let times: Vec<f64> = (0..blocks).map(|block| 1e6 * (1.0 + share * block as f64 / 5.0)).collect();
        ahead.over(Seen::from(Ratio::of_figures(&times, (blocks > 1).then_some(0.0)).unwrap()))
    };
    assert!((wide(over(0.0, 6)) / wide(ahead) - 1.0).abs() < 1e-9);
    assert!(wide(over(0.5, 6)) > 1.1 * wide(ahead), "{:?}", over(0.5, 6));
    assert_eq!((over(0.0, 6).is_interval, over(0.0, 1).is_interval), (true, false));
    for (blocks, more) in [(2, 0.5), (5, 0.2)] {
        let few = over(0.0, blocks);
        assert!(few.is_interval && (wide(few) / wide(ahead)).ln() > more, "{few:?}");
    }
    assert!(over(0.0, 6).is_predicted);
}

/// They decide what lies far beyond all noise, and never against what more of them would show; one decides nothing.
#[test]
fn few_blocks_decide_no_more_than_many() {
    let mut decided = 0;
    for jdk in ["17", "21"] {
        let world = |blocks| {
            let mut world = peppol(jdk, |_| Some(1.0));
            world.lines.values_mut().for_each(|shown| shown.blocks = blocks);
            world
        };
        for claim in concluded("peppol-gcm").iter().filter(|claim| claim.is_about(crate::jdks::major(jdk))) {
            let [one, few, many] = [1, 2, 8].map(|blocks| world(blocks).judge(claim));
            assert!(
                one.finding == Undecided && one.parts.iter().all(|part| part.seen.is_some()),
                "{}",
                claim.says
            );
            assert!([Undecided, many.finding].contains(&few.finding), "{}: {:?}", claim.says, few.finding);
            decided += usize::from(few.finding != Undecided);
        }
    }
    assert!(decided > 0);
}
