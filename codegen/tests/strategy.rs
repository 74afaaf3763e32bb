//! Strategy selection: which driver runs which launch, as thresholds say.

use fastnp_codegen::Launch;
use fastnp_codegen::white_box::strategy::*;

#[test]
fn maps_run_in_two_dimensions_unless_rows_are_short() {
    let of = |outer: &[usize]| of_map(true, outer);
    assert_eq!(of(&[]), Strategy::Exec2d);
    assert_eq!(of(&[100]), Strategy::Exec2d);
    assert_eq!(of(&[100, MIN_ROW_2D]), Strategy::Exec2d);
    assert_eq!(of(&[100, MIN_ROW_2D - 1]), Strategy::Tiles);
    assert_eq!(of(&[1, MIN_ROW_2D - 1]), Strategy::Exec2d, "one short row");
    assert_eq!(of(&[0]), Strategy::Nothing);
    assert_eq!(of(&[3, 0, 2]), Strategy::Nothing);
    assert_eq!(of_map(false, &[100]), Strategy::Tiles);
}

#[test]
fn reductions_of_one_inner_axis_run_in_tiles() {
    let all = ReduceForms { tiled: true, row: true, part: MIN_PART };
    let with = |outer: &[usize], inner: &[usize], nests| of_reduction(all, outer, inner, || nests);
    let of = |outer: &[usize], inner: &[usize]| with(outer, inner, false);
    assert_eq!(of(&[], &[100]), Strategy::ReduceTiled);
    assert_eq!(of(&[5], &[100]), Strategy::ReduceTiled);
    assert_eq!(of(&[5], &[1, 100]), Strategy::ReduceTiled);
    assert_eq!(of(&[5], &[2, 100]), Strategy::ReduceNd);
    assert_eq!(with(&[5], &[2, 1, 100], true), Strategy::ReduceTiled, "rows of one point, by machine code");
    assert_eq!(with(&[5], &[2, 3, 100], true), Strategy::ReduceNd);
    assert_eq!(of(&[5], &[0]), Strategy::ReduceNd, "neutral elements");
    assert_eq!(of(&[0], &[5]), Strategy::Nothing);
    assert!(is_short_row(all, &[], 2 * MIN_PART - 1));
    assert!(!is_short_row(all, &[], 2 * MIN_PART), "enough for two parts");
    assert!(!is_short_row(all, &[5], 100));
}

#[test]
fn tiles_are_wide_where_there_are_enough_without() {
    assert_eq!(wide_tile(2000, 1024, 16), 2000, "the parts are enough");
    assert_eq!(wide_tile(200_000, 1024, 1), MAX_WIDE_TILE);
    assert_eq!(wide_tile(20_000, 1024, 1), 2048, "ten tiles");
    assert_eq!(wide_tile(4000, 1024, 1), 1024, "as many as there are");
    assert_eq!(wide_tile(2048 + 3, 1024, 16), 1024, "three columns are folded by halving");
    assert_eq!(wide_tile(500, 500, 1), 500);
}

#[test]
fn inner_axes_are_divided_only_if_there_are_few_outer_tiles() {
    assert_eq!(parts_of(1, 1000, 100_000, MIN_PART), 4);
    assert_eq!(parts_of(1, 3, 100_000, MIN_PART), 2, "no more parts than tiles");
    assert_eq!(parts_of(1, 100_000, usize::MAX, MIN_PART), MAX_CPU_PARTS);
    assert_eq!(parts_of(ENOUGH_TILES, 1000, 100_000_000, MIN_PART), 1);
}

#[test]
fn loops_run_dense_rows_at_once_and_ask_no_more_than_they_need() {
    let forms = LoopForms { is_plain: true, single_pass: true, shortest_row: SHORT_LOOP_ROW, cost: 1.0, bytes: 8 };
    let unasked = || unreachable!("no fact that is not needed");
    assert_eq!(of_loop(&forms, 0, unasked, unasked), Strategy::Nothing);
    assert_eq!(of_loop(&forms, 100, || true, unasked), Strategy::DenseRow);
    assert_eq!(of_loop(&forms, 100, || false, unasked), Strategy::Rows);
    assert_eq!(of_loop(&forms, 1_000_000, || true, unasked), Strategy::Rows);
    let forms = LoopForms { single_pass: false, ..forms };
    assert_eq!(of_loop(&forms, 100, || true, || true), Strategy::Rows);
    assert_eq!(of_loop(&forms, 100, || true, || false), Strategy::DenseRow);
    assert_eq!(of_rows(&forms, SHORT_LOOP_ROW, 160), Strategy::Rows);
    assert_eq!(of_rows(&forms, 3, 3), Strategy::Rows, "one short row");
    assert_eq!(of_rows(&forms, 3, 30), Strategy::Interpret);
}

#[test]
fn scans_go_by_the_axis_that_is_the_faster_in_memory() {
    let scan = |outer: usize, strides: &[isize]| {
        let launch = Launch { outer: &[outer], inner: &[10], addresses: &[], strides, scalars: &[] };
        (of_interpreted_scan(&[0], &launch), of_scan(&[0], &launch))
    };
    assert_eq!(scan(1000, &[80, 8]), (Strategy::ScanRows, Strategy::Rows));
    assert_eq!(scan(1000, &[8, 8000]), (Strategy::ScanColumns, Strategy::Columns));
    let few = MIN_SCAN_COLUMNS - 1;
    assert_eq!(scan(few, &[8, 8 * few as isize]), (Strategy::ScanColumns, Strategy::Interpret));
    assert_eq!(scan(0, &[80, 8]), (Strategy::Nothing, Strategy::Nothing));
}

#[test]
fn listings_name_strategies_in_order_of_preference() {
    let forms = LoopForms { is_plain: true, single_pass: true, shortest_row: 1, cost: 1.0, bytes: 8 };
    assert_eq!(listing(forms.strategies(false, true)), "strategies: dense row, rows, columns, interpret\n");
    assert_eq!(listing(forms.strategies(true, false)), "strategies: dense row, blocks, rows, interpret\n");
    assert_eq!(listing(map_strategies(true)), "strategies: exec 2d, tiles\n");
}
