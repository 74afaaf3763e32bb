x86
dense: 925 bytes
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
    vpblendmq zmm1{k2}, zmm0, [rdi+0x108]{1to8}
    vpbroadcastq zmm2, [rdi+0x110]
    vmaxpd zmm2, zmm2, zmm1
    vpandq zmm3, zmm1, [rdi+0x118]{1to8}
    vcmplt_oqpd k3, zmm3, [rdi+0x120]{1to8}
    vpblendmq zmm2{k3}, zmm2, [rdi+0x128]{1to8}
    vpbroadcastq zmm3, [rdi+0x130]
    vminpd zmm3, zmm3, zmm2
    vpbroadcastq zmm4, [rdi+0x138]
    vfmadd213pd zmm3, zmm4, [rdi+0x140]{1to8}
    vsubpd zmm5, zmm3, [rdi+0x140]{1to8}
    vpbroadcastq zmm6, [rdi+0x148]
    vfmadd213pd zmm6, zmm5, zmm2
    vpbroadcastq zmm2, [rdi+0x150]
    vfmadd213pd zmm2, zmm5, zmm6
    vmulpd zmm6, zmm2, zmm2
    vpbroadcastq zmm7, [rdi+0x158]
    vfmadd213pd zmm7, zmm2, [rdi+0x160]{1to8}
    vfmadd213pd zmm7, zmm2, [rdi+0x168]{1to8}
    vfmadd213pd zmm7, zmm2, [rdi+0x170]{1to8}
    vfmadd213pd zmm7, zmm2, [rdi+0x178]{1to8}
    vfmadd213pd zmm7, zmm2, [rdi+0x180]{1to8}
    vfmadd213pd zmm7, zmm2, [rdi+0x188]{1to8}
    vfmadd213pd zmm7, zmm2, [rdi+0x190]{1to8}
    vfmadd213pd zmm7, zmm2, [rdi+0x198]{1to8}
    vfmadd213pd zmm7, zmm2, [rdi+0x1A0]{1to8}
    vfmadd213pd zmm7, zmm2, [rdi+0x1A8]{1to8}
    vfmadd213pd zmm6, zmm7, zmm2
    vpbroadcastq zmm2, [rdi+0x1B0]
    vaddpd zmm2, zmm2, zmm6
    vcmpeqpd k3, zmm1, [rdi+0x1B8]{1to8}
    vpblendmq zmm1{k3}, zmm2, [rdi+0x128]{1to8}
    vpbroadcastq zmm2, [rdi+0x1A8]
    vfmadd213pd zmm5, zmm2, [rdi+0x1C0]{1to8}
    vpsubq zmm2, zmm3, zmm5
    vpsllvq zmm3, zmm5, [rdi+0x1C8]{1to8}
    vmulpd zmm1, zmm1, zmm3
    vpsllvq zmm2, zmm2, [rdi+0x1C8]{1to8}
    vmulpd zmm1, zmm1, zmm2
    vrangepd zmm2, zmm0, [rdi+0x1D0]{1to8}, 2
    vfmadd213pd zmm4, zmm2, [rdi+0x1D8]{1to8}
    vsubpd zmm3, zmm4, [rdi+0x1D8]{1to8}
    vpbroadcastq zmm5, [rdi+0x1E0]
    vfmadd213pd zmm5, zmm3, zmm2
    vpbroadcastq zmm2, [rdi+0x1E8]
    vfmadd213pd zmm2, zmm3, zmm5
    vpbroadcastq zmm5, [rdi+0x1F0]
    vfmadd213pd zmm5, zmm2, [rdi+0x1F8]{1to8}
    vfmadd213pd zmm5, zmm2, [rdi+0x200]{1to8}
    vfmadd213pd zmm5, zmm2, [rdi+0x208]{1to8}
    vfmadd213pd zmm5, zmm2, [rdi+0x210]{1to8}
    vfmadd213pd zmm5, zmm2, [rdi+0x218]{1to8}
    vfmadd213pd zmm5, zmm2, [rdi+0x220]{1to8}
    vmovups zmm2, [rdi+0x280]
    vpermt2pd zmm2, zmm4, [rdi+0x2C0]
    vfmadd213pd zmm5, zmm2, zmm2
    vfixupimmpd zmm5, zmm0, [rdi+0x300]{1to8}, 0
    vscalefpd zmm0, zmm5, zmm3
    vpblendmq zmm0{k2}, zmm1, zmm0
    vmovdqu64 [rdx+rax*8], zmm0
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
    vpblendmq zmm1{k2}, zmm0, [rdi+0x108]{1to8}
    vpbroadcastq zmm2, [rdi+0x110]
    vmaxpd zmm2, zmm2, zmm1
    vpandq zmm3, zmm1, [rdi+0x118]{1to8}
    vcmplt_oqpd k3{k1}, zmm3, [rdi+0x120]{1to8}
    vpblendmq zmm2{k3}, zmm2, [rdi+0x128]{1to8}
    vpbroadcastq zmm3, [rdi+0x130]
    vminpd zmm3, zmm3, zmm2
    vpbroadcastq zmm4, [rdi+0x138]
    vfmadd213pd zmm3{k1}{z}, zmm4, [rdi+0x140]{1to8}
    vsubpd zmm5{k1}{z}, zmm3, [rdi+0x140]{1to8}
    vpbroadcastq zmm6, [rdi+0x148]
    vfmadd213pd zmm6{k1}{z}, zmm5, zmm2
    vpbroadcastq zmm2, [rdi+0x150]
    vfmadd213pd zmm2{k1}{z}, zmm5, zmm6
    vmulpd zmm6{k1}{z}, zmm2, zmm2
    vpbroadcastq zmm7, [rdi+0x158]
    vfmadd213pd zmm7{k1}{z}, zmm2, [rdi+0x160]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm2, [rdi+0x168]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm2, [rdi+0x170]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm2, [rdi+0x178]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm2, [rdi+0x180]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm2, [rdi+0x188]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm2, [rdi+0x190]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm2, [rdi+0x198]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm2, [rdi+0x1A0]{1to8}
    vfmadd213pd zmm7{k1}{z}, zmm2, [rdi+0x1A8]{1to8}
    vfmadd213pd zmm6{k1}{z}, zmm7, zmm2
    vpbroadcastq zmm2, [rdi+0x1B0]
    vaddpd zmm2{k1}{z}, zmm2, zmm6
    vcmpeqpd k3{k1}, zmm1, [rdi+0x1B8]{1to8}
    vpblendmq zmm1{k3}, zmm2, [rdi+0x128]{1to8}
    vpbroadcastq zmm2, [rdi+0x1A8]
    vfmadd213pd zmm5{k1}{z}, zmm2, [rdi+0x1C0]{1to8}
    vpsubq zmm2, zmm3, zmm5
    vpsllvq zmm3, zmm5, [rdi+0x1C8]{1to8}
    vmulpd zmm1{k1}{z}, zmm1, zmm3
    vpsllvq zmm2, zmm2, [rdi+0x1C8]{1to8}
    vmulpd zmm1{k1}{z}, zmm1, zmm2
    vrangepd zmm2{k1}{z}, zmm0, [rdi+0x1D0]{1to8}, 2
    vfmadd213pd zmm4{k1}{z}, zmm2, [rdi+0x1D8]{1to8}
    vsubpd zmm3{k1}{z}, zmm4, [rdi+0x1D8]{1to8}
    vpbroadcastq zmm5, [rdi+0x1E0]
    vfmadd213pd zmm5{k1}{z}, zmm3, zmm2
    vpbroadcastq zmm2, [rdi+0x1E8]
    vfmadd213pd zmm2{k1}{z}, zmm3, zmm5
    vpbroadcastq zmm5, [rdi+0x1F0]
    vfmadd213pd zmm5{k1}{z}, zmm2, [rdi+0x1F8]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm2, [rdi+0x200]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm2, [rdi+0x208]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm2, [rdi+0x210]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm2, [rdi+0x218]{1to8}
    vfmadd213pd zmm5{k1}{z}, zmm2, [rdi+0x220]{1to8}
    vmovups zmm2, [rdi+0x280]
    vpermt2pd zmm2, zmm4, [rdi+0x2C0]
    vfmadd213pd zmm5{k1}{z}, zmm2, zmm2
    vfixupimmpd zmm5, zmm0, [rdi+0x300]{1to8}, 0
    vscalefpd zmm0{k1}{z}, zmm5, zmm3
    vpblendmq zmm0{k2}, zmm1, zmm0
    vmovdqu64 [rdx+rax*8]{k1}, zmm0
L2:
    vzeroupper
    ret
