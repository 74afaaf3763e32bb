portable, Map, V4
body: 30 bytes of registers an element
  %1 of %[0, 0, 0]
  %2 of %[1, 1, 1]
  %4 of %[0, 0, 0]
  %6 of %[5, 5, 5]
  %7 of %[4, 6, 4]
  %9 of %[7, 7, 7]
  pass over %[0, 5, 7]: 356 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    xor rax, rax
    mov r11d, 0xFF
    kmovq k1, r11
    cmp rsi, 0x20
    jb L1
L0:
    vmovdqu64 zmm0, [rcx+rax*8]
    vmovdqu8 xmm1{k1}{z}, [rdx+rax]
    vcvttpd2dq ymm0, zmm0
    vpmovzxbd ymm1, xmm1
    vpsllvd ymm0, ymm0, ymm1
    vmovdqu32 [r8+rax*4], ymm0
    vmovdqu64 zmm0, [rcx+rax*8+0x40]
    vmovdqu8 xmm1{k1}{z}, [rdx+rax+8]
    vcvttpd2dq ymm0, zmm0
    vpmovzxbd ymm1, xmm1
    vpsllvd ymm0, ymm0, ymm1
    vmovdqu32 [r8+rax*4+0x20], ymm0
    vmovdqu64 zmm0, [rcx+rax*8+0x80]
    vmovdqu8 xmm1{k1}{z}, [rdx+rax+0x10]
    vcvttpd2dq ymm0, zmm0
    vpmovzxbd ymm1, xmm1
    vpsllvd ymm0, ymm0, ymm1
    vmovdqu32 [r8+rax*4+0x40], ymm0
    vmovdqu64 zmm0, [rcx+rax*8+0xC0]
    vmovdqu8 xmm1{k1}{z}, [rdx+rax+0x18]
    vcvttpd2dq ymm0, zmm0
    vpmovzxbd ymm1, xmm1
    vpsllvd ymm0, ymm0, ymm1
    vmovdqu32 [r8+rax*4+0x60], ymm0
    add rax, 0x20
    sub rsi, 0x20
    cmp rsi, 0x20
    jae L0
L1:
    cmp rsi, 8
    jb L3
L2:
    vmovdqu64 zmm0, [rcx+rax*8]
    vmovdqu8 xmm1{k1}{z}, [rdx+rax]
    vcvttpd2dq ymm0, zmm0
    vpmovzxbd ymm1, xmm1
    vpsllvd ymm0, ymm0, ymm1
    vmovdqu32 [r8+rax*4], ymm0
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
    vmovdqu64 zmm0{k1}{z}, [rcx+rax*8]
    vmovdqu8 xmm1{k1}{z}, [rdx+rax]
    vcvttpd2dq ymm0{k1}{z}, zmm0
    vpmovzxbd ymm1{k1}{z}, xmm1
    vpsllvd ymm0, ymm0, ymm1
    vmovdqu32 [r8+rax*4]{k1}, ymm0
L4:
    vzeroupper
    ret
epilogue: 0 bytes of registers an element
