x86
dense: 447 bytes
    mov rcx, [rdi]
    xor rax, rax
    mov r11d, 0xFF
    kmovq k1, r11
    cmp rsi, 0x20
    jb L1
L0:
    vmovups zmm0, [rdi+0x40]
    vpbroadcastq zmm1, rax
    vpaddq zmm1, zmm1, zmm0
    vpaddq zmm1, zmm1, [rdi+0x18]{1to8}
    vpbroadcastq zmm0, [rdi+0x10]
    vpcmpeqq k2, zmm0, zmm1
    vpbroadcastq zmm0{k2}{z}, [rdi+0xC8]
    vmovdqu64 [rcx+rax*8], zmm0
    vmovups zmm0, [rdi+0x40]
    vpbroadcastq zmm1, rax
    vpaddq zmm1, zmm1, zmm0
    vpaddq zmm1, zmm1, [rdi+0x18]{1to8}
    vpaddq zmm1, zmm1, [rdi+0xD0]{1to8}
    vpbroadcastq zmm0, [rdi+0x10]
    vpcmpeqq k2, zmm0, zmm1
    vpbroadcastq zmm0{k2}{z}, [rdi+0xC8]
    vmovdqu64 [rcx+rax*8+0x40], zmm0
    vmovups zmm0, [rdi+0x40]
    vpbroadcastq zmm1, rax
    vpaddq zmm1, zmm1, zmm0
    vpaddq zmm1, zmm1, [rdi+0x18]{1to8}
    vpaddq zmm1, zmm1, [rdi+0xD8]{1to8}
    vpbroadcastq zmm0, [rdi+0x10]
    vpcmpeqq k2, zmm0, zmm1
    vpbroadcastq zmm0{k2}{z}, [rdi+0xC8]
    vmovdqu64 [rcx+rax*8+0x80], zmm0
    vmovups zmm0, [rdi+0x40]
    vpbroadcastq zmm1, rax
    vpaddq zmm1, zmm1, zmm0
    vpaddq zmm1, zmm1, [rdi+0x18]{1to8}
    vpaddq zmm1, zmm1, [rdi+0xE0]{1to8}
    vpbroadcastq zmm0, [rdi+0x10]
    vpcmpeqq k2, zmm0, zmm1
    vpbroadcastq zmm0{k2}{z}, [rdi+0xC8]
    vmovdqu64 [rcx+rax*8+0xC0], zmm0
    add rax, 0x20
    sub rsi, 0x20
    cmp rsi, 0x20
    jae L0
L1:
    cmp rsi, 8
    jb L3
L2:
    vmovups zmm0, [rdi+0x40]
    vpbroadcastq zmm1, rax
    vpaddq zmm1, zmm1, zmm0
    vpaddq zmm1, zmm1, [rdi+0x18]{1to8}
    vpbroadcastq zmm0, [rdi+0x10]
    vpcmpeqq k2, zmm0, zmm1
    vpbroadcastq zmm0{k2}{z}, [rdi+0xC8]
    vmovdqu64 [rcx+rax*8], zmm0
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L2
L3:
    test rsi, rsi
    je L4
    mov r11, 0xFFFFFFFFFFFFFFFF
    bzhi r11, r11, rsi
    kmovq k1, r11
    vmovups zmm0, [rdi+0x40]
    vpbroadcastq zmm1, rax
    vpaddq zmm1, zmm1, zmm0
    vpaddq zmm1, zmm1, [rdi+0x18]{1to8}
    vpbroadcastq zmm0, [rdi+0x10]
    vpcmpeqq k2{k1}, zmm0, zmm1
    vpbroadcastq zmm0{k2}{z}, [rdi+0xC8]
    vmovdqu64 [rcx+rax*8]{k1}, zmm0
L4:
    vzeroupper
    ret
