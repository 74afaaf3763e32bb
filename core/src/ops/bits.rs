//! Bits of bytes: truth packed eight elements to a byte (`np.packbits`), and unpacked. They run when they are called.

use crate::array::array::Array;
use crate::array::layout::{Layout, Order, Shape, byte_count, c_strides};
use crate::error::{Error, Result};
use crate::host::interpreter_lock::run_over;
use crate::runtime::eager_gate::Eager;
use crate::runtime::lock::runtime;
use fastnp_codegen::DType;

/// Which bit of a byte comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BitOrder {
    /// The highest.
    Big,
    /// The lowest.
    Little,
}

/// By byte, its bits as eight bytes, the first one as the lowest byte.
const fn bits_of_bytes(order: BitOrder) -> [u64; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut i = 0;
        while i < 8 {
            let at = if matches!(order, BitOrder::Big) { 7 - i } else { i };
            table[byte] |= (byte as u64 >> at & 1) << (8 * i);
            i += 1;
        }
        byte += 1;
    }
    table
}

static HIGHEST_FIRST: [u64; 256] = bits_of_bytes(BitOrder::Big);
static LOWEST_FIRST: [u64; 256] = bits_of_bytes(BitOrder::Little);

/// Which of sixteen bytes are not zero, the lowest one as the lowest bit.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn truth([low, high]: [u64; 2]) -> u16 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_movemask_epi8, _mm_set_epi64x, _mm_setzero_si128};
    // SAFETY: every processor of this architecture has the instructions.
    let zeros = unsafe {
        let bytes = _mm_set_epi64x(high.cast_signed(), low.cast_signed());
        _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()))
    };
    !zeros as u16
}

/// Which of sixteen bytes are not zero, the lowest one as the lowest bit.
#[cfg(not(target_arch = "x86_64"))]
fn truth(bytes: [u64; 2]) -> u16 {
    let bytes = bytes.into_iter().flat_map(u64::to_le_bytes);
    bytes.rev().fold(0, |bits, byte| bits << 1 | u16::from(byte != 0))
}

/// Two bytes of the bits of sixteen elements. Bytes are swapped before the comparison: reversing bits after it takes more instructions.
#[inline(always)]
fn packed(bytes: &[u8; 16], order: BitOrder) -> [u8; 2] {
    let halves = *bytes.as_chunks::<8>().0.first_chunk::<2>().expect("sixteen bytes are two times eight");
    let halves = match order {
        BitOrder::Big => halves.map(u64::from_be_bytes),
        BitOrder::Little => halves.map(u64::from_le_bytes),
    };
    truth(halves).to_le_bytes()
}

/// Packs elements in groups of 32, as long as the processor does so at once; how many elements it packed. 16 at a time take twice as long.
fn pack_groups(from: &[u8], to: &mut [u8], order: BitOrder) -> usize {
    #[cfg(target_arch = "x86_64")]
    if !cfg!(miri) && is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions.
        return unsafe { pack_groups_avx2(from, to, order) };
    }
    let _ = (from, to, order);
    0
}

/// [`pack_groups`] with AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn pack_groups_avx2(from: &[u8], to: &mut [u8], order: BitOrder) -> usize {
    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set_epi64x, _mm256_set1_epi64x,
        _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_xor_si256,
    };
    // Where each byte comes from in its half: in the order of memory, or with each eight bytes swapped.
    let in_order =
        _mm256_set_epi64x(0x0f0e_0d0c_0b0a_0908, 0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908, 0x0706_0504_0302_0100);
    let from_where = match order {
        BitOrder::Big => _mm256_xor_si256(in_order, _mm256_set1_epi64x(0x0707_0707_0707_0707)),
        BitOrder::Little => in_order,
    };
    let (groups, _) = from.as_chunks::<32>();
    let (packed, _) = to.as_chunks_mut::<4>();
    for (group, to) in groups.iter().zip(packed) {
        // SAFETY: the group has 32 bytes.
        let bytes = unsafe { _mm256_loadu_si256(group.as_ptr().cast::<__m256i>()) };
        let zeros = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(bytes, from_where), _mm256_setzero_si256());
        *to = (!_mm256_movemask_epi8(zeros)).to_le_bytes();
    }
    32 * groups.len()
}

/// The elements along the last axis as bits, eight to a byte: one where an element is not zero. The last byte is filled up with zeros.
///
/// # Errors
/// `Unsupported` for other than integers and bools, and for an array without axes; `MemoryError`.
///
/// ```
/// use fastnp::{Array, BitOrder, pack_bits};
/// let bytes = pack_bits(&Array::from(vec![1i64, 0, 0, 0, 0, 0, 0, 1, 1]), BitOrder::Big)?;
/// assert_eq!(bytes.to_vec::<u8>()?, [0x81, 0x80]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn pack_bits(x: &Array, order: BitOrder) -> Result<Array> {
    if !(x.dtype().is_integer() || x.dtype() == DType::Bool) {
        return Err(Error::unsupported("bits of numbers that are not whole"));
    }
    let truth =
        if x.dtype() == DType::Bool && x.is_c_contiguous() { x.clone() } else { x.cast_order(DType::Bool, Order::C)? };
    rows(
        &truth,
        |n| n.div_ceil(8),
        |from, to| {
            let done = pack_groups(from, to, order);
            let (from, to) = (&from[done..], &mut to[done / 8..]);
            let (whole, rest) = from.as_chunks::<16>();
            let (pairs, last) = to.as_chunks_mut::<2>();
            pairs.iter_mut().zip(whole).for_each(|(to, bytes)| *to = packed(bytes, order));
            let mut bytes = [0; 16];
            bytes[..rest.len()].copy_from_slice(rest);
            let bits = packed(&bytes, order);
            match pairs.get_mut(whole.len()) {
                Some(pair) => *pair = bits,
                None => last.copy_from_slice(&bits[..last.len()]),
            }
        },
    )
}

/// The bits of the bytes along the last axis, an element each: the first `count` of them, and zeros where there are fewer. All if `None`.
///
/// # Errors
/// `Unsupported` for other than `uint8`, and for an array without axes; `MemoryError`.
///
/// ```
/// use fastnp::{Array, BitOrder, DType, unpack_bits};
/// let bytes = Array::from(vec![5i64]).cast(DType::U8)?;
/// assert_eq!(unpack_bits(&bytes, BitOrder::Little, Some(3))?.to_vec::<u8>()?, [1, 0, 1]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn unpack_bits(x: &Array, order: BitOrder, count: Option<usize>) -> Result<Array> {
    if x.dtype() != DType::U8 {
        return Err(Error::unsupported("bits of numbers that are no bytes"));
    }
    let x = if x.is_c_contiguous() { x.clone() } else { x.copy(Order::C)? };
    let table = if order == BitOrder::Big { &HIGHEST_FIRST } else { &LOWEST_FIRST };
    let bits = |byte: u8| table[usize::from(byte)].to_le_bytes();
    rows(
        &x,
        |n| count.unwrap_or(8 * n),
        |from, to| {
            let (whole, rest) = to.as_chunks_mut::<8>();
            let known = whole.len().min(from.len());
            whole.iter_mut().zip(from).for_each(|(to, &byte)| *to = bits(byte));
            whole[known..].iter_mut().for_each(|to| *to = [0; 8]);
            let last = from.get(whole.len()).map_or([0; 8], |&byte| bits(byte));
            rest.copy_from_slice(&last[..rest.len()]);
        },
    )
}

/// A new array of bytes: `fill` gets each row along the last axis, and the row to write, of the length that `length` gives.
fn rows(x: &Array, length: impl FnOnce(usize) -> usize, fill: impl Fn(&[u8], &mut [u8])) -> Result<Array> {
    let Some((&n, outer)) = x.shape().split_last() else {
        return Err(Error::unsupported("bits of an array without axes"));
    };
    let mut shape: Shape = outer.into();
    shape.push(length(n));
    let count: usize = outer.iter().product();
    let length = shape[outer.len()];
    let bytes = byte_count(&shape, 1)?;
    let mut runtime = runtime();
    let mut gate = Eager::unlimited(&mut runtime);
    let from = gate.read_stable(x)?;
    // SAFETY: elements of one byte, which stay as they are while the runtime is locked.
    let from = unsafe { from.elements::<u8>() };
    let storage = gate.create(bytes, |_, to| {
        // SAFETY: the new storage has so many bytes; any bits are valid.
        let to = unsafe { std::slice::from_raw_parts_mut(to, bytes) };
        run_over(from.len().max(bytes), || {
            (0..count).for_each(|row| fill(&from[row * n..][..n], &mut to[row * length..][..length]));
        });
        Ok(())
    })?;
    let layout = Layout { strides: c_strides(&shape, 1), shape, offset: 0 };
    Ok(Array { storage, layout, dtype: DType::U8, writeable: true })
}
