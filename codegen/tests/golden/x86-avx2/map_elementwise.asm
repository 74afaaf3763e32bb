portable, Map, V3
body: 48 bytes of registers an element
  %2 of %[0, 1, 0]
  %4 of %[2, 3, 2]
  %5 of %[4, 4, 4]
  %7 of %[5, 6, 5]
  pass over %[1, 3, 0, 4]: 298 bytes
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
    mov r8, [rdi+0x270]
    mov r9, [rdi+0x278]
    vmovups ymm0, [r8+rax*8]
    vpbroadcastq ymm1, [rcx]
    vmulpd ymm0, ymm0, ymm1
    vpbroadcastq ymm1, [rdx]
    vaddpd ymm0, ymm0, ymm1
    vmovups [r9+rax*8], ymm0
L1:
    vzeroupper
    ret
L2:
    cmp rsi, 0x10
    jb L4
L3:
    vmovups ymm0, [r8+rax*8]
    vpbroadcastq ymm1, [rcx]
    vmulpd ymm0, ymm0, ymm1
    vpbroadcastq ymm1, [rdx]
    vaddpd ymm0, ymm0, ymm1
    vmovups [r9+rax*8], ymm0
    vmovups ymm0, [r8+rax*8+0x20]
    vpbroadcastq ymm1, [rcx]
    vmulpd ymm0, ymm0, ymm1
    vpbroadcastq ymm1, [rdx]
    vaddpd ymm0, ymm0, ymm1
    vmovups [r9+rax*8+0x20], ymm0
    vmovups ymm0, [r8+rax*8+0x40]
    vpbroadcastq ymm1, [rcx]
    vmulpd ymm0, ymm0, ymm1
    vpbroadcastq ymm1, [rdx]
    vaddpd ymm0, ymm0, ymm1
    vmovups [r9+rax*8+0x40], ymm0
    vmovups ymm0, [r8+rax*8+0x60]
    vpbroadcastq ymm1, [rcx]
    vmulpd ymm0, ymm0, ymm1
    vpbroadcastq ymm1, [rdx]
    vaddpd ymm0, ymm0, ymm1
    vmovups [r9+rax*8+0x60], ymm0
    add rax, 0x10
    sub rsi, 0x10
    cmp rsi, 0x10
    jae L3
    cmp rsi, 4
    jb L0
L4:
    vmovups ymm0, [r8+rax*8]
    vpbroadcastq ymm1, [rcx]
    vmulpd ymm0, ymm0, ymm1
    vpbroadcastq ymm1, [rdx]
    vaddpd ymm0, ymm0, ymm1
    vmovups [r9+rax*8], ymm0
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L4
    jmp L0
epilogue: 0 bytes of registers an element
