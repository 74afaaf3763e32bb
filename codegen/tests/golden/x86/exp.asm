x86, Avx512
dense: 475 bytes
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
    vrangepd zmm1{k1}{z}, zmm0, [rdi+0x108]{1to8}, 2
    vpbroadcastq zmm2, [rdi+0x110]
    vfmadd213pd zmm2{k1}{z}, zmm1, [rdi+0x118]{1to8}
    vsubpd zmm3{k1}{z}, zmm2, [rdi+0x118]{1to8}
    vpbroadcastq zmm4, [rdi+0x120]
    vfmadd213pd zmm4{k1}{z}, zmm3, zmm1
    vpbroadcastq zmm1, [rdi+0x128]
    vfmadd213pd zmm1{k1}{z}, zmm3, zmm4
    vpbroadcastq zmm4, [rdi+0x130]
    vfmadd213pd zmm4{k1}{z}, zmm1, [rdi+0x138]{1to8}
    vfmadd213pd zmm4{k1}{z}, zmm1, [rdi+0x140]{1to8}
    vfmadd213pd zmm4{k1}{z}, zmm1, [rdi+0x148]{1to8}
    vfmadd213pd zmm4{k1}{z}, zmm1, [rdi+0x150]{1to8}
    vfmadd213pd zmm4{k1}{z}, zmm1, [rdi+0x158]{1to8}
    vfmadd213pd zmm4{k1}{z}, zmm1, [rdi+0x160]{1to8}
    vmovups zmm1, [rdi+0x180]
    vpermt2pd zmm1, zmm2, [rdi+0x1C0]
    vfmadd213pd zmm4{k1}{z}, zmm1, zmm1
    vfixupimmpd zmm4, zmm0, [rdi+0x200]{1to8}, 0
    vscalefpd zmm0{k1}{z}, zmm4, zmm3
    vmovdqu64 [rdx+rax*8]{k1}, zmm0
L1:
    vzeroupper
    ret
L2:
    vpbroadcastq zmm5, [rdi+0x118]
    vpbroadcastq zmm6, [rdi+0x108]
    vpbroadcastq zmm7, [rdi+0x110]
    vpbroadcastq zmm8, [rdi+0x120]
    vpbroadcastq zmm9, [rdi+0x128]
    vpbroadcastq zmm10, [rdi+0x130]
    vpbroadcastq zmm11, [rdi+0x138]
    vpbroadcastq zmm12, [rdi+0x140]
    vpbroadcastq zmm13, [rdi+0x148]
    vpbroadcastq zmm14, [rdi+0x150]
    vpbroadcastq zmm15, [rdi+0x158]
    vpbroadcastq zmm16, [rdi+0x160]
    vmovups zmm17, [rdi+0x180]
    vmovups zmm18, [rdi+0x1C0]
    vpbroadcastq zmm19, [rdi+0x200]
L3:
    vmovdqu64 zmm0, [rcx+rax*8]
    vrangepd zmm1, zmm0, zmm6, 2
    vmovups zmm2, zmm1
    vfmadd213pd zmm2, zmm7, zmm5
    vsubpd zmm3, zmm2, zmm5
    vfmadd231pd zmm1, zmm3, zmm8
    vfmadd231pd zmm1, zmm3, zmm9
    vmovups zmm4, zmm10
    vfmadd213pd zmm4, zmm1, zmm11
    vfmadd213pd zmm4, zmm1, zmm12
    vfmadd213pd zmm4, zmm1, zmm13
    vfmadd213pd zmm4, zmm1, zmm14
    vfmadd213pd zmm4, zmm1, zmm15
    vfmadd213pd zmm4, zmm1, zmm16
    vpermi2pd zmm2, zmm17, zmm18
    vfmadd213pd zmm4, zmm2, zmm2
    vfixupimmpd zmm4, zmm0, zmm19, 0
    vscalefpd zmm0, zmm4, zmm3
    vmovdqu64 [rdx+rax*8], zmm0
    prefetcht0 [rcx+rax*8+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L3
    jmp L0
