x86, Avx512
dense: 621 bytes
    kxorq k7, k7, k7
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    xor rax, rax
    mov r11d, 0xFF
    kmovq k1, r11
    cmp rsi, 8
    jb L1
L0:
    vmovups zmm1, [rdi+0x140]
    vmovups zmm0, [rcx]
    vpermt2pd zmm0, zmm1, [rcx+0x40]
    vmovups zmm2, [rdi+0x180]
    vmovups zmm1, [rcx]
    vpermt2pd zmm1, zmm2, [rcx+0x40]
    vmulpd zmm2, zmm1, [rdi+0x28]{1to8}
    vpbroadcastq zmm3, [rdi+0x20]
    vfmsub231pd zmm2, zmm0, zmm3
    vmulpd zmm1, zmm1, zmm3
    vpbroadcastq zmm3, [rdi+0x28]
    vfmadd213pd zmm0, zmm3, zmm1
    vpxorq zmm0, zmm0, [rdi+0x1C0]{1to8}
    vpandq zmm1, zmm2, [rdi+0x1C8]{1to8}
    vpandq zmm3, zmm0, [rdi+0x1C8]{1to8}
    vpmaxuq zmm4, zmm1, zmm3
    vpcmpltuq k2, zmm4, [rdi+0x1D0]{1to8}
    vpbroadcastq zmm5, [rdi+0x1E0]
    vpblendmq zmm6{k2}, zmm5, [rdi+0x1D8]{1to8}
    vpblendmq zmm5{k2}, zmm5, [rdi+0x1E8]{1to8}
    vpcmpnleuq k2, zmm4, [rdi+0x1F0]{1to8}
    vpblendmq zmm6{k2}, zmm6, [rdi+0x1E8]{1to8}
    vpblendmq zmm5{k2}, zmm5, [rdi+0x1D8]{1to8}
    vmulpd zmm2, zmm2, zmm6
    vmulpd zmm0, zmm0, zmm6
    vmulpd zmm2, zmm2, zmm2
    vmulpd zmm0, zmm0, zmm0
    vaddpd zmm0, zmm2, zmm0
    vsqrtpd zmm0, zmm0
    vmulpd zmm0, zmm0, zmm5
    vpcmpnleuq k2, zmm4, [rdi+0x1F8]{1to8}
    vpcmpequq k3, zmm1, [rdi+0x1F8]{1to8}
    vpcmpequq k4, zmm3, [rdi+0x1F8]{1to8}
    korq k3, k3, k4
    kandq k2, k2, k3
    korq k7, k7, k2
    vmovdqu64 [rdx+rax*8], zmm0
    prefetcht0 [rcx+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    add rcx, 0x80
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L0
L1:
    test rsi, rsi
    je L2
    mov r11, 0xFFFFFFFFFFFFFFFF
    bzhi r11, r11, rsi
    kmovq k1, r11
    vmovups zmm1, [rdi+0x200]
    kmovq k2, k1
    vpxord zmm0, zmm0, zmm0
    vpgatherqq zmm0, k2, [rcx+zmm1]
    vmovups zmm2, [rdi+0x200]
    kmovq k2, k1
    vpxord zmm1, zmm1, zmm1
    vpgatherqq zmm1, k2, [rcx+zmm2+8]
    vmulpd zmm2{k1}{z}, zmm1, [rdi+0x28]{1to8}
    vpbroadcastq zmm3, [rdi+0x20]
    vfmsub231pd zmm2{k1}{z}, zmm0, zmm3
    vmulpd zmm1{k1}{z}, zmm1, zmm3
    vpbroadcastq zmm3, [rdi+0x28]
    vfmadd213pd zmm0{k1}{z}, zmm3, zmm1
    vpxorq zmm0, zmm0, [rdi+0x1C0]{1to8}
    vpandq zmm1, zmm2, [rdi+0x1C8]{1to8}
    vpandq zmm3, zmm0, [rdi+0x1C8]{1to8}
    vpmaxuq zmm4, zmm1, zmm3
    vpcmpltuq k2{k1}, zmm4, [rdi+0x1D0]{1to8}
    vpbroadcastq zmm5, [rdi+0x1E0]
    vpblendmq zmm6{k2}, zmm5, [rdi+0x1D8]{1to8}
    vpblendmq zmm5{k2}, zmm5, [rdi+0x1E8]{1to8}
    vpcmpnleuq k2{k1}, zmm4, [rdi+0x1F0]{1to8}
    vpblendmq zmm6{k2}, zmm6, [rdi+0x1E8]{1to8}
    vpblendmq zmm5{k2}, zmm5, [rdi+0x1D8]{1to8}
    vmulpd zmm2{k1}{z}, zmm2, zmm6
    vmulpd zmm0{k1}{z}, zmm0, zmm6
    vmulpd zmm2{k1}{z}, zmm2, zmm2
    vmulpd zmm0{k1}{z}, zmm0, zmm0
    vaddpd zmm0{k1}{z}, zmm2, zmm0
    vsqrtpd zmm0{k1}{z}, zmm0
    vmulpd zmm0{k1}{z}, zmm0, zmm5
    vpcmpnleuq k2{k1}, zmm4, [rdi+0x1F8]{1to8}
    vpcmpequq k3{k1}, zmm1, [rdi+0x1F8]{1to8}
    vpcmpequq k4{k1}, zmm3, [rdi+0x1F8]{1to8}
    korq k3, k3, k4
    kandq k2, k2, k3
    kandq k3, k2, k1
    korq k7, k7, k3
    vmovdqu64 [rdx+rax*8]{k1}, zmm0
L2:
    kmovq [rdi+0x100], k7
    vzeroupper
    ret
