portable, Reduce, V4
body: 5 bytes of registers an element
  %1 of %[0, 0, 0]
epilogue: 12 bytes of registers an element
  %2 of %[0, 1, 0]
  %6 of %[4, 5, 4]
  pass over %[1, 0, 4, 5, 2, 6]: 433 bytes
    push rbx
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
    mov r10, [rdi+0x20]
    mov rbx, [rdi+0x28]
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
    vmovdqu32 zmm0{k1}{z}, [rdx+rax*4]
    vmovdqu32 zmm1{k1}{z}, [r8+rax*4]
    vmovdqu32 zmm2{k1}{z}, [r9+rax*4]
    vdivps zmm0{k1}{z}, zmm0, [rcx]{1to16}
    vsubps zmm1{k1}{z}, zmm1, zmm2
    vmovdqu32 [r10+rax*4]{k1}, zmm0
    vmovdqu32 [rbx+rax*4]{k1}, zmm1
L1:
    pop rbx
    vzeroupper
    ret
L2:
    cmp rsi, 0x40
    jb L4
L3:
    vmovdqu32 zmm0, [rdx+rax*4]
    vmovdqu32 zmm1, [r8+rax*4]
    vmovdqu32 zmm2, [r9+rax*4]
    vdivps zmm0, zmm0, [rcx]{1to16}
    vsubps zmm1, zmm1, zmm2
    vmovdqu32 [r10+rax*4], zmm0
    vmovdqu32 [rbx+rax*4], zmm1
    vmovdqu32 zmm0, [rdx+rax*4+0x40]
    vmovdqu32 zmm1, [r8+rax*4+0x40]
    vmovdqu32 zmm2, [r9+rax*4+0x40]
    vdivps zmm0, zmm0, [rcx]{1to16}
    vsubps zmm1, zmm1, zmm2
    vmovdqu32 [r10+rax*4+0x40], zmm0
    vmovdqu32 [rbx+rax*4+0x40], zmm1
    vmovdqu32 zmm0, [rdx+rax*4+0x80]
    vmovdqu32 zmm1, [r8+rax*4+0x80]
    vmovdqu32 zmm2, [r9+rax*4+0x80]
    vdivps zmm0, zmm0, [rcx]{1to16}
    vsubps zmm1, zmm1, zmm2
    vmovdqu32 [r10+rax*4+0x80], zmm0
    vmovdqu32 [rbx+rax*4+0x80], zmm1
    vmovdqu32 zmm0, [rdx+rax*4+0xC0]
    vmovdqu32 zmm1, [r8+rax*4+0xC0]
    vmovdqu32 zmm2, [r9+rax*4+0xC0]
    vdivps zmm0, zmm0, [rcx]{1to16}
    vsubps zmm1, zmm1, zmm2
    vmovdqu32 [r10+rax*4+0xC0], zmm0
    vmovdqu32 [rbx+rax*4+0xC0], zmm1
    add rax, 0x40
    sub rsi, 0x40
    cmp rsi, 0x40
    jae L3
    cmp rsi, 0x10
    jb L0
L4:
    vmovdqu32 zmm0, [rdx+rax*4]
    vmovdqu32 zmm1, [r8+rax*4]
    vmovdqu32 zmm2, [r9+rax*4]
    vdivps zmm0, zmm0, [rcx]{1to16}
    vsubps zmm1, zmm1, zmm2
    vmovdqu32 [r10+rax*4], zmm0
    vmovdqu32 [rbx+rax*4], zmm1
    add rax, 0x10
    sub rsi, 0x10
    cmp rsi, 0x10
    jae L4
    jmp L0
