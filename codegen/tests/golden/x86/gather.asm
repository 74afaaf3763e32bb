x86, Avx512
dense: 397 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
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
    vmovdqu32 ymm0{k1}{z}, [rcx+rax*4]
    vpmovsxdq zmm0{k1}{z}, ymm0
    vpminsq zmm0, zmm0, [rdi+0x40]{1to8}
    vpmullq zmm0, zmm0, [rdi+0x1C8]{1to8}
    kmovq k2, k1
    vpxord zmm1, zmm1, zmm1
    vpgatherqq zmm1, k2, [rdx+zmm0]
    vmovdqu64 zmm0{k1}{z}, [r8+rax*8]
    vmulpd zmm0{k1}{z}, zmm1, zmm0
    vmovdqu64 [r9+rax*8]{k1}, zmm0
L1:
    vzeroupper
    ret
L2:
    vpbroadcastq zmm2, [rdi+0x40]
    vpbroadcastq zmm3, [rdi+0x1C8]
    cmp rsi, 0x10
    jb L4
L3:
    vmovdqu32 ymm0, [rcx+rax*4]
    vpmovsxdq zmm0, ymm0
    vpminsq zmm0, zmm0, zmm2
    vpmullq zmm0, zmm0, zmm3
    kmovq k2, k1
    vpxord zmm1, zmm1, zmm1
    vpgatherqq zmm1, k2, [rdx+zmm0]
    vmovdqu64 zmm0, [r8+rax*8]
    vmulpd zmm0, zmm1, zmm0
    vmovdqu64 [r9+rax*8], zmm0
    vmovdqu32 ymm0, [rcx+rax*4+0x20]
    vpmovsxdq zmm0, ymm0
    vpminsq zmm0, zmm0, zmm2
    vpmullq zmm0, zmm0, zmm3
    kmovq k2, k1
    vpxord zmm1, zmm1, zmm1
    vpgatherqq zmm1, k2, [rdx+zmm0]
    vmovdqu64 zmm0, [r8+rax*8+0x40]
    vmulpd zmm0, zmm1, zmm0
    vmovdqu64 [r9+rax*8+0x40], zmm0
    add rax, 0x10
    sub rsi, 0x10
    cmp rsi, 0x10
    jae L3
    cmp rsi, 8
    jb L0
L4:
    vmovdqu32 ymm0, [rcx+rax*4]
    vpmovsxdq zmm0, ymm0
    vpminsq zmm0, zmm0, zmm2
    vpmullq zmm0, zmm0, zmm3
    kmovq k2, k1
    vpxord zmm1, zmm1, zmm1
    vpgatherqq zmm1, k2, [rdx+zmm0]
    vmovdqu64 zmm0, [r8+rax*8]
    vmulpd zmm0, zmm1, zmm0
    vmovdqu64 [r9+rax*8], zmm0
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L4
    jmp L0
