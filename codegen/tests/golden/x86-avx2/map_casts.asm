portable, Map, V3
body: 30 bytes of registers an element
  %1 of %[0, 0, 0]
  %2 of %[1, 1, 1]
  %4 of %[0, 0, 0]
  %6 of %[5, 5, 5]
  %7 of %[4, 6, 4]
  %9 of %[7, 7, 7]
  pass over %[0, 5, 7]: 289 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    xor rax, rax
    cmp rsi, 0x10
    jb L1
L0:
    vmovups ymm0, [rcx+rax*8]
    vmovd xmm1, [rdx+rax]
    vcvttpd2dq xmm0, ymm0
    vpmovzxbd xmm1, xmm1
    vpsllvd xmm0, xmm0, xmm1
    vmovups [r8+rax*4], xmm0
    vmovups ymm0, [rcx+rax*8+0x20]
    vmovd xmm1, [rdx+rax+4]
    vcvttpd2dq xmm0, ymm0
    vpmovzxbd xmm1, xmm1
    vpsllvd xmm0, xmm0, xmm1
    vmovups [r8+rax*4+0x10], xmm0
    vmovups ymm0, [rcx+rax*8+0x40]
    vmovd xmm1, [rdx+rax+8]
    vcvttpd2dq xmm0, ymm0
    vpmovzxbd xmm1, xmm1
    vpsllvd xmm0, xmm0, xmm1
    vmovups [r8+rax*4+0x20], xmm0
    vmovups ymm0, [rcx+rax*8+0x60]
    vmovd xmm1, [rdx+rax+0xC]
    vcvttpd2dq xmm0, ymm0
    vpmovzxbd xmm1, xmm1
    vpsllvd xmm0, xmm0, xmm1
    vmovups [r8+rax*4+0x30], xmm0
    add rax, 0x10
    sub rsi, 0x10
    cmp rsi, 0x10
    jae L0
L1:
    cmp rsi, 4
    jb L3
L2:
    vmovups ymm0, [rcx+rax*8]
    vmovd xmm1, [rdx+rax]
    vcvttpd2dq xmm0, ymm0
    vpmovzxbd xmm1, xmm1
    vpsllvd xmm0, xmm0, xmm1
    vmovups [r8+rax*4], xmm0
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L2
L3:
    test rsi, rsi
    je L4
    mov rcx, [rdi+0x200]
    mov rdx, [rdi+0x208]
    mov r8, [rdi+0x210]
    vmovups ymm0, [rcx+rax*8]
    vmovd xmm1, [rdx+rax]
    vcvttpd2dq xmm0, ymm0
    vpmovzxbd xmm1, xmm1
    vpsllvd xmm0, xmm0, xmm1
    vmovups [r8+rax*4], xmm0
L4:
    vzeroupper
    ret
epilogue: 0 bytes of registers an element
