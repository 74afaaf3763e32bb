x86, Avx512
dense: 456 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
    xor rax, rax
    mov r11d, 0xFFFF
    kmovq k1, r11
    cmp rsi, 0x10
    jae L2
L0:
    test rsi, rsi
    je L1
    mov r11, 0xFFFFFFFFFFFFFFFF
    bzhi r11, r11, rsi
    kmovq k1, r11
    vmovdqu32 zmm0{k1}{z}, [rcx+rax*4]
    vmovdqu32 zmm1{k1}{z}, [rdx+rax*4]
    vaddps zmm2{k1}{z}, zmm0, zmm1
    vmovdqu32 [r8+rax*4]{k1}, zmm2
    vcmplt_oqps k2{k1}, zmm0, zmm1
    vpmovm2b xmm0, k2
    vpabsb xmm0, xmm0
    vmovdqu8 [r9+rax]{k1}, xmm0
L1:
    vzeroupper
    ret
L2:
    cmp rsi, 0x40
    jb L4
L3:
    vmovdqu32 zmm0, [rcx+rax*4]
    vmovdqu32 zmm1, [rdx+rax*4]
    vaddps zmm2, zmm0, zmm1
    vmovdqu32 [r8+rax*4], zmm2
    vcmplt_oqps k2, zmm0, zmm1
    vpmovm2b xmm0, k2
    vpabsb xmm0, xmm0
    vmovdqu8 [r9+rax], xmm0
    vmovdqu32 zmm0, [rcx+rax*4+0x40]
    vmovdqu32 zmm1, [rdx+rax*4+0x40]
    vaddps zmm2, zmm0, zmm1
    vmovdqu32 [r8+rax*4+0x40], zmm2
    vcmplt_oqps k2, zmm0, zmm1
    vpmovm2b xmm0, k2
    vpabsb xmm0, xmm0
    vmovdqu8 [r9+rax+0x10], xmm0
    vmovdqu32 zmm0, [rcx+rax*4+0x80]
    vmovdqu32 zmm1, [rdx+rax*4+0x80]
    vaddps zmm2, zmm0, zmm1
    vmovdqu32 [r8+rax*4+0x80], zmm2
    vcmplt_oqps k2, zmm0, zmm1
    vpmovm2b xmm0, k2
    vpabsb xmm0, xmm0
    vmovdqu8 [r9+rax+0x20], xmm0
    vmovdqu32 zmm0, [rcx+rax*4+0xC0]
    vmovdqu32 zmm1, [rdx+rax*4+0xC0]
    vaddps zmm2, zmm0, zmm1
    vmovdqu32 [r8+rax*4+0xC0], zmm2
    vcmplt_oqps k2, zmm0, zmm1
    vpmovm2b xmm0, k2
    vpabsb xmm0, xmm0
    vmovdqu8 [r9+rax+0x30], xmm0
    add rax, 0x40
    sub rsi, 0x40
    cmp rsi, 0x40
    jae L3
    cmp rsi, 0x10
    jb L0
L4:
    vmovdqu32 zmm0, [rcx+rax*4]
    vmovdqu32 zmm1, [rdx+rax*4]
    vaddps zmm2, zmm0, zmm1
    vmovdqu32 [r8+rax*4], zmm2
    vcmplt_oqps k2, zmm0, zmm1
    vpmovm2b xmm0, k2
    vpabsb xmm0, xmm0
    vmovdqu8 [r9+rax], xmm0
    add rax, 0x10
    sub rsi, 0x10
    cmp rsi, 0x10
    jae L4
    jmp L0
