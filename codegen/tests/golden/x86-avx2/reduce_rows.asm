portable, Reduce, V3
body: 5 bytes of registers an element
  %1 of %[0, 0, 0]
epilogue: 12 bytes of registers an element
  %2 of %[0, 1, 0]
  %6 of %[4, 5, 4]
  pass over %[1, 0, 4, 5, 2, 6]: 404 bytes
    push rbx
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
    mov r10, [rdi+0x20]
    mov rbx, [rdi+0x28]
    xor rax, rax
    cmp rsi, 8
    jae L2
L0:
    test rsi, rsi
    je L1
    mov rdx, [rdi+0x4E8]
    mov r8, [rdi+0x4F0]
    mov r9, [rdi+0x4F8]
    mov r10, [rdi+0x500]
    mov rbx, [rdi+0x508]
    vmovups ymm0, [rdx+rax*4]
    vmovups ymm1, [r8+rax*4]
    vmovups ymm2, [r9+rax*4]
    vpbroadcastd ymm3, [rcx]
    vdivps ymm0, ymm0, ymm3
    vsubps ymm1, ymm1, ymm2
    vmovups [r10+rax*4], ymm0
    vmovups [rbx+rax*4], ymm1
L1:
    pop rbx
    vzeroupper
    ret
L2:
    cmp rsi, 0x20
    jb L4
L3:
    vmovups ymm0, [rdx+rax*4]
    vmovups ymm1, [r8+rax*4]
    vmovups ymm2, [r9+rax*4]
    vpbroadcastd ymm3, [rcx]
    vdivps ymm0, ymm0, ymm3
    vsubps ymm1, ymm1, ymm2
    vmovups [r10+rax*4], ymm0
    vmovups [rbx+rax*4], ymm1
    vmovups ymm0, [rdx+rax*4+0x20]
    vmovups ymm1, [r8+rax*4+0x20]
    vmovups ymm2, [r9+rax*4+0x20]
    vpbroadcastd ymm3, [rcx]
    vdivps ymm0, ymm0, ymm3
    vsubps ymm1, ymm1, ymm2
    vmovups [r10+rax*4+0x20], ymm0
    vmovups [rbx+rax*4+0x20], ymm1
    vmovups ymm0, [rdx+rax*4+0x40]
    vmovups ymm1, [r8+rax*4+0x40]
    vmovups ymm2, [r9+rax*4+0x40]
    vpbroadcastd ymm3, [rcx]
    vdivps ymm0, ymm0, ymm3
    vsubps ymm1, ymm1, ymm2
    vmovups [r10+rax*4+0x40], ymm0
    vmovups [rbx+rax*4+0x40], ymm1
    vmovups ymm0, [rdx+rax*4+0x60]
    vmovups ymm1, [r8+rax*4+0x60]
    vmovups ymm2, [r9+rax*4+0x60]
    vpbroadcastd ymm3, [rcx]
    vdivps ymm0, ymm0, ymm3
    vsubps ymm1, ymm1, ymm2
    vmovups [r10+rax*4+0x60], ymm0
    vmovups [rbx+rax*4+0x60], ymm1
    add rax, 0x20
    sub rsi, 0x20
    cmp rsi, 0x20
    jae L3
    cmp rsi, 8
    jb L0
L4:
    vmovups ymm0, [rdx+rax*4]
    vmovups ymm1, [r8+rax*4]
    vmovups ymm2, [r9+rax*4]
    vpbroadcastd ymm3, [rcx]
    vdivps ymm0, ymm0, ymm3
    vsubps ymm1, ymm1, ymm2
    vmovups [r10+rax*4], ymm0
    vmovups [rbx+rax*4], ymm1
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L4
    jmp L0
