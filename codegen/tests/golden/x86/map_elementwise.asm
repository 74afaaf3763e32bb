x86, Avx512
dense: 554 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
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
    vmulpd zmm0{k1}{z}, zmm0, [rdi+0x30]{1to8}
    vaddpd zmm0{k1}{z}, zmm0, [rdi+0x188]{1to8}
    vrangepd zmm1{k1}{z}, zmm0, [rdi+0x190]{1to8}, 2
    vpbroadcastq zmm2, [rdi+0x198]
    vfmadd213pd zmm2{k1}{z}, zmm1, [rdi+0x1A0]{1to8}
    vsubpd zmm3{k1}{z}, zmm2, [rdi+0x1A0]{1to8}
    vpbroadcastq zmm4, [rdi+0x1A8]
    vfmadd213pd zmm4{k1}{z}, zmm3, zmm1
    vpbroadcastq zmm1, [rdi+0x1B0]
    vfmadd213pd zmm1{k1}{z}, zmm3, zmm4
    vpbroadcastq zmm4, [rdi+0x1B8]
    vfmadd213pd zmm4{k1}{z}, zmm1, [rdi+0x1C0]{1to8}
    vfmadd213pd zmm4{k1}{z}, zmm1, [rdi+0x1C8]{1to8}
    vfmadd213pd zmm4{k1}{z}, zmm1, [rdi+0x1D0]{1to8}
    vfmadd213pd zmm4{k1}{z}, zmm1, [rdi+0x1D8]{1to8}
    vfmadd213pd zmm4{k1}{z}, zmm1, [rdi+0x1E0]{1to8}
    vfmadd213pd zmm4{k1}{z}, zmm1, [rdi+0x1E8]{1to8}
    vmovups zmm1, [rdi+0x200]
    vpermt2pd zmm1, zmm2, [rdi+0x240]
    vfmadd213pd zmm4{k1}{z}, zmm1, zmm1
    vfixupimmpd zmm4, zmm0, [rdi+0x280]{1to8}, 0
    vscalefpd zmm0{k1}{z}, zmm4, zmm3
    vmovdqu64 zmm1{k1}{z}, [rdx+rax*8]
    vsubpd zmm0{k1}{z}, zmm0, zmm1
    vmovdqu64 [r8+rax*8]{k1}, zmm0
L1:
    vzeroupper
    ret
L2:
    vpbroadcastq zmm5, [rdi+0x1A0]
    vpbroadcastq zmm6, [rdi+0x30]
    vpbroadcastq zmm7, [rdi+0x188]
    vpbroadcastq zmm8, [rdi+0x190]
    vpbroadcastq zmm9, [rdi+0x198]
    vpbroadcastq zmm10, [rdi+0x1A8]
    vpbroadcastq zmm11, [rdi+0x1B0]
    vpbroadcastq zmm12, [rdi+0x1B8]
    vpbroadcastq zmm13, [rdi+0x1C0]
    vpbroadcastq zmm14, [rdi+0x1C8]
    vpbroadcastq zmm15, [rdi+0x1D0]
    vpbroadcastq zmm16, [rdi+0x1D8]
    vpbroadcastq zmm17, [rdi+0x1E0]
    vpbroadcastq zmm18, [rdi+0x1E8]
    vmovups zmm19, [rdi+0x200]
    vmovups zmm20, [rdi+0x240]
    vpbroadcastq zmm21, [rdi+0x280]
L3:
    vmovdqu64 zmm0, [rcx+rax*8]
    vmulpd zmm0, zmm0, zmm6
    vaddpd zmm0, zmm0, zmm7
    vrangepd zmm1, zmm0, zmm8, 2
    vmovups zmm2, zmm1
    vfmadd213pd zmm2, zmm9, zmm5
    vsubpd zmm3, zmm2, zmm5
    vfmadd231pd zmm1, zmm3, zmm10
    vfmadd231pd zmm1, zmm3, zmm11
    vmovups zmm4, zmm12
    vfmadd213pd zmm4, zmm1, zmm13
    vfmadd213pd zmm4, zmm1, zmm14
    vfmadd213pd zmm4, zmm1, zmm15
    vfmadd213pd zmm4, zmm1, zmm16
    vfmadd213pd zmm4, zmm1, zmm17
    vfmadd213pd zmm4, zmm1, zmm18
    vpermi2pd zmm2, zmm19, zmm20
    vfmadd213pd zmm4, zmm2, zmm2
    vfixupimmpd zmm4, zmm0, zmm21, 0
    vscalefpd zmm0, zmm4, zmm3
    vmovdqu64 zmm1, [rdx+rax*8]
    vsubpd zmm0, zmm0, zmm1
    vmovdqu64 [r8+rax*8], zmm0
    prefetcht0 [rcx+rax*8+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    prefetcht0 [r8+rax*8+0x800]
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L3
    jmp L0
