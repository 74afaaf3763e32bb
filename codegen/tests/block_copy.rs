//! Copies of blocks: squares, chunks and what is left beside them, for items of every size.

use fastnp_codegen::white_box::{StridedBlock, copy_block};

#[test]
fn blocks_are_copied() {
    for size in [1, 2, 4, 8, 16] {
        for (rows, columns, gap) in [
            (1, 1, 0),
            (9, 2, 0),
            (40, 3, 0),
            (7, 5, 0),
            (8, 8, 0),
            (16, 24, 1),
            (13, 21, 0),
            (21, 13, 3),
            (9, 40, 2),
            (9, 4, 1),
            (9, 6, 1),
        ] {
            // Columns with gaps between them, of elements side by side or with one left out; and one element a row.
            for (along_row, along_column) in
                [(rows + gap, 1), (2 * rows + gap, 2), (0, 1), (0, 3), (0, 0), (1, 0), (3, 0), (1, 50)]
            {
                let last = (rows - 1) * along_column + (columns - 1) * along_row;
                let from: Vec<u8> = (0..(last + 1) * size).map(|i| (i * 31 % 251) as u8).collect();
                let pitch = (columns + gap) * size;
                let mut to = vec![0; rows * pitch];
                let block = StridedBlock {
                    rows,
                    columns,
                    along_row: (along_row * size) as isize,
                    along_column: (along_column * size) as isize,
                    pitch: pitch as isize,
                };
                // SAFETY: both have room for the block.
                unsafe { copy_block(to.as_mut_ptr(), from.as_ptr(), &block, size) };
                for r in 0..rows {
                    for c in 0..columns {
                        let (at, begin) = ((c * along_row + r * along_column) * size, r * pitch + c * size);
                        assert_eq!(to[begin..begin + size], from[at..at + size], "{size} {rows} {columns} {r} {c}");
                    }
                }
            }
        }
    }
}
