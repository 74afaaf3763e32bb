portable, Map, V3
body: 144 bytes of registers an element
  %2 of %[0, 1, 0]
  %5 of %[2, 3, 4]
  %6 of %[5, 4, 5]
  %8 of %[6, 7, 2]
  %10 of %[6, 9, 8]
  %13 of %[11, 10, 12]
  %15 of %[13, 10, 14]
  %17 of %[15, 10, 16]
  %19 of %[17, 10, 18]
  %21 of %[19, 10, 20]
  %23 of %[21, 10, 22]
  %24 of %[5, 5, 5]
  %25 of %[24, 24, 24]
  %26 of %[25, 23, 25]
  %27 of %[26, 0, 26]
  %28 of %[27, 6, 27]
  pass over %[3, 4, 7, 2, 5, 6, 8]: 349 bytes
    push rbx
    push rbp
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
    mov r10, [rdi+0x20]
    mov rbx, [rdi+0x28]
    mov rbp, [rdi+0x30]
    xor rax, rax
    cmp rsi, 4
    jae L2
L0:
    test rsi, rsi
    je L1
    mov r9, [rdi+0x3D8]
    mov r10, [rdi+0x3E0]
    mov rbx, [rdi+0x3E8]
    mov rbp, [rdi+0x3F0]
    vmovups ymm0, [r9+rax*8]
    vpbroadcastq ymm1, [rcx]
    vpbroadcastq ymm2, [rdx]
    vfmadd213pd ymm1, ymm0, ymm2
    vsubpd ymm2, ymm1, ymm2
    vpbroadcastq ymm3, [r8]
    vfmadd213pd ymm3, ymm2, ymm0
    vmovups [r10+rax*8], ymm1
    vmovups [rbx+rax*8], ymm2
    vmovups [rbp+rax*8], ymm3
L1:
    pop rbp
    pop rbx
    vzeroupper
    ret
L2:
    cmp rsi, 8
    jb L4
L3:
    vmovups ymm0, [r9+rax*8]
    vpbroadcastq ymm1, [rcx]
    vpbroadcastq ymm2, [rdx]
    vfmadd213pd ymm1, ymm0, ymm2
    vsubpd ymm2, ymm1, ymm2
    vpbroadcastq ymm3, [r8]
    vfmadd213pd ymm3, ymm2, ymm0
    vmovups [r10+rax*8], ymm1
    vmovups [rbx+rax*8], ymm2
    vmovups [rbp+rax*8], ymm3
    vmovups ymm0, [r9+rax*8+0x20]
    vpbroadcastq ymm1, [rcx]
    vpbroadcastq ymm2, [rdx]
    vfmadd213pd ymm1, ymm0, ymm2
    vsubpd ymm2, ymm1, ymm2
    vpbroadcastq ymm3, [r8]
    vfmadd213pd ymm3, ymm2, ymm0
    vmovups [r10+rax*8+0x20], ymm1
    vmovups [rbx+rax*8+0x20], ymm2
    vmovups [rbp+rax*8+0x20], ymm3
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L3
    cmp rsi, 4
    jb L0
L4:
    vmovups ymm0, [r9+rax*8]
    vpbroadcastq ymm1, [rcx]
    vpbroadcastq ymm2, [rdx]
    vfmadd213pd ymm1, ymm0, ymm2
    vsubpd ymm2, ymm1, ymm2
    vpbroadcastq ymm3, [r8]
    vfmadd213pd ymm3, ymm2, ymm0
    vmovups [r10+rax*8], ymm1
    vmovups [rbx+rax*8], ymm2
    vmovups [rbp+rax*8], ymm3
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L4
    jmp L0
  pass over %[9, 11, 12, 14, 6, 8, 10, 15]: 385 bytes
    push rbx
    push rbp
    push r12
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
    mov r10, [rdi+0x20]
    mov rbx, [rdi+0x28]
    mov rbp, [rdi+0x30]
    mov r12, [rdi+0x38]
    xor rax, rax
    cmp rsi, 4
    jae L2
L0:
    test rsi, rsi
    je L1
    mov r10, [rdi+0x440]
    mov rbx, [rdi+0x448]
    mov rbp, [rdi+0x450]
    mov r12, [rdi+0x458]
    vmovups ymm0, [r10+rax*8]
    vmovups ymm1, [rbx+rax*8]
    vpbroadcastq ymm2, [rcx]
    vfmadd213pd ymm0, ymm2, ymm1
    vpbroadcastq ymm1, [rdx]
    vpbroadcastq ymm2, [r8]
    vfmadd213pd ymm1, ymm0, ymm2
    vpbroadcastq ymm2, [r9]
    vfmadd213pd ymm1, ymm0, ymm2
    vmovups [rbp+rax*8], ymm0
    vmovups [r12+rax*8], ymm1
L1:
    pop r12
    pop rbp
    pop rbx
    vzeroupper
    ret
L2:
    cmp rsi, 8
    jb L4
L3:
    vmovups ymm0, [r10+rax*8]
    vmovups ymm1, [rbx+rax*8]
    vpbroadcastq ymm2, [rcx]
    vfmadd213pd ymm0, ymm2, ymm1
    vpbroadcastq ymm1, [rdx]
    vpbroadcastq ymm2, [r8]
    vfmadd213pd ymm1, ymm0, ymm2
    vpbroadcastq ymm2, [r9]
    vfmadd213pd ymm1, ymm0, ymm2
    vmovups [rbp+rax*8], ymm0
    vmovups [r12+rax*8], ymm1
    vmovups ymm0, [r10+rax*8+0x20]
    vmovups ymm1, [rbx+rax*8+0x20]
    vpbroadcastq ymm2, [rcx]
    vfmadd213pd ymm0, ymm2, ymm1
    vpbroadcastq ymm1, [rdx]
    vpbroadcastq ymm2, [r8]
    vfmadd213pd ymm1, ymm0, ymm2
    vpbroadcastq ymm2, [r9]
    vfmadd213pd ymm1, ymm0, ymm2
    vmovups [rbp+rax*8+0x20], ymm0
    vmovups [r12+rax*8+0x20], ymm1
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L3
    cmp rsi, 4
    jb L0
L4:
    vmovups ymm0, [r10+rax*8]
    vmovups ymm1, [rbx+rax*8]
    vpbroadcastq ymm2, [rcx]
    vfmadd213pd ymm0, ymm2, ymm1
    vpbroadcastq ymm1, [rdx]
    vpbroadcastq ymm2, [r8]
    vfmadd213pd ymm1, ymm0, ymm2
    vpbroadcastq ymm2, [r9]
    vfmadd213pd ymm1, ymm0, ymm2
    vmovups [rbp+rax*8], ymm0
    vmovups [r12+rax*8], ymm1
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L4
    jmp L0
  pass over %[16, 18, 20, 22, 5, 10, 15, 23, 24]: 448 bytes
    push rbx
    push rbp
    push r12
    push r13
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
    mov r10, [rdi+0x20]
    mov rbx, [rdi+0x28]
    mov rbp, [rdi+0x30]
    mov r12, [rdi+0x38]
    mov r13, [rdi+0x40]
    xor rax, rax
    cmp rsi, 4
    jae L2
L0:
    test rsi, rsi
    je L1
    mov r10, [rdi+0x4A0]
    mov rbx, [rdi+0x4A8]
    mov rbp, [rdi+0x4B0]
    mov r12, [rdi+0x4B8]
    mov r13, [rdi+0x4C0]
    vmovups ymm0, [r10+rax*8]
    vmovups ymm1, [rbx+rax*8]
    vmovups ymm2, [rbp+rax*8]
    vpbroadcastq ymm3, [rcx]
    vfmadd213pd ymm2, ymm1, ymm3
    vpbroadcastq ymm3, [rdx]
    vfmadd213pd ymm2, ymm1, ymm3
    vpbroadcastq ymm3, [r8]
    vfmadd213pd ymm2, ymm1, ymm3
    vpbroadcastq ymm3, [r9]
    vfmadd213pd ymm2, ymm1, ymm3
    vmovups [r12+rax*8], ymm2
    vmovups [r13+rax*8], ymm0
L1:
    pop r13
    pop r12
    pop rbp
    pop rbx
    vzeroupper
    ret
L2:
    cmp rsi, 8
    jb L4
L3:
    vmovups ymm0, [r10+rax*8]
    vmovups ymm1, [rbx+rax*8]
    vmovups ymm2, [rbp+rax*8]
    vpbroadcastq ymm3, [rcx]
    vfmadd213pd ymm2, ymm1, ymm3
    vpbroadcastq ymm3, [rdx]
    vfmadd213pd ymm2, ymm1, ymm3
    vpbroadcastq ymm3, [r8]
    vfmadd213pd ymm2, ymm1, ymm3
    vpbroadcastq ymm3, [r9]
    vfmadd213pd ymm2, ymm1, ymm3
    vmovups [r12+rax*8], ymm2
    vmovups [r13+rax*8], ymm0
    vmovups ymm0, [r10+rax*8+0x20]
    vmovups ymm1, [rbx+rax*8+0x20]
    vmovups ymm2, [rbp+rax*8+0x20]
    vpbroadcastq ymm3, [rcx]
    vfmadd213pd ymm2, ymm1, ymm3
    vpbroadcastq ymm3, [rdx]
    vfmadd213pd ymm2, ymm1, ymm3
    vpbroadcastq ymm3, [r8]
    vfmadd213pd ymm2, ymm1, ymm3
    vpbroadcastq ymm3, [r9]
    vfmadd213pd ymm2, ymm1, ymm3
    vmovups [r12+rax*8+0x20], ymm2
    vmovups [r13+rax*8+0x20], ymm0
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L3
    cmp rsi, 4
    jb L0
L4:
    vmovups ymm0, [r10+rax*8]
    vmovups ymm1, [rbx+rax*8]
    vmovups ymm2, [rbp+rax*8]
    vpbroadcastq ymm3, [rcx]
    vfmadd213pd ymm2, ymm1, ymm3
    vpbroadcastq ymm3, [rdx]
    vfmadd213pd ymm2, ymm1, ymm3
    vpbroadcastq ymm3, [r8]
    vfmadd213pd ymm2, ymm1, ymm3
    vpbroadcastq ymm3, [r9]
    vfmadd213pd ymm2, ymm1, ymm3
    vmovups [r12+rax*8], ymm2
    vmovups [r13+rax*8], ymm0
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L4
    jmp L0
epilogue: 0 bytes of registers an element
