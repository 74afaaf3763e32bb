x86, Avx512
dense: 907 bytes
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
    vmovdqu64 zmm0{k1}{z}, [rcx+rax*8]
    vpandq zmm1, zmm0, [rdi+0x108]{1to8}
    vmovups zmm2, zmm1
    vpcmpnleuq k2{k1}, zmm2, [rdi+0x110]{1to8}
    kandq k3, k2, k1
    kandnq k7, k3, k7
    vpbroadcastq zmm2, [rdi+0x118]
    vfmadd213pd zmm2{k1}{z}, zmm1, [rdi+0x120]{1to8}
    vsubpd zmm3{k1}{z}, zmm2, [rdi+0x120]{1to8}
    vpbroadcastq zmm4, [rdi+0x128]
    vfmadd213pd zmm4{k1}{z}, zmm3, zmm1
    vmulpd zmm1{k1}{z}, zmm3, [rdi+0x130]{1to8}
    vsubpd zmm1{k1}{z}, zmm4, zmm1
    vsubpd zmm4{k1}{z}, zmm1, zmm4
    vpbroadcastq zmm5, [rdi+0x130]
    vfmadd213pd zmm5{k1}{z}, zmm3, zmm4
    vpbroadcastq zmm4, [rdi+0x138]
    vfmadd213pd zmm3{k1}{z}, zmm4, zmm5
    vmulpd zmm4{k1}{z}, zmm1, zmm1
    vmulpd zmm5{k1}{z}, zmm4, zmm3
    vpbroadcastq zmm6, [rdi+0x140]
    vfmadd213pd zmm5{k1}{z}, zmm6, zmm3
    vmulpd zmm7{k1}{z}, zmm1, zmm4
    vpbroadcastq zmm8, [rdi+0x148]
    vfmadd213pd zmm8{k1}{z}, zmm4, [rdi+0x150]{1to8}
    vfmadd213pd zmm8{k1}{z}, zmm4, [rdi+0x158]{1to8}
    vfmadd213pd zmm8{k1}{z}, zmm4, [rdi+0x160]{1to8}
    vfmadd213pd zmm8{k1}{z}, zmm4, [rdi+0x168]{1to8}
    vfmadd213pd zmm8{k1}{z}, zmm4, [rdi+0x170]{1to8}
    vfmsub213pd zmm7{k1}{z}, zmm8, zmm5
    vmovups zmm5, zmm4
    vfmadd213pd zmm5{k1}{z}, zmm6, [rdi+0x178]{1to8}
    vpbroadcastq zmm8, [rdi+0x178]
    vsubpd zmm8{k1}{z}, zmm8, zmm5
    vfmadd213pd zmm6{k1}{z}, zmm4, zmm8
    vfmadd213pd zmm3{k1}{z}, zmm1, zmm6
    vmulpd zmm6{k1}{z}, zmm4, zmm4
    vpbroadcastq zmm8, [rdi+0x180]
    vfmadd213pd zmm8{k1}{z}, zmm4, [rdi+0x188]{1to8}
    vfmadd213pd zmm8{k1}{z}, zmm4, [rdi+0x190]{1to8}
    vfmadd213pd zmm8{k1}{z}, zmm4, [rdi+0x198]{1to8}
    vfmadd213pd zmm8{k1}{z}, zmm4, [rdi+0x1A0]{1to8}
    vfmadd213pd zmm8{k1}{z}, zmm4, [rdi+0x1A8]{1to8}
    vfmadd213pd zmm6{k1}{z}, zmm8, zmm3
    vptestnmq k2{k1}, zmm2, [rdi+0x1B0]{1to8}
    vaddpd zmm1{k1}{z}, zmm1, zmm7
    vaddpd zmm3{k1}{z}, zmm5, zmm6
    vpblendmq zmm1{k2}, zmm3, zmm1
    vpsllvq zmm2, zmm2, [rdi+0x1B8]{1to8}
    vpxorq zmm0, zmm2, zmm0
    vpternlogq zmm1, zmm0, [rdi+0x1C0]{1to8}, 0x78
    vmovdqu64 [rdx+rax*8]{k1}, zmm1
L1:
    mov r11d, 0xFF
    kmovq k1, r11
    kandnq k7, k7, k1
    kmovq [rdi+0x100], k7
    vzeroupper
    ret
L2:
    vpbroadcastq zmm9, [rdi+0x120]
    vpbroadcastq zmm10, [rdi+0x130]
    vpbroadcastq zmm11, [rdi+0x178]
    vpbroadcastq zmm12, [rdi+0x108]
    vpbroadcastq zmm13, [rdi+0x110]
    vpbroadcastq zmm14, [rdi+0x118]
    vpbroadcastq zmm15, [rdi+0x128]
    vpbroadcastq zmm16, [rdi+0x138]
    vpbroadcastq zmm17, [rdi+0x140]
    vpbroadcastq zmm18, [rdi+0x148]
    vpbroadcastq zmm19, [rdi+0x150]
    vpbroadcastq zmm20, [rdi+0x158]
    vpbroadcastq zmm21, [rdi+0x160]
    vpbroadcastq zmm22, [rdi+0x168]
    vpbroadcastq zmm23, [rdi+0x170]
    vpbroadcastq zmm24, [rdi+0x180]
    vpbroadcastq zmm25, [rdi+0x188]
    vpbroadcastq zmm26, [rdi+0x190]
    vpbroadcastq zmm27, [rdi+0x198]
    vpbroadcastq zmm28, [rdi+0x1A0]
    vpbroadcastq zmm29, [rdi+0x1A8]
    vpbroadcastq zmm30, [rdi+0x1B0]
    vpbroadcastq zmm31, [rdi+0x1B8]
L3:
    vmovdqu64 zmm0, [rcx+rax*8]
    vpandq zmm1, zmm0, zmm12
    vmovups zmm2, zmm1
    vpcmpleuq k7{k7}, zmm2, zmm13
    vmovups zmm2, zmm1
    vfmadd213pd zmm2, zmm14, zmm9
    vsubpd zmm3, zmm2, zmm9
    vfmadd231pd zmm1, zmm3, zmm15
    vmulpd zmm4, zmm3, zmm10
    vsubpd zmm4, zmm1, zmm4
    vsubpd zmm1, zmm4, zmm1
    vfmadd231pd zmm1, zmm3, zmm10
    vfmadd213pd zmm3, zmm16, zmm1
    vmulpd zmm1, zmm4, zmm4
    vmulpd zmm5, zmm1, zmm3
    vfmadd213pd zmm5, zmm17, zmm3
    vmulpd zmm6, zmm4, zmm1
    vmovups zmm7, zmm18
    vfmadd213pd zmm7, zmm1, zmm19
    vfmadd213pd zmm7, zmm1, zmm20
    vfmadd213pd zmm7, zmm1, zmm21
    vfmadd213pd zmm7, zmm1, zmm22
    vfmadd213pd zmm7, zmm1, zmm23
    vfmsub213pd zmm6, zmm7, zmm5
    vmovups zmm5, zmm1
    vfmadd213pd zmm5, zmm17, zmm11
    vsubpd zmm7, zmm11, zmm5
    vfmadd231pd zmm7, zmm1, zmm17
    vfmadd213pd zmm3, zmm4, zmm7
    vmulpd zmm7, zmm1, zmm1
    vmovups zmm8, zmm24
    vfmadd213pd zmm8, zmm1, zmm25
    vfmadd213pd zmm8, zmm1, zmm26
    vfmadd213pd zmm8, zmm1, zmm27
    vfmadd213pd zmm8, zmm1, zmm28
    vfmadd213pd zmm8, zmm1, zmm29
    vfmadd213pd zmm7, zmm8, zmm3
    vptestnmq k2, zmm2, zmm30
    vaddpd zmm1, zmm4, zmm6
    vaddpd zmm3, zmm5, zmm7
    vpblendmq zmm1{k2}, zmm3, zmm1
    vpsllvq zmm2, zmm2, zmm31
    vpxorq zmm0, zmm2, zmm0
    vpternlogq zmm1, zmm0, [rdi+0x1C0]{1to8}, 0x78
    vmovdqu64 [rdx+rax*8], zmm1
    prefetcht0 [rcx+rax*8+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L3
    jmp L0
