portable, Map, V3
body: 30 bytes of registers an element
  %1 of %[0, 0, 0]
  %2 of %[1, 1, 1]
  %4 of %[0, 0, 0]
  %6 of %[5, 5, 5]
  %7 of %[4, 6, 4]
  %9 of %[7, 7, 7]
  pass over %[0, 5, 2, 7]: 382 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
    xor rax, rax
    cmp rsi, 4
    jae L2
L0:
    test rsi, rsi
    je L1
    mov rcx, [rdi+0x300]
    mov rdx, [rdi+0x308]
    mov r8, [rdi+0x310]
    mov r9, [rdi+0x318]
    vmovups ymm0, [rcx+rax*8]
    vmovd xmm1, [rdx+rax]
    vcvtpd2ps xmm2, ymm0
    vcvttpd2dq xmm0, ymm0
    vpmovzxbd xmm1, xmm1
    vpsllvd xmm0, xmm0, xmm1
    vmovups ymm1, [rdi+0x340]
    vpunpckldq xmm3, xmm2, xmm1
    vpunpckhdq xmm4, xmm2, xmm1
    vinserti128 ymm5, ymm3, xmm4, 1
    vmovups [r8], ymm5
    vmovups [r9+rax*4], xmm0
L1:
    vzeroupper
    ret
L2:
    cmp rsi, 8
    jb L4
L3:
    vmovups ymm0, [rcx+rax*8]
    vmovd xmm1, [rdx+rax]
    vcvtpd2ps xmm2, ymm0
    vcvttpd2dq xmm0, ymm0
    vpmovzxbd xmm1, xmm1
    vpsllvd xmm0, xmm0, xmm1
    vmovups ymm1, [rdi+0x340]
    vpunpckldq xmm3, xmm2, xmm1
    vpunpckhdq xmm4, xmm2, xmm1
    vinserti128 ymm5, ymm3, xmm4, 1
    vmovups [r8], ymm5
    vmovups [r9+rax*4], xmm0
    vmovups ymm0, [rcx+rax*8+0x20]
    vmovd xmm1, [rdx+rax+4]
    vcvtpd2ps xmm2, ymm0
    vcvttpd2dq xmm0, ymm0
    vpmovzxbd xmm1, xmm1
    vpsllvd xmm0, xmm0, xmm1
    vmovups ymm1, [rdi+0x340]
    vpunpckldq xmm3, xmm2, xmm1
    vpunpckhdq xmm4, xmm2, xmm1
    vinserti128 ymm5, ymm3, xmm4, 1
    vmovups [r8+0x20], ymm5
    vmovups [r9+rax*4+0x10], xmm0
    add r8, 0x40
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L3
    cmp rsi, 4
    jb L0
L4:
    vmovups ymm0, [rcx+rax*8]
    vmovd xmm1, [rdx+rax]
    vcvtpd2ps xmm2, ymm0
    vcvttpd2dq xmm0, ymm0
    vpmovzxbd xmm1, xmm1
    vpsllvd xmm0, xmm0, xmm1
    vmovups ymm1, [rdi+0x340]
    vpunpckldq xmm3, xmm2, xmm1
    vpunpckhdq xmm4, xmm2, xmm1
    vinserti128 ymm5, ymm3, xmm4, 1
    vmovups [r8], ymm5
    vmovups [r9+rax*4], xmm0
    add r8, 0x20
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L4
    jmp L0
epilogue: 0 bytes of registers an element
