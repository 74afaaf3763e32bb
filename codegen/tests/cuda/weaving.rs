//! Launches that are woven, by stand-ins for NVIDIA's libraries: merged kernels get the arguments and shapes of their parts, wait for what
//! these wait for, are cached, and are not used where the gate or the driver refuses them.

use super::graphs::{N, Sides, Step, random_programs};
use super::process::{alone, child, count, expect, folder, is_for};

fn woven_launches() -> i32 {
    count("libcuda.so", "standin_woven_launches")
}

/// A map and a sum of other arrays, a second map, of what the sum made, and the first again.
fn steps() -> [Step; 4] {
    let step = |kernel, arrays| Step { kernel, arrays, from: [0; 3], n: N / 4 };
    [step(0, [0, 1, 2]), step(1, [3, 4, 0]), step(0, [4, 4, 5]), step(0, [0, 1, 2])]
}

/// What the device decided while a loop ran so often.
fn notes_of(rounds: i64) -> Vec<String> {
    let mut sides = Sides::new();
    for scalar in 0..rounds {
        sides.run(&steps(), scalar);
    }
    sides.compare("a loop");
    sides.device.notes()
}

#[test]
fn random_programs_with_woven_launches() {
    alone("cuda::weaving::random_programs_with_woven_launches", &[("FASTNP_WEAVE", "2")], || {
        random_programs(60);
        assert!(woven_launches() > 60, "{}", woven_launches());
    });
}

#[test]
fn independent_launches_that_complement_each_other_are_woven() {
    let test = "cuda::weaving::independent_launches_that_complement_each_other_are_woven";
    alone(test, &[("FASTNP_WEAVE", "4")], || {
        // The graph is made the second time, and woven the fifth.
        assert_eq!((notes_of(4), woven_launches()), (vec![], 0));
        let notes = notes_of(6);
        assert_eq!(woven_launches(), 6 + 4 - 5 + 1, "{notes:?}");
        assert!(
            notes.iter().any(|note| note.starts_with("woven: map ") && note.contains(" with reduce ")),
            "{notes:?}"
        );
        assert!(
            notes.iter().any(|note| note.starts_with("not woven: map ") && note.contains("same bound: ")),
            "{notes:?}"
        );
    });
}

#[test]
fn nothing_is_woven_unless_it_is_asked_for() {
    alone("cuda::weaving::nothing_is_woven_unless_it_is_asked_for", &[], || {
        assert_eq!((notes_of(9), woven_launches()), (vec![], 0));
    });
}

#[test]
fn merged_kernels_are_kept_on_disk() {
    let test = "cuda::weaving::merged_kernels_are_kept_on_disk";
    if is_for(test) {
        notes_of(9);
        assert!(woven_launches() > 0);
        // The first process assembles, and the second finds what it assembled.
        let links = count("libcuda.so", "standin_links");
        let is_first = std::env::var("STANDIN_LINKS").is_err();
        return assert_eq!(links > 0, is_first, "{links}");
    }
    let cache = folder(test);
    let place = ("FASTNP_CACHE", cache.to_str().unwrap());
    expect(&child(test, &[place, ("FASTNP_WEAVE", "2")]));
    expect(&child(test, &[place, ("FASTNP_WEAVE", "2"), ("STANDIN_LINKS", "0")]));
    std::fs::remove_dir_all(cache).unwrap();
}

#[test]
fn what_the_gate_or_the_driver_refuses_is_launched_unmerged() {
    let test = "cuda::weaving::what_the_gate_or_the_driver_refuses_is_launched_unmerged";
    if is_for(test) {
        let notes = notes_of(9);
        let why = std::env::var("EXPECTED").unwrap();
        assert!(notes.iter().any(|note| note.starts_with("not woven: map ") && note.contains(&why)), "{notes:?}");
        return assert_eq!(woven_launches(), 0);
    }
    for (name, value, why) in [
        ("STANDIN_REGISTERS", "200", "occupancy: "),
        ("STANDIN_SPILLED", "8", "spills: "),
        ("STANDIN_LINKS", "0", "assembler: CUDA_ERROR_NOT_SUPPORTED"),
    ] {
        let cache = folder(test);
        let place = ("FASTNP_CACHE", cache.to_str().unwrap());
        expect(&child(test, &[place, ("FASTNP_WEAVE", "2"), (name, value), ("EXPECTED", why)]));
        std::fs::remove_dir_all(cache).unwrap();
    }
}
