x86, Avx512
dense: 749 bytes
    kxorq k7, k7, k7
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    xor rax, rax
    mov r11d, 0xFF
    kmovq k1, r11
    cmp rsi, 8
    jb L1
L0:
    vmovdqu64 zmm0, [rcx+rax*8]
    vmulpd zmm0, zmm0, [rdi+0x30]{1to8}
    vaddpd zmm0, zmm0, [rdi+0x188]{1to8}
    vcmpunordpd k2, zmm0, zmm0
    korq k7, k7, k2
    vpbroadcastq zmm1, [rdi+0x190]
    vmaxpd zmm1, zmm1, zmm0
    vpandq zmm2, zmm0, [rdi+0x198]{1to8}
    vcmplt_oqpd k2, zmm2, [rdi+0x1A0]{1to8}
    vpblendmq zmm1{k2}, zmm1, [rdi+0x1A8]{1to8}
    vpbroadcastq zmm2, [rdi+0x1B0]
    vminpd zmm2, zmm2, zmm1
    vpbroadcastq zmm3, [rdi+0x1B8]
    vfmadd213pd zmm2, zmm3, [rdi+0x1C0]{1to8}
    vsubpd zmm3, zmm2, [rdi+0x1C0]{1to8}
    vpbroadcastq zmm4, [rdi+0x1C8]
    vfmadd213pd zmm4, zmm3, zmm1
    vpbroadcastq zmm1, [rdi+0x1D0]
    vfmadd213pd zmm1, zmm3, zmm4
    vmulpd zmm4, zmm1, zmm1
    vpbroadcastq zmm5, [rdi+0x1D8]
    vfmadd213pd zmm5, zmm1, [rdi+0x1E0]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x1E8]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x1F0]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x1F8]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x200]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x208]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x210]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x218]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x220]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x188]{1to8}
    vfmadd213pd zmm4, zmm5, zmm1
    vpbroadcastq zmm1, [rdi+0x228]
    vaddpd zmm1, zmm1, zmm4
    vcmpeqpd k2, zmm0, [rdi+0x230]{1to8}
    vpblendmq zmm0{k2}, zmm1, [rdi+0x1A8]{1to8}
    vpbroadcastq zmm1, [rdi+0x188]
    vfmadd213pd zmm3, zmm1, [rdi+0x238]{1to8}
    vpsubq zmm1, zmm2, zmm3
    vpsllvq zmm2, zmm3, [rdi+0x240]{1to8}
    vmulpd zmm0, zmm0, zmm2
    vpsllvq zmm1, zmm1, [rdi+0x240]{1to8}
    vmulpd zmm0, zmm0, zmm1
    vmovdqu64 zmm1, [rdx+rax*8]
    vsubpd zmm0, zmm0, zmm1
    vmovdqu64 [r8+rax*8], zmm0
    prefetcht0 [rcx+rax*8+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    prefetcht0 [r8+rax*8+0x800]
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
    vmulpd zmm0{k1}{z}, zmm0, [rdi+0x30]{1to8}
    vaddpd zmm0{k1}{z}, zmm0, [rdi+0x188]{1to8}
    vcmpunordpd k2{k1}, zmm0, zmm0
    kandq k3, k2, k1
    korq k7, k7, k3
    vpbroadcastq zmm1, [rdi+0x190]
    vmaxpd zmm1, zmm1, zmm0
    vpandq zmm2, zmm0, [rdi+0x198]{1to8}
    vcmplt_oqpd k2{k1}, zmm2, [rdi+0x1A0]{1to8}
    vpblendmq zmm1{k2}, zmm1, [rdi+0x1A8]{1to8}
    vpbroadcastq zmm2, [rdi+0x1B0]
    vminpd zmm2, zmm2, zmm1
    vpbroadcastq zmm3, [rdi+0x1B8]
    vfmadd213pd zmm2{k1}{z}, zmm3, [rdi+0x1C0]{1to8}
    vsubpd zmm3{k1}{z}, zmm2, [rdi+0x1C0]{1to8}
    vpbroadcastq zmm4, [rdi+0x1C8]
    vfmadd213pd zmm4{k1}{z}, zmm3, zmm1
    vpbroadcastq zmm1, [rdi+0x1D0]
    vfmadd213pd zmm1{k1}{z}, zmm3, zmm4
    vmulpd zmm4{k1}{z}, zmm1, zmm1
    vpbroadcastq zmm5, [rdi+0x1D8]
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x1E0]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x1E8]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x1F0]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x1F8]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x200]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x208]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x210]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x218]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x220]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x188]{1to8}
    vfmadd213pd zmm4{k1}{z}, zmm5, zmm1
    vpbroadcastq zmm1, [rdi+0x228]
    vaddpd zmm1{k1}{z}, zmm1, zmm4
    vcmpeqpd k2{k1}, zmm0, [rdi+0x230]{1to8}
    vpblendmq zmm0{k2}, zmm1, [rdi+0x1A8]{1to8}
    vpbroadcastq zmm1, [rdi+0x188]
    vfmadd213pd zmm3{k1}{z}, zmm1, [rdi+0x238]{1to8}
    vpsubq zmm1, zmm2, zmm3
    vpsllvq zmm2, zmm3, [rdi+0x240]{1to8}
    vmulpd zmm0{k1}{z}, zmm0, zmm2
    vpsllvq zmm1, zmm1, [rdi+0x240]{1to8}
    vmulpd zmm0{k1}{z}, zmm0, zmm1
    vmovdqu64 zmm1{k1}{z}, [rdx+rax*8]
    vsubpd zmm0{k1}{z}, zmm0, zmm1
    vmovdqu64 [r8+rax*8]{k1}, zmm0
L2:
    kmovq [rdi+0x180], k7
    vzeroupper
    ret
