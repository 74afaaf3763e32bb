x86, Avx512
dense: 678 bytes
    kxnorq k7, k7, k7
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    xor rax, rax
    mov r11d, 0xFF
    kmovq k1, r11
    cmp rsi, 8
    jae L2
L0:
    test rsi, rsi
    je L1
    mov r11, 0xFFFFFFFFFFFFFFFF
    bzhi r11, r11, rsi
    kmovq k1, r11
    vmovups zmm1, [rdi+0x140]
    kmovq k2, k1
    vpxord zmm0, zmm0, zmm0
    vpgatherqq zmm0, k2, [rcx+zmm1]
    vmovups zmm2, [rdi+0x140]
    kmovq k2, k1
    vpxord zmm1, zmm1, zmm1
    vpgatherqq zmm1, k2, [rcx+zmm2+8]
    vmulpd zmm2{k1}{z}, zmm1, [rdi+0x28]{1to8}
    vpbroadcastq zmm3, [rdi+0x20]
    vfmsub231pd zmm2{k1}{z}, zmm0, zmm3
    vmulpd zmm1{k1}{z}, zmm1, zmm3
    vpbroadcastq zmm3, [rdi+0x28]
    vfmadd213pd zmm0{k1}{z}, zmm3, zmm1
    vpxorq zmm0, zmm0, [rdi+0x180]{1to8}
    vpandq zmm1, zmm2, [rdi+0x188]{1to8}
    vpandq zmm3, zmm0, [rdi+0x188]{1to8}
    vpmaxuq zmm4, zmm1, zmm3
    vpcmpltuq k2{k1}, zmm4, [rdi+0x190]{1to8}
    vpbroadcastq zmm5, [rdi+0x1A0]
    vpblendmq zmm6{k2}, zmm5, [rdi+0x198]{1to8}
    vpblendmq zmm5{k2}, zmm5, [rdi+0x1A8]{1to8}
    vpcmpnleuq k2{k1}, zmm4, [rdi+0x1B0]{1to8}
    vpblendmq zmm6{k2}, zmm6, [rdi+0x1A8]{1to8}
    vpblendmq zmm5{k2}, zmm5, [rdi+0x198]{1to8}
    vmulpd zmm2{k1}{z}, zmm2, zmm6
    vmulpd zmm0{k1}{z}, zmm0, zmm6
    vmulpd zmm2{k1}{z}, zmm2, zmm2
    vmulpd zmm0{k1}{z}, zmm0, zmm0
    vaddpd zmm0{k1}{z}, zmm2, zmm0
    vsqrtpd zmm0{k1}{z}, zmm0
    vmulpd zmm0{k1}{z}, zmm0, zmm5
    vpcmpnleuq k2{k1}, zmm4, [rdi+0x1B8]{1to8}
    vpcmpequq k3{k1}, zmm1, [rdi+0x1B8]{1to8}
    vpcmpequq k4{k1}, zmm3, [rdi+0x1B8]{1to8}
    korq k3, k3, k4
    kandq k2, k2, k3
    kandq k3, k2, k1
    kandnq k7, k3, k7
    vmovdqu64 [rdx+rax*8]{k1}, zmm0
L1:
    mov r11d, 0xFF
    kmovq k1, r11
    kandnq k7, k7, k1
    kmovq [rdi+0x100], k7
    vzeroupper
    ret
L2:
    vpbroadcastq zmm7, [rdi+0x1B8]
    vpbroadcastq zmm8, [rdi+0x28]
    vpbroadcastq zmm9, [rdi+0x188]
    vpbroadcastq zmm10, [rdi+0x198]
    vpbroadcastq zmm11, [rdi+0x1A8]
    vpbroadcastq zmm12, [rdi+0x20]
    vpbroadcastq zmm13, [rdi+0x180]
    vpbroadcastq zmm14, [rdi+0x190]
    vpbroadcastq zmm15, [rdi+0x1A0]
    vpbroadcastq zmm16, [rdi+0x1B0]
L3:
    vmovups zmm1, [rdi+0x1C0]
    vmovups zmm0, [rcx]
    vpermt2pd zmm0, zmm1, [rcx+0x40]
    vmovups zmm2, [rdi+0x200]
    vmovups zmm1, [rcx]
    vpermt2pd zmm1, zmm2, [rcx+0x40]
    vmulpd zmm2, zmm1, zmm8
    vfmsub231pd zmm2, zmm0, zmm12
    vmulpd zmm1, zmm1, zmm12
    vfmadd213pd zmm0, zmm8, zmm1
    vpxorq zmm0, zmm0, zmm13
    vpandq zmm1, zmm2, zmm9
    vpandq zmm3, zmm0, zmm9
    vpmaxuq zmm4, zmm1, zmm3
    vpcmpltuq k2, zmm4, zmm14
    vpblendmq zmm5{k2}, zmm15, zmm10
    vpblendmq zmm6{k2}, zmm15, zmm11
    vpcmpnleuq k2, zmm4, zmm16
    vpblendmq zmm5{k2}, zmm5, zmm11
    vpblendmq zmm6{k2}, zmm6, zmm10
    vmulpd zmm2, zmm2, zmm5
    vmulpd zmm0, zmm0, zmm5
    vmulpd zmm2, zmm2, zmm2
    vmulpd zmm0, zmm0, zmm0
    vaddpd zmm0, zmm2, zmm0
    vsqrtpd zmm0, zmm0
    vmulpd zmm0, zmm0, zmm6
    vpcmpnleuq k2, zmm4, zmm7
    vpcmpequq k3, zmm1, zmm7
    vpcmpequq k4, zmm3, zmm7
    korq k3, k3, k4
    kandq k2, k2, k3
    kandnq k7, k2, k7
    vmovdqu64 [rdx+rax*8], zmm0
    prefetcht0 [rcx+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    add rcx, 0x80
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L3
    jmp L0
