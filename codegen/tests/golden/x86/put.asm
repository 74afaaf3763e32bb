x86, Avx512
dense: 320 bytes
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
    vmovdqu32 ymm0{k1}{z}, [rcx+rax*4]
    vmovdqu64 zmm1{k1}{z}, [rdx+rax*8]
    vcvtps2pd zmm0{k1}{z}, ymm0
    kmovq k2, k1
    vpscatterqq [r8+zmm1], k2, zmm0
L1:
    vzeroupper
    ret
L2:
    cmp rsi, 0x20
    jb L4
L3:
    vmovdqu32 ymm0, [rcx+rax*4]
    vmovdqu64 zmm1, [rdx+rax*8]
    vcvtps2pd zmm0, ymm0
    kmovq k2, k1
    vpscatterqq [r8+zmm1], k2, zmm0
    vmovdqu32 ymm0, [rcx+rax*4+0x20]
    vmovdqu64 zmm1, [rdx+rax*8+0x40]
    vcvtps2pd zmm0, ymm0
    kmovq k2, k1
    vpscatterqq [r8+zmm1], k2, zmm0
    vmovdqu32 ymm0, [rcx+rax*4+0x40]
    vmovdqu64 zmm1, [rdx+rax*8+0x80]
    vcvtps2pd zmm0, ymm0
    kmovq k2, k1
    vpscatterqq [r8+zmm1], k2, zmm0
    vmovdqu32 ymm0, [rcx+rax*4+0x60]
    vmovdqu64 zmm1, [rdx+rax*8+0xC0]
    vcvtps2pd zmm0, ymm0
    kmovq k2, k1
    vpscatterqq [r8+zmm1], k2, zmm0
    add rax, 0x20
    sub rsi, 0x20
    cmp rsi, 0x20
    jae L3
    cmp rsi, 8
    jb L0
L4:
    vmovdqu32 ymm0, [rcx+rax*4]
    vmovdqu64 zmm1, [rdx+rax*8]
    vcvtps2pd zmm0, ymm0
    kmovq k2, k1
    vpscatterqq [r8+zmm1], k2, zmm0
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L4
    jmp L0
