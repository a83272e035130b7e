#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
use super::*;

mod sizes;

#[test]
fn scales_have_known_places() {
    let log = Scale { low: 0.1, high: 10.0 };
    assert_eq!(
        [0.01, 0.1, 1.0, 10.0, 99.0, f64::NAN].map(|value| log.at(value).round()),
        [0.0, 0.0, 50.0, 100.0, 100.0, 0.0]
    );
    assert_eq!(Scale::over([0.0, f64::NAN, -1.0]), None);
    assert_eq!(Scale::over([]), None);
}

#[test]
fn equal_values_have_room_around_them() {
    let log = Scale::over([1.0, 1.0]).unwrap();
    assert!((log.at(1.0) - 50.0).abs() < 0.1 && log.at(1.05) < 100.0, "{log:?}");
}

#[test]
fn ticks_are_round_and_few() {
    let log = |low, high| Scale { low, high }.ticks();
    assert_eq!(log(0.09, 12.0), [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]);
    assert_eq!(log(0.09, 40.0), [0.1, 0.3, 1.0, 3.0, 10.0, 30.0]);
    assert_eq!(log(0.95, 1.25), [1.0, 1.1, 1.2]);
    assert_eq!(log(0.9, 6.0), [1.0, 2.0, 5.0]);
    assert_eq!(log(0.78, 1.9), [1.0, 1.2, 1.5]);
    assert_eq!(log(1.0, 1e6).len(), 7);
    for low in [1e-9, 0.37, 1.0, 7.7, 123_456.0, 1e18] {
        let ticks = log(low, low * 1.3e9);
        assert!((2..=7).contains(&ticks.len()), "{ticks:?}");
    }
}

#[test]
fn what_no_scale_can_hold_is_left_out() {
    let scale = Scale::over([1e-300, 2.0, 3.0, 1e300, f64::MAX, f64::INFINITY, f64::NAN]).unwrap();
    assert!(scale.high < 4.0 && scale.ticks().len() > 1, "{:?}", scale.ticks());
    assert!(Scale::over([1e-99, 1e99]).unwrap().ticks().len() <= 8);
    assert_eq!([scale.at(-1e308), scale.at(f64::MAX)].map(f64::is_nan), [false; 2]);
    assert!(Scale::over([1e-300, 0.0, -1.0]).is_none());
}

#[test]
fn ticks_have_few_digits() {
    let ticks = [0.1 + 0.2, 20.0, 0.001, 1e5, 0.0].map(plain);
    assert_eq!(ticks, ["0.3", "20", "0.001", "100000", "0"]);
}

#[test]
fn labels_stay_apart() {
    let labels = |ticks: &[(f64, &str)]| -> Vec<String> {
        let ticks = ticks.iter().map(|(at, label)| (*at, (*label).to_owned())).collect();
        untouched(ticks).into_iter().map(|(_, label)| label).collect()
    };
    assert_eq!(labels(&[(0.0, "1.0"), (50.0, "1.1"), (100.0, "1.2")]), ["1.0", "1.1", "1.2"]);
    assert_eq!(labels(&[(80.0, "10000"), (97.0, "100000")]), ["10000"]);
    assert_eq!(labels(&[(20.0, "123456"), (30.0, "1"), (40.0, "2")]), ["123456", "2"]);
}

/// Left of it would be the labels that came first.
#[test]
fn an_axis_of_ratios_keeps_the_label_of_one() {
    let scale = Scale { low: 0.9, high: 1.9 };
    let told = |values: &[f64]| x_axis_at(&scale, values, |value| format!("{value:.2}")).into_string();
    assert!(told(&[0.95]).contains(">0.95</text>"));
    let page = told(&[0.95, 1.0, 1.05, 1.5]);
    let labels = ["0.95", "1.00", "1.05", "1.50"].map(|label| page.contains(&format!(">{label}</text>")));
    assert_eq!((labels, page.matches("<line").count()), ([false, true, false, true], 4), "{page}");
}

#[test]
fn places_are_told_to_a_thousandth() {
    assert_eq!([0.0, 33.333, 100.0].map(percent), ["0%", "33.3%", "100%"]);
}
