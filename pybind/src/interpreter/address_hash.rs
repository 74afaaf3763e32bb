//! A hash for tables of addresses, which need no protection from chosen keys: a multiplication a word.

use std::hash::{BuildHasherDefault, Hasher};

/// The state of the hash.
#[derive(Default)]
pub(crate) struct AddressHasher(u64);

/// Makes the hashes of a `HashMap`.
pub(crate) type AddressHash = BuildHasherDefault<AddressHasher>;

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        // The table takes its bucket from the low bits, to which a product carries nothing down.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }

    fn write_i32(&mut self, word: i32) {
        self.write_u64(word as u64);
    }
}
