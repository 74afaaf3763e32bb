x86, Avx512
dense: 682 bytes
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
    vcmpunordpd k2, zmm0, zmm0
    korq k7, k7, k2
    vpbroadcastq zmm1, [rdi+0x108]
    vmaxpd zmm1, zmm1, zmm0
    vpandq zmm2, zmm0, [rdi+0x110]{1to8}
    vcmplt_oqpd k2, zmm2, [rdi+0x118]{1to8}
    vpblendmq zmm1{k2}, zmm1, [rdi+0x120]{1to8}
    vpbroadcastq zmm2, [rdi+0x128]
    vminpd zmm2, zmm2, zmm1
    vpbroadcastq zmm3, [rdi+0x130]
    vfmadd213pd zmm2, zmm3, [rdi+0x138]{1to8}
    vsubpd zmm3, zmm2, [rdi+0x138]{1to8}
    vpbroadcastq zmm4, [rdi+0x140]
    vfmadd213pd zmm4, zmm3, zmm1
    vpbroadcastq zmm1, [rdi+0x148]
    vfmadd213pd zmm1, zmm3, zmm4
    vmulpd zmm4, zmm1, zmm1
    vpbroadcastq zmm5, [rdi+0x150]
    vfmadd213pd zmm5, zmm1, [rdi+0x158]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x160]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x168]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x170]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x178]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x180]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x188]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x190]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x198]{1to8}
    vfmadd213pd zmm5, zmm1, [rdi+0x1A0]{1to8}
    vfmadd213pd zmm4, zmm5, zmm1
    vpbroadcastq zmm1, [rdi+0x1A8]
    vaddpd zmm1, zmm1, zmm4
    vcmpeqpd k2, zmm0, [rdi+0x1B0]{1to8}
    vpblendmq zmm0{k2}, zmm1, [rdi+0x120]{1to8}
    vpbroadcastq zmm1, [rdi+0x1A0]
    vfmadd213pd zmm3, zmm1, [rdi+0x1B8]{1to8}
    vpsubq zmm1, zmm2, zmm3
    vpsllvq zmm2, zmm3, [rdi+0x1C0]{1to8}
    vmulpd zmm0, zmm0, zmm2
    vpsllvq zmm1, zmm1, [rdi+0x1C0]{1to8}
    vmulpd zmm0, zmm0, zmm1
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
    vcmpunordpd k2{k1}, zmm0, zmm0
    kandq k3, k2, k1
    korq k7, k7, k3
    vpbroadcastq zmm1, [rdi+0x108]
    vmaxpd zmm1, zmm1, zmm0
    vpandq zmm2, zmm0, [rdi+0x110]{1to8}
    vcmplt_oqpd k2{k1}, zmm2, [rdi+0x118]{1to8}
    vpblendmq zmm1{k2}, zmm1, [rdi+0x120]{1to8}
    vpbroadcastq zmm2, [rdi+0x128]
    vminpd zmm2, zmm2, zmm1
    vpbroadcastq zmm3, [rdi+0x130]
    vfmadd213pd zmm2{k1}{z}, zmm3, [rdi+0x138]{1to8}
    vsubpd zmm3{k1}{z}, zmm2, [rdi+0x138]{1to8}
    vpbroadcastq zmm4, [rdi+0x140]
    vfmadd213pd zmm4{k1}{z}, zmm3, zmm1
    vpbroadcastq zmm1, [rdi+0x148]
    vfmadd213pd zmm1{k1}{z}, zmm3, zmm4
    vmulpd zmm4{k1}{z}, zmm1, zmm1
    vpbroadcastq zmm5, [rdi+0x150]
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x158]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x160]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x168]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x170]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x178]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x180]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x188]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x190]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x198]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm1, [rdi+0x1A0]{1to8}
    vfmadd213pd zmm4{k1}{z}, zmm5, zmm1
    vpbroadcastq zmm1, [rdi+0x1A8]
    vaddpd zmm1{k1}{z}, zmm1, zmm4
    vcmpeqpd k2{k1}, zmm0, [rdi+0x1B0]{1to8}
    vpblendmq zmm0{k2}, zmm1, [rdi+0x120]{1to8}
    vpbroadcastq zmm1, [rdi+0x1A0]
    vfmadd213pd zmm3{k1}{z}, zmm1, [rdi+0x1B8]{1to8}
    vpsubq zmm1, zmm2, zmm3
    vpsllvq zmm2, zmm3, [rdi+0x1C0]{1to8}
    vmulpd zmm0{k1}{z}, zmm0, zmm2
    vpsllvq zmm1, zmm1, [rdi+0x1C0]{1to8}
    vmulpd zmm0{k1}{z}, zmm0, zmm1
    vmovdqu64 [rdx+rax*8]{k1}, zmm0
L2:
    kmovq [rdi+0x100], k7
    vzeroupper
    ret
