portable, Map, V4
body: 30 bytes of registers an element
  %1 of %[0, 0, 0]
  %2 of %[1, 1, 1]
  %4 of %[0, 0, 0]
  %6 of %[5, 5, 5]
  %7 of %[4, 6, 4]
  %9 of %[7, 7, 7]
  pass over %[0, 5, 2, 7]: 434 bytes
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
    vmovdqu64 zmm0{k1}{z}, [rcx+rax*8]
    vmovdqu8 xmm1{k1}{z}, [rdx+rax]
    vcvtpd2ps ymm2{k1}{z}, zmm0
    vcvttpd2dq ymm0{k1}{z}, zmm0
    vpmovzxbd ymm1{k1}{z}, xmm1
    vpsllvd ymm0, ymm0, ymm1
    vpbroadcastd ymm1, [rdi+0x1C8]
    vmovups zmm3, [rdi+0x200]
    kmovq k2, k1
    vpscatterqd [r8+zmm3], k2, ymm2
    vmovups zmm4, [rdi+0x200]
    kmovq k3, k1
    vpscatterqd [r8+zmm4+4], k3, ymm1
    vmovdqu32 [r9+rax*4]{k1}, ymm0
L1:
    vzeroupper
    ret
L2:
    vpbroadcastd zmm5, [rdi+0x1C8]
    cmp rsi, 0x10
    jb L4
L3:
    vmovdqu64 zmm0, [rcx+rax*8]
    vmovdqu8 xmm1{k1}{z}, [rdx+rax]
    vcvtpd2ps ymm2, zmm0
    vcvttpd2dq ymm0, zmm0
    vpmovzxbd ymm1, xmm1
    vpsllvd ymm0, ymm0, ymm1
    vmovups zmm1, [rdi+0x240]
    vpermi2ps zmm1, zmm2, zmm5
    vmovups [r8], zmm1
    vmovdqu32 [r9+rax*4], ymm0
    vmovdqu64 zmm0, [rcx+rax*8+0x40]
    vmovdqu8 xmm1{k1}{z}, [rdx+rax+8]
    vcvtpd2ps ymm2, zmm0
    vcvttpd2dq ymm0, zmm0
    vpmovzxbd ymm1, xmm1
    vpsllvd ymm0, ymm0, ymm1
    vmovups zmm1, [rdi+0x240]
    vpermi2ps zmm1, zmm2, zmm5
    vmovups [r8+0x40], zmm1
    vmovdqu32 [r9+rax*4+0x20], ymm0
    add r8, 0x80
    add rax, 0x10
    sub rsi, 0x10
    cmp rsi, 0x10
    jae L3
    cmp rsi, 8
    jb L0
L4:
    vmovdqu64 zmm0, [rcx+rax*8]
    vmovdqu8 xmm1{k1}{z}, [rdx+rax]
    vcvtpd2ps ymm2, zmm0
    vcvttpd2dq ymm0, zmm0
    vpmovzxbd ymm1, xmm1
    vpsllvd ymm0, ymm0, ymm1
    vmovups zmm1, [rdi+0x240]
    vpermi2ps zmm1, zmm2, zmm5
    vmovups [r8], zmm1
    vmovdqu32 [r9+rax*4], ymm0
    add r8, 0x40
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L4
    jmp L0
epilogue: 0 bytes of registers an element
