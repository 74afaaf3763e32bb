//! Hash tables: hashes, the order of items, and slots.

use fastnp_scalar::tables::{Form, replayed, slots_of};

#[test]
fn hashes_are_pythons() {
    let (one, two) = (Form::new(1, 0, false, true), Form::new(2, 0, true, true));
    let int = |x: i64| one.hash(&[x.cast_unsigned()]).cast_signed();
    assert_eq!([int(5), int(-1), int(-2), int((1 << 61) - 1), int(i64::MIN)], [5, -2, -2, 0, -4]);
    assert_eq!(two.hash(&[1, 2]).cast_signed(), -3_550_055_125_485_641_917);
}

#[test]
fn items_are_found_in_pythons_order() {
    let form = Form::new(1, 0, false, true);
    let added: Vec<(bool, Vec<u64>)> = [9, 1, 17, 4, 1].map(|k| (true, vec![k])).to_vec();
    // list({9, 1, 17, 4}) of CPython 3.11
    assert_eq!(replayed(form, &added), [[9], [4], [1], [17]].map(Vec::from));
    let removed = [added, vec![(false, vec![1]), (true, vec![1])]].concat();
    assert_eq!(replayed(form, &removed).len(), 4);
}

#[test]
fn slots_lead_to_all_entries() {
    let slots = slots_of(&[3, 11, 19, 3 + 32]);
    let mut found: Vec<u32> = slots.into_iter().filter(|&slot| slot != 0).collect();
    found.sort_unstable();
    assert_eq!(found, [1, 2, 3, 4]);
}
