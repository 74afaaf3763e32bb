//! Machine code as text for people, read back from its bytes.

use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The column of comments, behind the longest instructions.
const COMMENT_COLUMN: usize = 56;

/// One instruction a line, in Intel's operand order; jump targets have labels. `comment` says by its offset what an
/// instruction comes from; nothing is written where that is empty.
pub(crate) fn disassembly(code: &[u8], mut comment: impl FnMut(usize) -> String) -> String {
    let decoded = || Decoder::with_ip(64, code, 0, DecoderOptions::NONE).into_iter();
    // Zero stands for an instruction that does not jump: no jump leads to the beginning.
    let targets: BTreeSet<u64> = decoded().map(|i| i.near_branch_target()).filter(|&t| t != 0).collect();
    let mut formatter = IntelFormatter::new();
    let options = formatter.options_mut();
    options.set_rip_relative_addresses(true);
    options.set_space_after_operand_separator(true);
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_small_hex_numbers_in_decimal(true);
    let (mut text, mut line) = (String::new(), String::new());
    let name = |at: u64| targets.iter().position(|&t| t == at);
    for instruction in decoded() {
        if let Some(label) = name(instruction.ip()) {
            let _ = writeln!(text, "L{label}:");
        }
        line.clear();
        formatter.format(&instruction, &mut line);
        if let Some(label) = name(instruction.near_branch_target()) {
            let end = line.find(' ').unwrap_or(line.len());
            line.truncate(end);
            let _ = write!(line, " L{label}");
        }
        let comment = comment(instruction.ip() as usize);
        let _ = match comment.is_empty() {
            true => writeln!(text, "    {line}"),
            false => writeln!(text, "    {line:<0$} ; {comment}", COMMENT_COLUMN - 5),
        };
    }
    text
}
