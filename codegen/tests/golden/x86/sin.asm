x86, Avx512
dense: 838 bytes
    kxorq k7, k7, k7
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    xor rax, rax
    mov r11d, 0xFF
    kmovq k1, r11
    cmp rsi, 8
    jb L1
L0:
    vmovdqu64 zmm0, [rcx+rax*8]
    vpandq zmm1, zmm0, [rdi+0x108]{1to8}
    vmovups zmm2, zmm1
    vpcmpnleuq k2, zmm2, [rdi+0x110]{1to8}
    korq k7, k7, k2
    vpbroadcastq zmm2, [rdi+0x118]
    vfmadd213pd zmm2, zmm1, [rdi+0x120]{1to8}
    vsubpd zmm3, zmm2, [rdi+0x120]{1to8}
    vpbroadcastq zmm4, [rdi+0x128]
    vfmadd213pd zmm4, zmm3, zmm1
    vmulpd zmm1, zmm3, [rdi+0x130]{1to8}
    vsubpd zmm1, zmm4, zmm1
    vsubpd zmm4, zmm1, zmm4
    vpbroadcastq zmm5, [rdi+0x130]
    vfmadd213pd zmm5, zmm3, zmm4
    vpbroadcastq zmm4, [rdi+0x138]
    vfmadd213pd zmm3, zmm4, zmm5
    vmulpd zmm4, zmm1, zmm1
    vmulpd zmm5, zmm4, zmm3
    vpbroadcastq zmm6, [rdi+0x140]
    vfmadd213pd zmm5, zmm6, zmm3
    vmulpd zmm6, zmm1, zmm4
    vpbroadcastq zmm7, [rdi+0x148]
    vfmadd213pd zmm7, zmm4, [rdi+0x150]{1to8}
    vfmadd213pd zmm7, zmm4, [rdi+0x158]{1to8}
    vfmadd213pd zmm7, zmm4, [rdi+0x160]{1to8}
    vfmadd213pd zmm7, zmm4, [rdi+0x168]{1to8}
    vfmadd213pd zmm7, zmm4, [rdi+0x170]{1to8}
    vfmsub213pd zmm6, zmm7, zmm5
    vpbroadcastq zmm5, [rdi+0x178]
    vmulpd zmm5, zmm5, zmm4
    vpbroadcastq zmm7, [rdi+0x180]
    vsubpd zmm8, zmm7, zmm5
    vsubpd zmm7, zmm7, zmm8
    vsubpd zmm5, zmm7, zmm5
    vfmadd213pd zmm3, zmm1, zmm5
    vmulpd zmm5, zmm4, zmm4
    vpbroadcastq zmm7, [rdi+0x188]
    vfmadd213pd zmm7, zmm4, [rdi+0x190]{1to8}
    vfmadd213pd zmm7, zmm4, [rdi+0x198]{1to8}
    vfmadd213pd zmm7, zmm4, [rdi+0x1A0]{1to8}
    vfmadd213pd zmm7, zmm4, [rdi+0x1A8]{1to8}
    vfmadd213pd zmm7, zmm4, [rdi+0x1B0]{1to8}
    vfmadd213pd zmm5, zmm7, zmm3
    vpandq zmm3, zmm2, [rdi+0x1B8]{1to8}
    vpcmpequq k2, zmm3, [rdi+0x1C0]{1to8}
    vaddpd zmm1, zmm1, zmm6
    vaddpd zmm3, zmm8, zmm5
    vpblendmq zmm1{k2}, zmm3, zmm1
    vpsrlvq zmm2, zmm2, [rdi+0x1B8]{1to8}
    vpsllvq zmm2, zmm2, [rdi+0x1C8]{1to8}
    vpxorq zmm1, zmm1, zmm2
    vpandq zmm0, zmm0, [rdi+0x1D0]{1to8}
    vpxorq zmm0, zmm1, zmm0
    vmovdqu64 [rdx+rax*8], zmm0
    prefetcht0 [rcx+rax*8+0x800]
    prefetcht0 [rdx+rax*8+0x800]
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
    vmovdqu64 zmm0{k1}{z}, [rcx+rax*8]
    vpandq zmm1, zmm0, [rdi+0x108]{1to8}
    vmovups zmm2, zmm1
    vpcmpnleuq k2{k1}, zmm2, [rdi+0x110]{1to8}
    kandq k3, k2, k1
    korq k7, k7, k3
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
    vmulpd zmm6{k1}{z}, zmm1, zmm4
    vpbroadcastq zmm7, [rdi+0x148]
    vfmadd213pd zmm7{k1}{z}, zmm4, [rdi+0x150]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm4, [rdi+0x158]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm4, [rdi+0x160]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm4, [rdi+0x168]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm4, [rdi+0x170]{1to8}
    vfmsub213pd zmm6{k1}{z}, zmm7, zmm5
    vpbroadcastq zmm5, [rdi+0x178]
    vmulpd zmm5{k1}{z}, zmm5, zmm4
    vpbroadcastq zmm7, [rdi+0x180]
    vsubpd zmm8{k1}{z}, zmm7, zmm5
    vsubpd zmm7{k1}{z}, zmm7, zmm8
    vsubpd zmm5{k1}{z}, zmm7, zmm5
    vfmadd213pd zmm3{k1}{z}, zmm1, zmm5
    vmulpd zmm5{k1}{z}, zmm4, zmm4
    vpbroadcastq zmm7, [rdi+0x188]
    vfmadd213pd zmm7{k1}{z}, zmm4, [rdi+0x190]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm4, [rdi+0x198]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm4, [rdi+0x1A0]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm4, [rdi+0x1A8]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm4, [rdi+0x1B0]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm7, zmm3
    vpandq zmm3, zmm2, [rdi+0x1B8]{1to8}
    vpcmpequq k2{k1}, zmm3, [rdi+0x1C0]{1to8}
    vaddpd zmm1{k1}{z}, zmm1, zmm6
    vaddpd zmm3{k1}{z}, zmm8, zmm5
    vpblendmq zmm1{k2}, zmm3, zmm1
    vpsrlvq zmm2, zmm2, [rdi+0x1B8]{1to8}
    vpsllvq zmm2, zmm2, [rdi+0x1C8]{1to8}
    vpxorq zmm1, zmm1, zmm2
    vpandq zmm0, zmm0, [rdi+0x1D0]{1to8}
    vpxorq zmm0, zmm1, zmm0
    vmovdqu64 [rdx+rax*8]{k1}, zmm0
L2:
    kmovq [rdi+0x100], k7
    vzeroupper
    ret
