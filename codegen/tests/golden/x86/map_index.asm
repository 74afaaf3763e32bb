x86, Avx512
dense: 398 bytes
    mov rcx, [rdi]
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
    vpbroadcastq zmm0, rax
    vpaddq zmm0, zmm0, [rdi+0x40]
    vpaddq zmm0, zmm0, [rdi+0x18]{1to8}
    vpbroadcastq zmm1, [rdi+0x10]
    vpcmpeqq k2{k1}, zmm1, zmm0
    vpbroadcastq zmm0{k2}{z}, [rdi+0xC8]
    vmovdqu64 [rcx+rax*8]{k1}, zmm0
L1:
    vzeroupper
    ret
L2:
    vpbroadcastq zmm2, [rdi+0x10]
    cmp rsi, 0x20
    jb L4
L3:
    vpbroadcastq zmm0, rax
    vpaddq zmm0, zmm0, [rdi+0x40]
    vpaddq zmm0, zmm0, [rdi+0x18]{1to8}
    vpcmpeqq k2, zmm2, zmm0
    vpbroadcastq zmm0{k2}{z}, [rdi+0xC8]
    vmovdqu64 [rcx+rax*8], zmm0
    vpbroadcastq zmm0, rax
    vpaddq zmm0, zmm0, [rdi+0x40]
    vpaddq zmm0, zmm0, [rdi+0x18]{1to8}
    vpaddq zmm0, zmm0, [rdi+0xD0]{1to8}
    vpcmpeqq k2, zmm2, zmm0
    vpbroadcastq zmm0{k2}{z}, [rdi+0xC8]
    vmovdqu64 [rcx+rax*8+0x40], zmm0
    vpbroadcastq zmm0, rax
    vpaddq zmm0, zmm0, [rdi+0x40]
    vpaddq zmm0, zmm0, [rdi+0x18]{1to8}
    vpaddq zmm0, zmm0, [rdi+0xD8]{1to8}
    vpcmpeqq k2, zmm2, zmm0
    vpbroadcastq zmm0{k2}{z}, [rdi+0xC8]
    vmovdqu64 [rcx+rax*8+0x80], zmm0
    vpbroadcastq zmm0, rax
    vpaddq zmm0, zmm0, [rdi+0x40]
    vpaddq zmm0, zmm0, [rdi+0x18]{1to8}
    vpaddq zmm0, zmm0, [rdi+0xE0]{1to8}
    vpcmpeqq k2, zmm2, zmm0
    vpbroadcastq zmm0{k2}{z}, [rdi+0xC8]
    vmovdqu64 [rcx+rax*8+0xC0], zmm0
    add rax, 0x20
    sub rsi, 0x20
    cmp rsi, 0x20
    jae L3
    cmp rsi, 8
    jb L0
L4:
    vpbroadcastq zmm0, rax
    vpaddq zmm0, zmm0, [rdi+0x40]
    vpaddq zmm0, zmm0, [rdi+0x18]{1to8}
    vpcmpeqq k2, zmm2, zmm0
    vpbroadcastq zmm0{k2}{z}, [rdi+0xC8]
    vmovdqu64 [rcx+rax*8], zmm0
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L4
    jmp L0
