x86, Avx512
dense: 367 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
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
    vcmpunordps k2{k1}, zmm0, zmm0
    vcmplt_oqps k3{k1}, zmm0, [rdi+0x20]{1to16}
    korq k2, k2, k3
    vpblendmd zmm0{k2}, zmm0, [rdi+0x20]{1to16}
    vmovdqu32 [rdx+rax*4]{k1}, zmm0
L1:
    vzeroupper
    ret
L2:
    vpbroadcastd zmm1, [rdi+0x20]
    cmp rsi, 0x40
    jb L4
L3:
    vmovdqu32 zmm0, [rcx+rax*4]
    vcmpunordps k2, zmm0, zmm0
    vcmplt_oqps k3, zmm0, zmm1
    korq k2, k2, k3
    vpblendmd zmm0{k2}, zmm0, zmm1
    vmovdqu32 [rdx+rax*4], zmm0
    vmovdqu32 zmm0, [rcx+rax*4+0x40]
    vcmpunordps k2, zmm0, zmm0
    vcmplt_oqps k3, zmm0, zmm1
    korq k2, k2, k3
    vpblendmd zmm0{k2}, zmm0, zmm1
    vmovdqu32 [rdx+rax*4+0x40], zmm0
    vmovdqu32 zmm0, [rcx+rax*4+0x80]
    vcmpunordps k2, zmm0, zmm0
    vcmplt_oqps k3, zmm0, zmm1
    korq k2, k2, k3
    vpblendmd zmm0{k2}, zmm0, zmm1
    vmovdqu32 [rdx+rax*4+0x80], zmm0
    vmovdqu32 zmm0, [rcx+rax*4+0xC0]
    vcmpunordps k2, zmm0, zmm0
    vcmplt_oqps k3, zmm0, zmm1
    korq k2, k2, k3
    vpblendmd zmm0{k2}, zmm0, zmm1
    vmovdqu32 [rdx+rax*4+0xC0], zmm0
    add rax, 0x40
    sub rsi, 0x40
    cmp rsi, 0x40
    jae L3
    cmp rsi, 0x10
    jb L0
L4:
    vmovdqu32 zmm0, [rcx+rax*4]
    vcmpunordps k2, zmm0, zmm0
    vcmplt_oqps k3, zmm0, zmm1
    korq k2, k2, k3
    vpblendmd zmm0{k2}, zmm0, zmm1
    vmovdqu32 [rdx+rax*4], zmm0
    add rax, 0x10
    sub rsi, 0x10
    cmp rsi, 0x10
    jae L4
    jmp L0
