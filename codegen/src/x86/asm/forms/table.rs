//! The rows of the instruction table: name, operands, encoding, what the `rm` operand reads or writes, flags.
//!
//! The parent module explains the columns.

use crate::x86::asm::forms::*;

/// The table: a static for each row, and the list of all.
macro_rules! forms {
    ($($name:ident $operands:ident $encoding:literal $read:expr $(=> $flags:expr)?;)*) => {
        $(
            #[doc = concat!("`", stringify!($name), "`: ", $encoding, ".")]
            pub static $name: Form =
                Form::new(stringify!($name), $encoding, Operands::$operands, $read, 0 $(| $flags)?);
        )*

        /// Every row.
        pub static ALL: &[&Form] = &[$(&$name),*];
    };
}

forms! {
    // Floating-point arithmetic
    VADDPS Rvm "NP.0F.W0 58" full(4) => VEX;
    VADDPD Rvm "66.0F.W1 58" full(8) => VEX;
    VMULPS Rvm "NP.0F.W0 59" full(4) => VEX;
    VMULPD Rvm "66.0F.W1 59" full(8) => VEX;
    VSUBPS Rvm "NP.0F.W0 5C" full(4) => VEX;
    VSUBPD Rvm "66.0F.W1 5C" full(8) => VEX;
    VMINPS Rvm "NP.0F.W0 5D" full(4) => VEX;
    VMINPD Rvm "66.0F.W1 5D" full(8) => VEX;
    VDIVPS Rvm "NP.0F.W0 5E" full(4) => VEX;
    VDIVPD Rvm "66.0F.W1 5E" full(8) => VEX;
    VMAXPS Rvm "NP.0F.W0 5F" full(4) => VEX;
    VMAXPD Rvm "66.0F.W1 5F" full(8) => VEX;
    VSQRTPS Rm "NP.0F.W0 51" full(4) => VEX;
    VSQRTPD Rm "66.0F.W1 51" full(8) => VEX;

    // Fused multiply-add: 213 is a*d+b, 231 is a*b+d
    VFMADD213PS Rvm "66.0F38.W0 A8" full(4) => VEX;
    VFMADD213PD Rvm "66.0F38.W1 A8" full(8) => VEX_W;
    VFMADD231PS Rvm "66.0F38.W0 B8" full(4) => VEX;
    VFMADD231PD Rvm "66.0F38.W1 B8" full(8) => VEX_W;
    VFMSUB213PS Rvm "66.0F38.W0 AA" full(4) => VEX;
    VFMSUB213PD Rvm "66.0F38.W1 AA" full(8) => VEX_W;
    VFMSUB231PS Rvm "66.0F38.W0 BA" full(4) => VEX;
    VFMSUB231PD Rvm "66.0F38.W1 BA" full(8) => VEX_W;
    VFNMADD213PS Rvm "66.0F38.W0 AC" full(4) => VEX;
    VFNMADD213PD Rvm "66.0F38.W1 AC" full(8) => VEX_W;
    VFNMADD231PS Rvm "66.0F38.W0 BC" full(4) => VEX;
    VFNMADD231PD Rvm "66.0F38.W1 BC" full(8) => VEX_W;
    VFNMSUB213PS Rvm "66.0F38.W0 AE" full(4) => VEX;
    VFNMSUB213PD Rvm "66.0F38.W1 AE" full(8) => VEX_W;
    VFNMSUB231PS Rvm "66.0F38.W0 BE" full(4) => VEX;
    VFNMSUB231PD Rvm "66.0F38.W1 BE" full(8) => VEX_W;

    // Exponents, mantissas, rounding and classes of floats
    VRNDSCALEPS Rm "66.0F3A.W0 08 ib" full(4);
    VRNDSCALEPD Rm "66.0F3A.W1 09 ib" full(8);
    VSCALEFPS Rvm "66.0F38.W0 2C" full(4);
    VSCALEFPD Rvm "66.0F38.W1 2C" full(8);
    VGETEXPPS Rm "66.0F38.W0 42" full(4);
    VGETEXPPD Rm "66.0F38.W1 42" full(8);
    VGETMANTPS Rm "66.0F3A.W0 26 ib" full(4);
    VGETMANTPD Rm "66.0F3A.W1 26 ib" full(8);
    VREDUCEPS Rm "66.0F3A.W0 56 ib" full(4) => DQ;
    VREDUCEPD Rm "66.0F3A.W1 56 ib" full(8) => DQ;
    VRANGEPS Rvm "66.0F3A.W0 50 ib" full(4) => DQ;
    VRANGEPD Rvm "66.0F3A.W1 50 ib" full(8) => DQ;
    VFIXUPIMMPS Rvm "66.0F3A.W0 54 ib" full(4);
    VFIXUPIMMPD Rvm "66.0F3A.W1 54 ib" full(8);
    VRSQRT14PS Rm "66.0F38.W0 4E" full(4);
    VRSQRT14PD Rm "66.0F38.W1 4E" full(8);

    // Bitwise logic
    VPANDD Rvm "66.0F.W0 DB" full(4);
    VPANDQ Rvm "66.0F.W1 DB" full(8);
    VPORD Rvm "66.0F.W0 EB" full(4);
    VPORQ Rvm "66.0F.W1 EB" full(8);
    VPXORD Rvm "66.0F.W0 EF" full(4);
    VPXORQ Rvm "66.0F.W1 EF" full(8);
    VPTERNLOGD Rvm "66.0F3A.W0 25 ib" full(4);
    VPTERNLOGQ Rvm "66.0F3A.W1 25 ib" full(8);

    // Integer arithmetic
    VPADDB Rvm "66.0F.W0 FC" whole() => BW | VEX;
    VPADDW Rvm "66.0F.W0 FD" whole() => BW | VEX;
    VPADDD Rvm "66.0F.W0 FE" full(4) => VEX;
    VPADDQ Rvm "66.0F.W1 D4" full(8) => VEX;
    VPSUBB Rvm "66.0F.W0 F8" whole() => BW | VEX;
    VPSUBW Rvm "66.0F.W0 F9" whole() => BW | VEX;
    VPSUBD Rvm "66.0F.W0 FA" full(4) => VEX;
    VPSUBQ Rvm "66.0F.W1 FB" full(8) => VEX;
    VPMULLW Rvm "66.0F.W0 D5" whole() => BW | VEX;
    VPMULLD Rvm "66.0F38.W0 40" full(4) => VEX;
    VPMULLQ Rvm "66.0F38.W1 40" full(8) => DQ;
    VPMULUDQ Rvm "66.0F.W1 F4" full(8) => VEX;
    VPMINSB Rvm "66.0F38.W0 38" whole() => BW | VEX;
    VPMINSW Rvm "66.0F.W0 EA" whole() => BW | VEX;
    VPMINSD Rvm "66.0F38.W0 39" full(4) => VEX;
    VPMINSQ Rvm "66.0F38.W1 39" full(8);
    VPMINUB Rvm "66.0F.W0 DA" whole() => BW | VEX;
    VPMINUW Rvm "66.0F38.W0 3A" whole() => BW | VEX;
    VPMINUD Rvm "66.0F38.W0 3B" full(4) => VEX;
    VPMINUQ Rvm "66.0F38.W1 3B" full(8);
    VPMAXSB Rvm "66.0F38.W0 3C" whole() => BW | VEX;
    VPMAXSW Rvm "66.0F.W0 EE" whole() => BW | VEX;
    VPMAXSD Rvm "66.0F38.W0 3D" full(4) => VEX;
    VPMAXSQ Rvm "66.0F38.W1 3D" full(8);
    VPMAXUB Rvm "66.0F.W0 DE" whole() => BW | VEX;
    VPMAXUW Rvm "66.0F38.W0 3E" whole() => BW | VEX;
    VPMAXUD Rvm "66.0F38.W0 3F" full(4) => VEX;
    VPMAXUQ Rvm "66.0F38.W1 3F" full(8);
    VPABSB Rm "66.0F38.W0 1C" whole() => BW | VEX;
    VPABSW Rm "66.0F38.W0 1D" whole() => BW | VEX;
    VPABSD Rm "66.0F38.W0 1E" full(4) => VEX;
    VPABSQ Rm "66.0F38.W1 1F" full(8);

    // Shifts by an immediate
    VPSRLD_IMM Vm "66.0F.W0 72 /2 ib" full(4) => VEX;
    VPSRLQ_IMM Vm "66.0F.W1 73 /2 ib" full(8) => VEX;
    VPSLLD_IMM Vm "66.0F.W0 72 /6 ib" full(4) => VEX;
    VPSLLQ_IMM Vm "66.0F.W1 73 /6 ib" full(8) => VEX;

    // Shifts element by element
    VPSRLVW Rvm "66.0F38.W1 10" whole() => BW;
    VPSRLVD Rvm "66.0F38.W0 45" full(4) => VEX;
    VPSRLVQ Rvm "66.0F38.W1 45" full(8) => VEX_W;
    VPSRAVW Rvm "66.0F38.W1 11" whole() => BW;
    VPSRAVD Rvm "66.0F38.W0 46" full(4) => VEX;
    VPSRAVQ Rvm "66.0F38.W1 46" full(8);
    VPSLLVW Rvm "66.0F38.W1 12" whole() => BW;
    VPSLLVD Rvm "66.0F38.W0 47" full(4) => VEX;
    VPSLLVQ Rvm "66.0F38.W1 47" full(8) => VEX_W;

    // Comparisons into a mask
    VCMPPS Kvm "NP.0F.W0 C2 ib" full(4);
    VCMPPD Kvm "66.0F.W1 C2 ib" full(8);
    VPCMPB Kvm "66.0F3A.W0 3F ib" whole() => BW;
    VPCMPW Kvm "66.0F3A.W1 3F ib" whole() => BW;
    VPCMPD Kvm "66.0F3A.W0 1F ib" full(4);
    VPCMPQ Kvm "66.0F3A.W1 1F ib" full(8);
    VPCMPUB Kvm "66.0F3A.W0 3E ib" whole() => BW;
    VPCMPUW Kvm "66.0F3A.W1 3E ib" whole() => BW;
    VPCMPUD Kvm "66.0F3A.W0 1E ib" full(4);
    VPCMPUQ Kvm "66.0F3A.W1 1E ib" full(8);
    VPTESTMB Kvm "66.0F38.W0 26" whole() => BW;
    VPTESTMW Kvm "66.0F38.W1 26" whole() => BW;
    VPTESTMD Kvm "66.0F38.W0 27" full(4);
    VPTESTMQ Kvm "66.0F38.W1 27" full(8);
    VPTESTNMB Kvm "F3.0F38.W0 26" whole() => BW;
    VPTESTNMW Kvm "F3.0F38.W1 26" whole() => BW;
    VPTESTNMD Kvm "F3.0F38.W0 27" full(4);
    VPTESTNMQ Kvm "F3.0F38.W1 27" full(8);
    VFPCLASSPS Km "66.0F3A.W0 66 ib" full(4) => DQ;
    VFPCLASSPD Km "66.0F3A.W1 66 ib" full(8) => DQ;

    // Blends: the second source where the mask is set
    VPBLENDMB Rvm "66.0F38.W0 66" whole() => BW;
    VPBLENDMW Rvm "66.0F38.W1 66" whole() => BW;
    VPBLENDMD Rvm "66.0F38.W0 64" full(4);
    VPBLENDMQ Rvm "66.0F38.W1 64" full(8);

    // Conversions between floating-point types
    VCVTPS2PD Rm "NP.0F.W0 5A" half(4) => VEX;
    VCVTPD2PS Rm "66.0F.W1 5A" full(8) => NARROWS | VEX;
    VCVTPH2PS Rm "66.0F38.W0 13" fraction(2) => VEX;
    VCVTPS2PH Mr "66.0F3A.W0 1D ib" fraction(2) => VEX;

    // Conversions between floating point and 32-bit integers
    VCVTDQ2PS Rm "NP.0F.W0 5B" full(4) => VEX;
    VCVTUDQ2PS Rm "F2.0F.W0 7A" full(4);
    VCVTTPS2DQ Rm "F3.0F.W0 5B" full(4) => VEX;
    VCVTDQ2PD Rm "F3.0F.W0 E6" half(4) => VEX;
    VCVTUDQ2PD Rm "F3.0F.W0 7A" half(4);
    VCVTTPD2DQ Rm "66.0F.W1 E6" full(8) => NARROWS | VEX;

    // Conversions between floating point and 64-bit integers
    VCVTQQ2PS Rm "NP.0F.W1 5B" full(8) => DQ | NARROWS;
    VCVTUQQ2PS Rm "F2.0F.W1 7A" full(8) => DQ | NARROWS;
    VCVTTPS2QQ Rm "66.0F.W0 7A" half(4) => DQ;
    VCVTQQ2PD Rm "F3.0F.W1 E6" full(8) => DQ;
    VCVTUQQ2PD Rm "F3.0F.W1 7A" full(8) => DQ;
    VCVTTPD2QQ Rm "66.0F.W1 7A" full(8) => DQ;

    // Integers: widening
    VPMOVSXBW Rm "66.0F38.W0 20" fraction(2) => BW | VEX;
    VPMOVSXBD Rm "66.0F38.W0 21" fraction(4) => VEX;
    VPMOVSXBQ Rm "66.0F38.W0 22" fraction(8) => VEX;
    VPMOVSXWD Rm "66.0F38.W0 23" fraction(2) => VEX;
    VPMOVSXWQ Rm "66.0F38.W0 24" fraction(4) => VEX;
    VPMOVSXDQ Rm "66.0F38.W0 25" fraction(2) => VEX;
    VPMOVZXBW Rm "66.0F38.W0 30" fraction(2) => BW | VEX;
    VPMOVZXBD Rm "66.0F38.W0 31" fraction(4) => VEX;
    VPMOVZXBQ Rm "66.0F38.W0 32" fraction(8) => VEX;
    VPMOVZXWD Rm "66.0F38.W0 33" fraction(2) => VEX;
    VPMOVZXWQ Rm "66.0F38.W0 34" fraction(4) => VEX;
    VPMOVZXDQ Rm "66.0F38.W0 35" fraction(2) => VEX;

    // Integers: narrowing by truncation
    VPMOVWB Mr "F3.0F38.W0 30" fraction(2) => BW;
    VPMOVDB Mr "F3.0F38.W0 31" fraction(4);
    VPMOVQB Mr "F3.0F38.W0 32" fraction(8);
    VPMOVDW Mr "F3.0F38.W0 33" fraction(2);
    VPMOVQW Mr "F3.0F38.W0 34" fraction(4);
    VPMOVQD Mr "F3.0F38.W0 35" fraction(2);

    // Moves
    VMOVUPS Rm "NP.0F.W0 10" whole() => VEX;
    VMOVUPS_STORE Mr "NP.0F.W0 11" whole() => VEX;
    VMOVDQU8 Rm "F2.0F.W0 6F" whole() => BW;
    VMOVDQU8_STORE Mr "F2.0F.W0 7F" whole() => BW;
    VMOVDQU16 Rm "F2.0F.W1 6F" whole() => BW;
    VMOVDQU16_STORE Mr "F2.0F.W1 7F" whole() => BW;
    VMOVDQU32 Rm "F3.0F.W0 6F" whole();
    VMOVDQU32_STORE Mr "F3.0F.W0 7F" whole();
    VMOVDQU64 Rm "F3.0F.W1 6F" whole();
    VMOVDQU64_STORE Mr "F3.0F.W1 7F" whole();
    VMOVNTDQ Mr "66.0F.W0 E7" whole() => MEMORY | UNMASKED | VEX;

    // Broadcasts from memory or from the lowest elements of a register
    VPBROADCASTB Rm "66.0F38.W0 78" part(1) => BW | VEX;
    VPBROADCASTW Rm "66.0F38.W0 79" part(2) => BW | VEX;
    VPBROADCASTD Rm "66.0F38.W0 58" part(4) => VEX;
    VPBROADCASTQ Rm "66.0F38.W1 59" part(8) => VEX;

    // Broadcasts from a general register (`Assembler::broadcast_gpr`)
    VPBROADCASTQ_GPR FromGpr "66.0F38.W1 7C" whole();

    // Permutations
    VPERMD Rvm "66.0F38.W0 36" full(4) => FROM256;
    VPERMQ Rvm "66.0F38.W1 36" full(8) => FROM256;
    VPERMPS Rvm "66.0F38.W0 16" full(4) => FROM256 | VEX;
    VPERMPD Rvm "66.0F38.W1 16" full(8) => FROM256;
    VPERMQ_IMM Rm "66.0F3A.W1 00 ib" full(8) => FROM256 | VEX_W;
    VPERMI2PS Rvm "66.0F38.W0 77" full(4);
    VPERMI2PD Rvm "66.0F38.W1 77" full(8);
    VPERMT2PS Rvm "66.0F38.W0 7F" full(4);
    VPERMT2PD Rvm "66.0F38.W1 7F" full(8);
    VPSHUFD Rm "66.0F.W0 70 ib" full(4) => VEX;
    VSHUFPS Rvm "NP.0F.W0 C6 ib" full(4) => VEX;
    VALIGND Rvm "66.0F3A.W0 03 ib" full(4);
    VALIGNQ Rvm "66.0F3A.W1 03 ib" full(8);
    VPUNPCKLDQ Rvm "66.0F.W0 62" full(4) => VEX;
    VPUNPCKLQDQ Rvm "66.0F.W1 6C" full(8) => VEX;
    VPUNPCKHDQ Rvm "66.0F.W0 6A" full(4) => VEX;
    VPUNPCKHQDQ Rvm "66.0F.W1 6D" full(8) => VEX;
    VPACKSSWB Rvm "66.0F.W0 63" whole() => BW | VEX;
    VPACKUSWB Rvm "66.0F.W0 67" whole() => BW | VEX;
    VPACKSSDW Rvm "66.0F.W0 6B" full(4) => BW | VEX;
    VPACKUSDW Rvm "66.0F38.W0 2B" full(4) => BW | VEX;

    // Extracting and inserting parts of a register
    VEXTRACTI64X4 Mr "66.0F3A.W1 3B ib" part(32) => ONLY512;
    VINSERTI64X4 Rvm "66.0F3A.W1 3A ib" part(32) => ONLY512;
    VEXTRACTI32X4 Mr "66.0F3A.W0 39 ib" part(16) => ONLY512;
    VINSERTI32X4 Rvm "66.0F3A.W0 38 ib" part(16) => ONLY512;

    // Gathers and scatters: the last letters name index and element
    VPGATHERDD Gather "66.0F38.W0 90" part(4);
    VPGATHERQD Gather "66.0F38.W0 91" part(4) => NARROWS;
    VPGATHERQQ Gather "66.0F38.W1 91" part(8);
    VPSCATTERDD Scatter "66.0F38.W0 A0" part(4);
    VPSCATTERQD Scatter "66.0F38.W0 A1" part(4) => NARROWS;
    VPSCATTERQQ Scatter "66.0F38.W1 A1" part(8);

    // One element between memory and a register; a load zeroes the other elements
    VMOVD Rm "66.0F.W0 6E" part(4) => ONLY128 | MEMORY | UNMASKED | VEX;
    VMOVD_STORE Mr "66.0F.W0 7E" part(4) => ONLY128 | MEMORY | UNMASKED | VEX;
    VMOVQ Rm "F3.0F.W1 7E" part(8) => ONLY128 | MEMORY | UNMASKED | VEX;
    VMOVQ_STORE Mr "66.0F.W1 D6" part(8) => ONLY128 | MEMORY | UNMASKED | VEX;
    VPINSRB Rvm "66.0F3A.W0 20 ib" part(1) => BW | ONLY128 | MEMORY | UNMASKED | VEX;
    VPINSRW Rvm "66.0F.W0 C4 ib" part(2) => BW | ONLY128 | MEMORY | UNMASKED | VEX;
    VPINSRD Rvm "66.0F3A.W0 22 ib" part(4) => DQ | ONLY128 | MEMORY | UNMASKED | VEX;
    VPINSRQ Rvm "66.0F3A.W1 22 ib" part(8) => DQ | ONLY128 | MEMORY | UNMASKED | VEX_W;
    VPEXTRB Mr "66.0F3A.W0 14 ib" part(1) => BW | ONLY128 | MEMORY | UNMASKED | VEX;
    VPEXTRW Mr "66.0F3A.W0 15 ib" part(2) => BW | ONLY128 | MEMORY | UNMASKED | VEX;
    VPEXTRD Mr "66.0F3A.W0 16 ib" part(4) => DQ | ONLY128 | MEMORY | UNMASKED | VEX;
    VPEXTRQ Mr "66.0F3A.W1 16 ib" part(8) => DQ | ONLY128 | MEMORY | UNMASKED | VEX_W;

    // Only AVX2: other names of the same operations, and vectors as masks (a comparison gives all ones or zeros)
    VPAND Rvm "66.0F.W0 DB" whole() => ONLY_VEX;
    VPANDN Rvm "66.0F.W0 DF" whole() => ONLY_VEX;
    VPOR Rvm "66.0F.W0 EB" whole() => ONLY_VEX;
    VPXOR Rvm "66.0F.W0 EF" whole() => ONLY_VEX;
    VROUNDPS Rm "66.0F3A.W0 08 ib" whole() => ONLY_VEX;
    VROUNDPD Rm "66.0F3A.W0 09 ib" whole() => ONLY_VEX;
    VEXTRACTI128 Mr "66.0F3A.W0 39 ib" part(16) => ONLY_VEX | FROM256;
    VPERM2I128 Rvm "66.0F3A.W0 46 ib" whole() => ONLY_VEX | FROM256;
    VINSERTI128 Rvm "66.0F3A.W0 38 ib" part(16) => ONLY_VEX | FROM256;
    VCMPPS_VEX Rvm "NP.0F.W0 C2 ib" whole() => ONLY_VEX;
    VCMPPD_VEX Rvm "66.0F.W0 C2 ib" whole() => ONLY_VEX;
    VPCMPEQB_VEX Rvm "66.0F.W0 74" whole() => ONLY_VEX;
    VPCMPEQW_VEX Rvm "66.0F.W0 75" whole() => ONLY_VEX;
    VPCMPEQD_VEX Rvm "66.0F.W0 76" whole() => ONLY_VEX;
    VPCMPEQQ_VEX Rvm "66.0F38.W0 29" whole() => ONLY_VEX;
    VPCMPGTB_VEX Rvm "66.0F.W0 64" whole() => ONLY_VEX;
    VPCMPGTW_VEX Rvm "66.0F.W0 65" whole() => ONLY_VEX;
    VPCMPGTD_VEX Rvm "66.0F.W0 66" whole() => ONLY_VEX;
    VPCMPGTQ_VEX Rvm "66.0F38.W0 37" whole() => ONLY_VEX;
    VPBLENDVB Rvmr "66.0F3A.W0 4C ib" whole() => ONLY_VEX;
    VBLENDVPS Rvmr "66.0F3A.W0 4A ib" whole() => ONLY_VEX;
    VBLENDVPD Rvmr "66.0F3A.W0 4B ib" whole() => ONLY_VEX;
    VPBLENDD Rvm "66.0F3A.W0 02 ib" whole() => ONLY_VEX;

    // Masks to vectors and back
    VPMOVM2B FromMask "F3.0F38.W0 28" whole() => BW;
    VPMOVD2M ToMask "F3.0F38.W0 39" whole() => DQ;
    VPMOVQ2M ToMask "F3.0F38.W1 39" whole() => DQ;

    // Masks: Q holds 64 bits, W 16
    KANDQ Kkk "NP.0F.W1 41" whole() => BW;
    KANDNQ Kkk "NP.0F.W1 42" whole() => BW;
    KORQ Kkk "NP.0F.W1 45" whole() => BW;
    KXNORQ Kkk "NP.0F.W1 46" whole() => BW;
    KXORQ Kkk "NP.0F.W1 47" whole() => BW;
    KNOTQ Kk "NP.0F.W1 44" whole() => BW;
    KMOVQ Kk "NP.0F.W1 90" whole() => BW;

    // Tests of masks, whose result is in the flags register (`Assembler::mask_test`)
    KORTESTW KFlags "NP.0F.W0 98" whole();
    KORTESTQ KFlags "NP.0F.W1 98" whole() => BW;
}
