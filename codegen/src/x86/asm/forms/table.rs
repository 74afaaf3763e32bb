//! The rows of the instruction table: name, operands, encoding, what the `rm` operand reads or writes, flags.
//!
//! How they are read is said in the module above.

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

    // Fused multiply-add: 132 is d*b+a, 213 is a*d+b, 231 is a*b+d
    VFMADDSUB132PS Rvm "66.0F38.W0 96" full(4);
    VFMADDSUB132PD Rvm "66.0F38.W1 96" full(8);
    VFMADDSUB213PS Rvm "66.0F38.W0 A6" full(4);
    VFMADDSUB213PD Rvm "66.0F38.W1 A6" full(8);
    VFMADDSUB231PS Rvm "66.0F38.W0 B6" full(4);
    VFMADDSUB231PD Rvm "66.0F38.W1 B6" full(8);
    VFMSUBADD132PS Rvm "66.0F38.W0 97" full(4);
    VFMSUBADD132PD Rvm "66.0F38.W1 97" full(8);
    VFMSUBADD213PS Rvm "66.0F38.W0 A7" full(4);
    VFMSUBADD213PD Rvm "66.0F38.W1 A7" full(8);
    VFMSUBADD231PS Rvm "66.0F38.W0 B7" full(4);
    VFMSUBADD231PD Rvm "66.0F38.W1 B7" full(8);
    VFMADD132PS Rvm "66.0F38.W0 98" full(4);
    VFMADD132PD Rvm "66.0F38.W1 98" full(8);
    VFMADD213PS Rvm "66.0F38.W0 A8" full(4) => VEX;
    VFMADD213PD Rvm "66.0F38.W1 A8" full(8) => VEX_W;
    VFMADD231PS Rvm "66.0F38.W0 B8" full(4) => VEX;
    VFMADD231PD Rvm "66.0F38.W1 B8" full(8) => VEX_W;
    VFMSUB132PS Rvm "66.0F38.W0 9A" full(4);
    VFMSUB132PD Rvm "66.0F38.W1 9A" full(8);
    VFMSUB213PS Rvm "66.0F38.W0 AA" full(4) => VEX;
    VFMSUB213PD Rvm "66.0F38.W1 AA" full(8) => VEX_W;
    VFMSUB231PS Rvm "66.0F38.W0 BA" full(4) => VEX;
    VFMSUB231PD Rvm "66.0F38.W1 BA" full(8) => VEX_W;
    VFNMADD132PS Rvm "66.0F38.W0 9C" full(4);
    VFNMADD132PD Rvm "66.0F38.W1 9C" full(8);
    VFNMADD213PS Rvm "66.0F38.W0 AC" full(4) => VEX;
    VFNMADD213PD Rvm "66.0F38.W1 AC" full(8) => VEX_W;
    VFNMADD231PS Rvm "66.0F38.W0 BC" full(4) => VEX;
    VFNMADD231PD Rvm "66.0F38.W1 BC" full(8) => VEX_W;
    VFNMSUB132PS Rvm "66.0F38.W0 9E" full(4);
    VFNMSUB132PD Rvm "66.0F38.W1 9E" full(8);
    VFNMSUB213PS Rvm "66.0F38.W0 AE" full(4) => VEX;
    VFNMSUB213PD Rvm "66.0F38.W1 AE" full(8) => VEX_W;
    VFNMSUB231PS Rvm "66.0F38.W0 BE" full(4) => VEX;
    VFNMSUB231PD Rvm "66.0F38.W1 BE" full(8) => VEX_W;

    // The lowest element alone
    VADDSS Rvm "F3.0F.W0 58" part(4) => ONLY128;
    VADDSD Rvm "F2.0F.W1 58" part(8) => ONLY128;
    VMULSS Rvm "F3.0F.W0 59" part(4) => ONLY128;
    VMULSD Rvm "F2.0F.W1 59" part(8) => ONLY128;
    VSUBSS Rvm "F3.0F.W0 5C" part(4) => ONLY128;
    VSUBSD Rvm "F2.0F.W1 5C" part(8) => ONLY128;
    VMINSS Rvm "F3.0F.W0 5D" part(4) => ONLY128;
    VMINSD Rvm "F2.0F.W1 5D" part(8) => ONLY128;
    VDIVSS Rvm "F3.0F.W0 5E" part(4) => ONLY128;
    VDIVSD Rvm "F2.0F.W1 5E" part(8) => ONLY128;
    VMAXSS Rvm "F3.0F.W0 5F" part(4) => ONLY128;
    VMAXSD Rvm "F2.0F.W1 5F" part(8) => ONLY128;
    VSQRTSS Rvm "F3.0F.W0 51" part(4) => ONLY128;
    VSQRTSD Rvm "F2.0F.W1 51" part(8) => ONLY128;
    VFMADD132SS Rvm "66.0F38.W0 99" part(4) => ONLY128;
    VFMADD132SD Rvm "66.0F38.W1 99" part(8) => ONLY128;
    VFMADD213SS Rvm "66.0F38.W0 A9" part(4) => ONLY128;
    VFMADD213SD Rvm "66.0F38.W1 A9" part(8) => ONLY128;
    VFMADD231SS Rvm "66.0F38.W0 B9" part(4) => ONLY128;
    VFMADD231SD Rvm "66.0F38.W1 B9" part(8) => ONLY128;
    VFMSUB132SS Rvm "66.0F38.W0 9B" part(4) => ONLY128;
    VFMSUB132SD Rvm "66.0F38.W1 9B" part(8) => ONLY128;
    VFMSUB213SS Rvm "66.0F38.W0 AB" part(4) => ONLY128;
    VFMSUB213SD Rvm "66.0F38.W1 AB" part(8) => ONLY128;
    VFMSUB231SS Rvm "66.0F38.W0 BB" part(4) => ONLY128;
    VFMSUB231SD Rvm "66.0F38.W1 BB" part(8) => ONLY128;
    VFNMADD132SS Rvm "66.0F38.W0 9D" part(4) => ONLY128;
    VFNMADD132SD Rvm "66.0F38.W1 9D" part(8) => ONLY128;
    VFNMADD213SS Rvm "66.0F38.W0 AD" part(4) => ONLY128;
    VFNMADD213SD Rvm "66.0F38.W1 AD" part(8) => ONLY128;
    VFNMADD231SS Rvm "66.0F38.W0 BD" part(4) => ONLY128;
    VFNMADD231SD Rvm "66.0F38.W1 BD" part(8) => ONLY128;
    VFNMSUB132SS Rvm "66.0F38.W0 9F" part(4) => ONLY128;
    VFNMSUB132SD Rvm "66.0F38.W1 9F" part(8) => ONLY128;
    VFNMSUB213SS Rvm "66.0F38.W0 AF" part(4) => ONLY128;
    VFNMSUB213SD Rvm "66.0F38.W1 AF" part(8) => ONLY128;
    VFNMSUB231SS Rvm "66.0F38.W0 BF" part(4) => ONLY128;
    VFNMSUB231SD Rvm "66.0F38.W1 BF" part(8) => ONLY128;
    VCVTSS2SD Rvm "F3.0F.W0 5A" part(4) => ONLY128;
    VCVTSD2SS Rvm "F2.0F.W1 5A" part(8) => ONLY128;
    VRNDSCALESS Rvm "66.0F3A.W0 0A ib" part(4) => ONLY128;
    VRNDSCALESD Rvm "66.0F3A.W1 0B ib" part(8) => ONLY128;
    VMOVSS Rm "F3.0F.W0 10" part(4) => ONLY128 | MEMORY;
    VMOVSD Rm "F2.0F.W1 10" part(8) => ONLY128 | MEMORY;
    VMOVSS_STORE Mr "F3.0F.W0 11" part(4) => ONLY128 | MEMORY;
    VMOVSD_STORE Mr "F2.0F.W1 11" part(8) => ONLY128 | MEMORY;
    VUCOMISS Rm "NP.0F.W0 2E" part(4) => ONLY128 | UNMASKED;
    VUCOMISD Rm "66.0F.W1 2E" part(8) => ONLY128 | UNMASKED;

    // Floating-point numbers taken apart
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
    VRCP14PS Rm "66.0F38.W0 4C" full(4);
    VRCP14PD Rm "66.0F38.W1 4C" full(8);
    VRSQRT14PS Rm "66.0F38.W0 4E" full(4);
    VRSQRT14PD Rm "66.0F38.W1 4E" full(8);

    // Bitwise logic
    VANDPS Rvm "NP.0F.W0 54" full(4) => DQ;
    VANDPD Rvm "66.0F.W1 54" full(8) => DQ;
    VANDNPS Rvm "NP.0F.W0 55" full(4) => DQ;
    VANDNPD Rvm "66.0F.W1 55" full(8) => DQ;
    VORPS Rvm "NP.0F.W0 56" full(4) => DQ;
    VORPD Rvm "66.0F.W1 56" full(8) => DQ;
    VXORPS Rvm "NP.0F.W0 57" full(4) => DQ;
    VXORPD Rvm "66.0F.W1 57" full(8) => DQ;
    VPANDD Rvm "66.0F.W0 DB" full(4);
    VPANDQ Rvm "66.0F.W1 DB" full(8);
    VPANDND Rvm "66.0F.W0 DF" full(4);
    VPANDNQ Rvm "66.0F.W1 DF" full(8);
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
    VPADDSB Rvm "66.0F.W0 EC" whole() => BW;
    VPADDSW Rvm "66.0F.W0 ED" whole() => BW;
    VPADDUSB Rvm "66.0F.W0 DC" whole() => BW;
    VPADDUSW Rvm "66.0F.W0 DD" whole() => BW;
    VPSUBSB Rvm "66.0F.W0 E8" whole() => BW;
    VPSUBSW Rvm "66.0F.W0 E9" whole() => BW;
    VPSUBUSB Rvm "66.0F.W0 D8" whole() => BW;
    VPSUBUSW Rvm "66.0F.W0 D9" whole() => BW;
    VPAVGB Rvm "66.0F.W0 E0" whole() => BW;
    VPAVGW Rvm "66.0F.W0 E3" whole() => BW;
    VPMULLW Rvm "66.0F.W0 D5" whole() => BW | VEX;
    VPMULLD Rvm "66.0F38.W0 40" full(4) => VEX;
    VPMULLQ Rvm "66.0F38.W1 40" full(8) => DQ;
    VPMULHW Rvm "66.0F.W0 E5" whole() => BW;
    VPMULHUW Rvm "66.0F.W0 E4" whole() => BW;
    VPMULDQ Rvm "66.0F38.W1 28" full(8);
    VPMULUDQ Rvm "66.0F.W1 F4" full(8) => VEX;
    VPMADDWD Rvm "66.0F.W0 F5" whole() => BW;
    VPMADDUBSW Rvm "66.0F38.W0 04" whole() => BW;
    VPSADBW Rvm "66.0F.W0 F6" whole() => BW | UNMASKED;
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
    VPOPCNTB Rm "66.0F38.W0 54" whole() => BITALG;
    VPOPCNTW Rm "66.0F38.W1 54" whole() => BITALG;
    VPOPCNTD Rm "66.0F38.W0 55" full(4) => VPOPCNTDQ;
    VPOPCNTQ Rm "66.0F38.W1 55" full(8) => VPOPCNTDQ;
    VPLZCNTD Rm "66.0F38.W0 44" full(4) => CD;
    VPLZCNTQ Rm "66.0F38.W1 44" full(8) => CD;

    // Shifts and rotates by an immediate
    VPSRLW_IMM Vm "66.0F.W0 71 /2 ib" whole() => BW | VEX;
    VPSRAW_IMM Vm "66.0F.W0 71 /4 ib" whole() => BW | VEX;
    VPSLLW_IMM Vm "66.0F.W0 71 /6 ib" whole() => BW | VEX;
    VPSRLD_IMM Vm "66.0F.W0 72 /2 ib" full(4) => VEX;
    VPSRLQ_IMM Vm "66.0F.W1 73 /2 ib" full(8) => VEX;
    VPSRAD_IMM Vm "66.0F.W0 72 /4 ib" full(4) => VEX;
    VPSRAQ_IMM Vm "66.0F.W1 72 /4 ib" full(8);
    VPSLLD_IMM Vm "66.0F.W0 72 /6 ib" full(4) => VEX;
    VPSLLQ_IMM Vm "66.0F.W1 73 /6 ib" full(8) => VEX;
    VPSRLDQ Vm "66.0F.W0 73 /3 ib" whole() => BW | UNMASKED;
    VPSLLDQ Vm "66.0F.W0 73 /7 ib" whole() => BW | UNMASKED;
    VPRORD_IMM Vm "66.0F.W0 72 /0 ib" full(4);
    VPRORQ_IMM Vm "66.0F.W1 72 /0 ib" full(8);
    VPROLD_IMM Vm "66.0F.W0 72 /1 ib" full(4);
    VPROLQ_IMM Vm "66.0F.W1 72 /1 ib" full(8);

    // Shifts by the lowest quadword of a register
    VPSRLW Rvm "66.0F.W0 D1" part(16) => BW;
    VPSRLD Rvm "66.0F.W0 D2" part(16);
    VPSRLQ Rvm "66.0F.W1 D3" part(16);
    VPSRAW Rvm "66.0F.W0 E1" part(16) => BW;
    VPSRAD Rvm "66.0F.W0 E2" part(16);
    VPSRAQ Rvm "66.0F.W1 E2" part(16);
    VPSLLW Rvm "66.0F.W0 F1" part(16) => BW;
    VPSLLD Rvm "66.0F.W0 F2" part(16);
    VPSLLQ Rvm "66.0F.W1 F3" part(16);

    // Shifts and rotates element by element
    VPSRLVW Rvm "66.0F38.W1 10" whole() => BW;
    VPSRLVD Rvm "66.0F38.W0 45" full(4) => VEX;
    VPSRLVQ Rvm "66.0F38.W1 45" full(8) => VEX_W;
    VPSRAVW Rvm "66.0F38.W1 11" whole() => BW;
    VPSRAVD Rvm "66.0F38.W0 46" full(4) => VEX;
    VPSRAVQ Rvm "66.0F38.W1 46" full(8);
    VPSLLVW Rvm "66.0F38.W1 12" whole() => BW;
    VPSLLVD Rvm "66.0F38.W0 47" full(4) => VEX;
    VPSLLVQ Rvm "66.0F38.W1 47" full(8) => VEX_W;
    VPRORVD Rvm "66.0F38.W0 14" full(4);
    VPRORVQ Rvm "66.0F38.W1 14" full(8);
    VPROLVD Rvm "66.0F38.W0 15" full(4);
    VPROLVQ Rvm "66.0F38.W1 15" full(8);

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
    VPCMPEQB Kvm "66.0F.W0 74" whole() => BW;
    VPCMPEQW Kvm "66.0F.W0 75" whole() => BW;
    VPCMPEQD Kvm "66.0F.W0 76" full(4);
    VPCMPEQQ Kvm "66.0F38.W1 29" full(8);
    VPCMPGTB Kvm "66.0F.W0 64" whole() => BW;
    VPCMPGTW Kvm "66.0F.W0 65" whole() => BW;
    VPCMPGTD Kvm "66.0F.W0 66" full(4);
    VPCMPGTQ Kvm "66.0F38.W1 37" full(8);
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
    VBLENDMPS Rvm "66.0F38.W0 65" full(4);
    VBLENDMPD Rvm "66.0F38.W1 65" full(8);

    // Conversions between floating-point types
    VCVTPS2PD Rm "NP.0F.W0 5A" half(4) => VEX;
    VCVTPD2PS Rm "66.0F.W1 5A" full(8) => NARROWS | VEX;
    VCVTPH2PS Rm "66.0F38.W0 13" fraction(2) => VEX;
    VCVTPS2PH Mr "66.0F3A.W0 1D ib" fraction(2) => VEX;

    // Conversions between floating point and 32-bit integers
    VCVTDQ2PS Rm "NP.0F.W0 5B" full(4) => VEX;
    VCVTUDQ2PS Rm "F2.0F.W0 7A" full(4);
    VCVTPS2DQ Rm "66.0F.W0 5B" full(4);
    VCVTTPS2DQ Rm "F3.0F.W0 5B" full(4) => VEX;
    VCVTPS2UDQ Rm "NP.0F.W0 79" full(4);
    VCVTTPS2UDQ Rm "NP.0F.W0 78" full(4);
    VCVTDQ2PD Rm "F3.0F.W0 E6" half(4) => VEX;
    VCVTUDQ2PD Rm "F3.0F.W0 7A" half(4);
    VCVTPD2DQ Rm "F2.0F.W1 E6" full(8) => NARROWS;
    VCVTTPD2DQ Rm "66.0F.W1 E6" full(8) => NARROWS | VEX;
    VCVTPD2UDQ Rm "NP.0F.W1 79" full(8) => NARROWS;
    VCVTTPD2UDQ Rm "NP.0F.W1 78" full(8) => NARROWS;

    // Conversions between floating point and 64-bit integers
    VCVTQQ2PS Rm "NP.0F.W1 5B" full(8) => DQ | NARROWS;
    VCVTUQQ2PS Rm "F2.0F.W1 7A" full(8) => DQ | NARROWS;
    VCVTPS2QQ Rm "66.0F.W0 7B" half(4) => DQ;
    VCVTTPS2QQ Rm "66.0F.W0 7A" half(4) => DQ;
    VCVTPS2UQQ Rm "66.0F.W0 79" half(4) => DQ;
    VCVTTPS2UQQ Rm "66.0F.W0 78" half(4) => DQ;
    VCVTQQ2PD Rm "F3.0F.W1 E6" full(8) => DQ;
    VCVTUQQ2PD Rm "F3.0F.W1 7A" full(8) => DQ;
    VCVTPD2QQ Rm "66.0F.W1 7B" full(8) => DQ;
    VCVTTPD2QQ Rm "66.0F.W1 7A" full(8) => DQ;
    VCVTPD2UQQ Rm "66.0F.W1 79" full(8) => DQ;
    VCVTTPD2UQQ Rm "66.0F.W1 78" full(8) => DQ;

    // Integers made wider
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

    // Integers made narrower: cut off, saturated as signed, saturated as unsigned
    VPMOVWB Mr "F3.0F38.W0 30" fraction(2) => BW;
    VPMOVSWB Mr "F3.0F38.W0 20" fraction(2) => BW;
    VPMOVUSWB Mr "F3.0F38.W0 10" fraction(2) => BW;
    VPMOVDB Mr "F3.0F38.W0 31" fraction(4);
    VPMOVSDB Mr "F3.0F38.W0 21" fraction(4);
    VPMOVUSDB Mr "F3.0F38.W0 11" fraction(4);
    VPMOVQB Mr "F3.0F38.W0 32" fraction(8);
    VPMOVSQB Mr "F3.0F38.W0 22" fraction(8);
    VPMOVUSQB Mr "F3.0F38.W0 12" fraction(8);
    VPMOVDW Mr "F3.0F38.W0 33" fraction(2);
    VPMOVSDW Mr "F3.0F38.W0 23" fraction(2);
    VPMOVUSDW Mr "F3.0F38.W0 13" fraction(2);
    VPMOVQW Mr "F3.0F38.W0 34" fraction(4);
    VPMOVSQW Mr "F3.0F38.W0 24" fraction(4);
    VPMOVUSQW Mr "F3.0F38.W0 14" fraction(4);
    VPMOVQD Mr "F3.0F38.W0 35" fraction(2);
    VPMOVSQD Mr "F3.0F38.W0 25" fraction(2);
    VPMOVUSQD Mr "F3.0F38.W0 15" fraction(2);

    // Moves
    VMOVUPS Rm "NP.0F.W0 10" whole() => VEX;
    VMOVUPS_STORE Mr "NP.0F.W0 11" whole() => VEX;
    VMOVUPD Rm "66.0F.W1 10" whole();
    VMOVUPD_STORE Mr "66.0F.W1 11" whole();
    VMOVAPS Rm "NP.0F.W0 28" whole();
    VMOVAPS_STORE Mr "NP.0F.W0 29" whole();
    VMOVAPD Rm "66.0F.W1 28" whole();
    VMOVAPD_STORE Mr "66.0F.W1 29" whole();
    VMOVDQU8 Rm "F2.0F.W0 6F" whole() => BW;
    VMOVDQU8_STORE Mr "F2.0F.W0 7F" whole() => BW;
    VMOVDQU16 Rm "F2.0F.W1 6F" whole() => BW;
    VMOVDQU16_STORE Mr "F2.0F.W1 7F" whole() => BW;
    VMOVDQU32 Rm "F3.0F.W0 6F" whole();
    VMOVDQU32_STORE Mr "F3.0F.W0 7F" whole();
    VMOVDQU64 Rm "F3.0F.W1 6F" whole();
    VMOVDQU64_STORE Mr "F3.0F.W1 7F" whole();
    VMOVDQA32 Rm "66.0F.W0 6F" whole();
    VMOVDQA32_STORE Mr "66.0F.W0 7F" whole();
    VMOVDQA64 Rm "66.0F.W1 6F" whole();
    VMOVDQA64_STORE Mr "66.0F.W1 7F" whole();
    VMOVNTPS Mr "NP.0F.W0 2B" whole() => MEMORY | UNMASKED;
    VMOVNTPD Mr "66.0F.W1 2B" whole() => MEMORY | UNMASKED;
    VMOVNTDQ Mr "66.0F.W0 E7" whole() => MEMORY | UNMASKED | VEX;
    VMOVNTDQA Rm "66.0F38.W0 2A" whole() => MEMORY | UNMASKED;
    VMOVDDUP Rm "F2.0F.W1 12" duplicate();
    VMOVSLDUP Rm "F3.0F.W0 12" whole();
    VMOVSHDUP Rm "F3.0F.W0 16" whole();

    // Broadcasts from memory or from the lowest elements of a register
    VPBROADCASTB Rm "66.0F38.W0 78" part(1) => BW | VEX;
    VPBROADCASTW Rm "66.0F38.W0 79" part(2) => BW | VEX;
    VPBROADCASTD Rm "66.0F38.W0 58" part(4) => VEX;
    VPBROADCASTQ Rm "66.0F38.W1 59" part(8) => VEX;
    VBROADCASTSS Rm "66.0F38.W0 18" part(4);
    VBROADCASTSD Rm "66.0F38.W1 19" part(8) => FROM256;
    VBROADCASTF32X2 Rm "66.0F38.W0 19" part(8) => DQ | FROM256;
    VBROADCASTI32X2 Rm "66.0F38.W0 59" part(8) => DQ;
    VBROADCASTF32X4 Rm "66.0F38.W0 1A" part(16) => FROM256 | MEMORY;
    VBROADCASTI32X4 Rm "66.0F38.W0 5A" part(16) => FROM256 | MEMORY;
    VBROADCASTF64X2 Rm "66.0F38.W1 1A" part(16) => DQ | FROM256 | MEMORY;
    VBROADCASTI64X2 Rm "66.0F38.W1 5A" part(16) => DQ | FROM256 | MEMORY;
    VBROADCASTF32X8 Rm "66.0F38.W0 1B" part(32) => DQ | ONLY512 | MEMORY;
    VBROADCASTI32X8 Rm "66.0F38.W0 5B" part(32) => DQ | ONLY512 | MEMORY;
    VBROADCASTF64X4 Rm "66.0F38.W1 1B" part(32) => ONLY512 | MEMORY;
    VBROADCASTI64X4 Rm "66.0F38.W1 5B" part(32) => ONLY512 | MEMORY;

    // Broadcasts from a general register (`Assembler::broadcast_gpr`)
    VPBROADCASTB_GPR FromGpr "66.0F38.W0 7A" whole() => BW;
    VPBROADCASTW_GPR FromGpr "66.0F38.W0 7B" whole() => BW;
    VPBROADCASTD_GPR FromGpr "66.0F38.W0 7C" whole();
    VPBROADCASTQ_GPR FromGpr "66.0F38.W1 7C" whole();

    // Permutations
    VPERMB Rvm "66.0F38.W0 8D" whole() => VBMI;
    VPERMW Rvm "66.0F38.W1 8D" whole() => BW;
    VPERMD Rvm "66.0F38.W0 36" full(4) => FROM256;
    VPERMQ Rvm "66.0F38.W1 36" full(8) => FROM256;
    VPERMPS Rvm "66.0F38.W0 16" full(4) => FROM256 | VEX;
    VPERMPD Rvm "66.0F38.W1 16" full(8) => FROM256;
    VPERMQ_IMM Rm "66.0F3A.W1 00 ib" full(8) => FROM256 | VEX_W;
    VPERMPD_IMM Rm "66.0F3A.W1 01 ib" full(8) => FROM256;
    VPERMI2B Rvm "66.0F38.W0 75" whole() => VBMI;
    VPERMI2W Rvm "66.0F38.W1 75" whole() => BW;
    VPERMI2D Rvm "66.0F38.W0 76" full(4);
    VPERMI2Q Rvm "66.0F38.W1 76" full(8);
    VPERMI2PS Rvm "66.0F38.W0 77" full(4);
    VPERMI2PD Rvm "66.0F38.W1 77" full(8);
    VPERMT2B Rvm "66.0F38.W0 7D" whole() => VBMI;
    VPERMT2W Rvm "66.0F38.W1 7D" whole() => BW;
    VPERMT2D Rvm "66.0F38.W0 7E" full(4);
    VPERMT2Q Rvm "66.0F38.W1 7E" full(8);
    VPERMT2PS Rvm "66.0F38.W0 7F" full(4);
    VPERMT2PD Rvm "66.0F38.W1 7F" full(8);
    VPERMILPS Rvm "66.0F38.W0 0C" full(4);
    VPERMILPD Rvm "66.0F38.W1 0D" full(8);
    VPERMILPS_IMM Rm "66.0F3A.W0 04 ib" full(4);
    VPERMILPD_IMM Rm "66.0F3A.W1 05 ib" full(8);
    VPSHUFB Rvm "66.0F38.W0 00" whole() => BW | VEX;
    VPSHUFD Rm "66.0F.W0 70 ib" full(4) => VEX;
    VPSHUFHW Rm "F3.0F.W0 70 ib" whole() => BW;
    VPSHUFLW Rm "F2.0F.W0 70 ib" whole() => BW;
    VSHUFPS Rvm "NP.0F.W0 C6 ib" full(4) => VEX;
    VSHUFPD Rvm "66.0F.W1 C6 ib" full(8);
    VSHUFF32X4 Rvm "66.0F3A.W0 23 ib" full(4) => FROM256;
    VSHUFF64X2 Rvm "66.0F3A.W1 23 ib" full(8) => FROM256;
    VSHUFI32X4 Rvm "66.0F3A.W0 43 ib" full(4) => FROM256;
    VSHUFI64X2 Rvm "66.0F3A.W1 43 ib" full(8) => FROM256;
    VALIGND Rvm "66.0F3A.W0 03 ib" full(4);
    VALIGNQ Rvm "66.0F3A.W1 03 ib" full(8);
    VPALIGNR Rvm "66.0F3A.W0 0F ib" whole() => BW;
    VUNPCKLPS Rvm "NP.0F.W0 14" full(4);
    VUNPCKLPD Rvm "66.0F.W1 14" full(8);
    VUNPCKHPS Rvm "NP.0F.W0 15" full(4);
    VUNPCKHPD Rvm "66.0F.W1 15" full(8);
    VPUNPCKLBW Rvm "66.0F.W0 60" whole() => BW;
    VPUNPCKLWD Rvm "66.0F.W0 61" whole() => BW;
    VPUNPCKLDQ Rvm "66.0F.W0 62" full(4) => VEX;
    VPUNPCKLQDQ Rvm "66.0F.W1 6C" full(8) => VEX;
    VPUNPCKHBW Rvm "66.0F.W0 68" whole() => BW;
    VPUNPCKHWD Rvm "66.0F.W0 69" whole() => BW;
    VPUNPCKHDQ Rvm "66.0F.W0 6A" full(4) => VEX;
    VPUNPCKHQDQ Rvm "66.0F.W1 6D" full(8) => VEX;
    VPACKSSWB Rvm "66.0F.W0 63" whole() => BW | VEX;
    VPACKUSWB Rvm "66.0F.W0 67" whole() => BW | VEX;
    VPACKSSDW Rvm "66.0F.W0 6B" full(4) => BW | VEX;
    VPACKUSDW Rvm "66.0F38.W0 2B" full(4) => BW | VEX;

    // Parts of a register taken out and put in
    VEXTRACTF32X4 Mr "66.0F3A.W0 19 ib" part(16) => FROM256;
    VEXTRACTI32X4 Mr "66.0F3A.W0 39 ib" part(16) => FROM256;
    VEXTRACTF64X2 Mr "66.0F3A.W1 19 ib" part(16) => DQ | FROM256;
    VEXTRACTI64X2 Mr "66.0F3A.W1 39 ib" part(16) => DQ | FROM256;
    VEXTRACTF32X8 Mr "66.0F3A.W0 1B ib" part(32) => DQ | ONLY512;
    VEXTRACTI32X8 Mr "66.0F3A.W0 3B ib" part(32) => DQ | ONLY512;
    VEXTRACTF64X4 Mr "66.0F3A.W1 1B ib" part(32) => ONLY512;
    VEXTRACTI64X4 Mr "66.0F3A.W1 3B ib" part(32) => ONLY512;
    VINSERTF32X4 Rvm "66.0F3A.W0 18 ib" part(16) => FROM256;
    VINSERTI32X4 Rvm "66.0F3A.W0 38 ib" part(16) => FROM256;
    VINSERTF64X2 Rvm "66.0F3A.W1 18 ib" part(16) => DQ | FROM256;
    VINSERTI64X2 Rvm "66.0F3A.W1 38 ib" part(16) => DQ | FROM256;
    VINSERTF32X8 Rvm "66.0F3A.W0 1A ib" part(32) => DQ | ONLY512;
    VINSERTI32X8 Rvm "66.0F3A.W0 3A ib" part(32) => DQ | ONLY512;
    VINSERTF64X4 Rvm "66.0F3A.W1 1A ib" part(32) => ONLY512;
    VINSERTI64X4 Rvm "66.0F3A.W1 3A ib" part(32) => ONLY512;

    // Selected elements packed and unpacked
    VPCOMPRESSB Mr "66.0F38.W0 63" element(1) => VBMI2;
    VPEXPANDB Rm "66.0F38.W0 62" element(1) => VBMI2;
    VPCOMPRESSW Mr "66.0F38.W1 63" element(2) => VBMI2;
    VPEXPANDW Rm "66.0F38.W1 62" element(2) => VBMI2;
    VPCOMPRESSD Mr "66.0F38.W0 8B" element(4);
    VPEXPANDD Rm "66.0F38.W0 89" element(4);
    VPCOMPRESSQ Mr "66.0F38.W1 8B" element(8);
    VPEXPANDQ Rm "66.0F38.W1 89" element(8);
    VCOMPRESSPS Mr "66.0F38.W0 8A" element(4);
    VEXPANDPS Rm "66.0F38.W0 88" element(4);
    VCOMPRESSPD Mr "66.0F38.W1 8A" element(8);
    VEXPANDPD Rm "66.0F38.W1 88" element(8);

    // Gathers and scatters: the last letters name index and element
    VGATHERDPS Gather "66.0F38.W0 92" part(4);
    VGATHERDPD Gather "66.0F38.W1 92" part(8) => HALF_INDEX;
    VGATHERQPS Gather "66.0F38.W0 93" part(4) => NARROWS;
    VGATHERQPD Gather "66.0F38.W1 93" part(8);
    VPGATHERDD Gather "66.0F38.W0 90" part(4);
    VPGATHERDQ Gather "66.0F38.W1 90" part(8) => HALF_INDEX;
    VPGATHERQD Gather "66.0F38.W0 91" part(4) => NARROWS;
    VPGATHERQQ Gather "66.0F38.W1 91" part(8);
    VSCATTERDPS Scatter "66.0F38.W0 A2" part(4);
    VSCATTERDPD Scatter "66.0F38.W1 A2" part(8) => HALF_INDEX;
    VSCATTERQPS Scatter "66.0F38.W0 A3" part(4) => NARROWS;
    VSCATTERQPD Scatter "66.0F38.W1 A3" part(8);
    VPSCATTERDD Scatter "66.0F38.W0 A0" part(4);
    VPSCATTERDQ Scatter "66.0F38.W1 A0" part(8) => HALF_INDEX;
    VPSCATTERQD Scatter "66.0F38.W0 A1" part(4) => NARROWS;
    VPSCATTERQQ Scatter "66.0F38.W1 A1" part(8);

    // One element between memory and a register, whose others become zero where it is loaded
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

    // What AVX2 has under other names, or with a vector for a mask: comparisons give all ones or zeros
    VPAND Rvm "66.0F.W0 DB" whole() => ONLY_VEX;
    VPANDN Rvm "66.0F.W0 DF" whole() => ONLY_VEX;
    VPOR Rvm "66.0F.W0 EB" whole() => ONLY_VEX;
    VPXOR Rvm "66.0F.W0 EF" whole() => ONLY_VEX;
    VROUNDPS Rm "66.0F3A.W0 08 ib" whole() => ONLY_VEX;
    VROUNDPD Rm "66.0F3A.W0 09 ib" whole() => ONLY_VEX;
    VMOVDQU Rm "F3.0F.W0 6F" whole() => ONLY_VEX;
    VMOVDQU_STORE Mr "F3.0F.W0 7F" whole() => ONLY_VEX;
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
    VPMOVB2M ToMask "F3.0F38.W0 29" whole() => BW;
    VPMOVM2W FromMask "F3.0F38.W1 28" whole() => BW;
    VPMOVW2M ToMask "F3.0F38.W1 29" whole() => BW;
    VPMOVM2D FromMask "F3.0F38.W0 38" whole() => DQ;
    VPMOVD2M ToMask "F3.0F38.W0 39" whole() => DQ;
    VPMOVM2Q FromMask "F3.0F38.W1 38" whole() => DQ;
    VPMOVQ2M ToMask "F3.0F38.W1 39" whole() => DQ;

    // Masks: W holds 16 bits, B 8, D 32, Q 64
    KANDB Kkk "66.0F.W0 41" whole() => DQ;
    KANDW Kkk "NP.0F.W0 41" whole();
    KANDD Kkk "66.0F.W1 41" whole() => BW;
    KANDQ Kkk "NP.0F.W1 41" whole() => BW;
    KANDNB Kkk "66.0F.W0 42" whole() => DQ;
    KANDNW Kkk "NP.0F.W0 42" whole();
    KANDND Kkk "66.0F.W1 42" whole() => BW;
    KANDNQ Kkk "NP.0F.W1 42" whole() => BW;
    KORB Kkk "66.0F.W0 45" whole() => DQ;
    KORW Kkk "NP.0F.W0 45" whole();
    KORD Kkk "66.0F.W1 45" whole() => BW;
    KORQ Kkk "NP.0F.W1 45" whole() => BW;
    KXNORB Kkk "66.0F.W0 46" whole() => DQ;
    KXNORW Kkk "NP.0F.W0 46" whole();
    KXNORD Kkk "66.0F.W1 46" whole() => BW;
    KXNORQ Kkk "NP.0F.W1 46" whole() => BW;
    KXORB Kkk "66.0F.W0 47" whole() => DQ;
    KXORW Kkk "NP.0F.W0 47" whole();
    KXORD Kkk "66.0F.W1 47" whole() => BW;
    KXORQ Kkk "NP.0F.W1 47" whole() => BW;
    KUNPCKBW Kkk "66.0F.W0 4B" whole();
    KUNPCKWD Kkk "NP.0F.W0 4B" whole() => BW;
    KUNPCKDQ Kkk "NP.0F.W1 4B" whole() => BW;
    KADDB Kkk "66.0F.W0 4A" whole() => DQ;
    KADDW Kkk "NP.0F.W0 4A" whole() => DQ;
    KADDD Kkk "66.0F.W1 4A" whole() => BW;
    KADDQ Kkk "NP.0F.W1 4A" whole() => BW;
    KNOTB Kk "66.0F.W0 44" whole() => DQ;
    KNOTW Kk "NP.0F.W0 44" whole();
    KNOTD Kk "66.0F.W1 44" whole() => BW;
    KNOTQ Kk "NP.0F.W1 44" whole() => BW;
    KMOVB Kk "66.0F.W0 90" whole() => DQ;
    KMOVW Kk "NP.0F.W0 90" whole();
    KMOVD Kk "66.0F.W1 90" whole() => BW;
    KMOVQ Kk "NP.0F.W1 90" whole() => BW;

    // Masks compared with the flags as result (`Assembler::mask_test`), and shifted (`Assembler::mask_shift`)
    KORTESTB KFlags "66.0F.W0 98" whole() => DQ;
    KORTESTW KFlags "NP.0F.W0 98" whole();
    KORTESTD KFlags "66.0F.W1 98" whole() => BW;
    KORTESTQ KFlags "NP.0F.W1 98" whole() => BW;
    KTESTB KFlags "66.0F.W0 99" whole() => DQ;
    KTESTW KFlags "NP.0F.W0 99" whole() => DQ;
    KTESTD KFlags "66.0F.W1 99" whole() => BW;
    KTESTQ KFlags "NP.0F.W1 99" whole() => BW;
    KSHIFTRB KShift "66.0F3A.W0 30 ib" whole() => DQ;
    KSHIFTRW KShift "66.0F3A.W1 30 ib" whole();
    KSHIFTRD KShift "66.0F3A.W0 31 ib" whole() => BW;
    KSHIFTRQ KShift "66.0F3A.W1 31 ib" whole() => BW;
    KSHIFTLB KShift "66.0F3A.W0 32 ib" whole() => DQ;
    KSHIFTLW KShift "66.0F3A.W1 32 ib" whole();
    KSHIFTLD KShift "66.0F3A.W0 33 ib" whole() => BW;
    KSHIFTLQ KShift "66.0F3A.W1 33 ib" whole() => BW;
}
