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
  pass over %[3, 4, 7, 9, 11, 12, 14, 16, 18, 20, 22, 2, 6, 23, 24]: 619 bytes
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
    mov r10, [rdi+0x20]
    mov rbx, [rdi+0x28]
    mov rbp, [rdi+0x30]
    mov r12, [rdi+0x38]
    mov r13, [rdi+0x40]
    mov r14, [rdi+0x48]
    mov r15, [rdi+0x50]
    mov [rdi+0x108], r15
    mov r15, [rdi+0x58]
    mov [rdi+0x110], r15
    mov r15, [rdi+0x60]
    mov [rdi+0x118], r15
    mov r15, [rdi+0x68]
    mov [rdi+0x120], r15
    mov r15, [rdi+0x70]
    mov [rdi+0x128], r15
    xor rax, rax
    mov r15, [rdi+0x108]
    vpbroadcastq ymm0, [r15]
    vmovups [rdi+0x7C0], ymm0
    cmp rsi, 4
    jae L2
L0:
    test rsi, rsi
    je L1
    mov r15, [rdi+0x798]
    mov [rdi+0x110], r15
    mov r15, [rdi+0x7A0]
    mov [rdi+0x118], r15
    mov r15, [rdi+0x7A8]
    mov [rdi+0x120], r15
    mov r15, [rdi+0x7B0]
    mov [rdi+0x128], r15
    mov r15, [rdi+0x110]
    vmovups ymm0, [r15+rax*8]
    vpbroadcastq ymm1, [rcx]
    vpbroadcastq ymm2, [rdx]
    vfmadd213pd ymm1, ymm0, ymm2
    vsubpd ymm2, ymm1, ymm2
    vpbroadcastq ymm3, [r8]
    vfmadd213pd ymm3, ymm2, ymm0
    vpbroadcastq ymm0, [r9]
    vfmadd213pd ymm0, ymm2, ymm3
    vpbroadcastq ymm3, [r10]
    vpbroadcastq ymm4, [rbx]
    vfmadd213pd ymm3, ymm0, ymm4
    vpbroadcastq ymm4, [rbp]
    vfmadd213pd ymm3, ymm0, ymm4
    vpbroadcastq ymm4, [r12]
    vfmadd213pd ymm3, ymm0, ymm4
    vpbroadcastq ymm4, [r13]
    vfmadd213pd ymm3, ymm0, ymm4
    vpbroadcastq ymm4, [r14]
    vfmadd213pd ymm3, ymm0, ymm4
    vfmadd213pd ymm3, ymm0, [rdi+0x7C0]
    mov r15, [rdi+0x118]
    vmovups [r15+rax*8], ymm2
    mov r15, [rdi+0x120]
    vmovups [r15+rax*8], ymm3
    mov r15, [rdi+0x128]
    vmovups [r15+rax*8], ymm1
L1:
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    vzeroupper
    ret
L2:
    mov r15, [rdi+0x110]
    vmovups ymm0, [r15+rax*8]
    vpbroadcastq ymm1, [rcx]
    vpbroadcastq ymm2, [rdx]
    vfmadd213pd ymm1, ymm0, ymm2
    vsubpd ymm2, ymm1, ymm2
    vpbroadcastq ymm3, [r8]
    vfmadd213pd ymm3, ymm2, ymm0
    vpbroadcastq ymm0, [r9]
    vfmadd213pd ymm0, ymm2, ymm3
    vpbroadcastq ymm3, [r10]
    vpbroadcastq ymm4, [rbx]
    vfmadd213pd ymm3, ymm0, ymm4
    vpbroadcastq ymm4, [rbp]
    vfmadd213pd ymm3, ymm0, ymm4
    vpbroadcastq ymm4, [r12]
    vfmadd213pd ymm3, ymm0, ymm4
    vpbroadcastq ymm4, [r13]
    vfmadd213pd ymm3, ymm0, ymm4
    vpbroadcastq ymm4, [r14]
    vfmadd213pd ymm3, ymm0, ymm4
    vfmadd213pd ymm3, ymm0, [rdi+0x7C0]
    mov r15, [rdi+0x118]
    vmovups [r15+rax*8], ymm2
    mov r15, [rdi+0x120]
    vmovups [r15+rax*8], ymm3
    mov r15, [rdi+0x128]
    vmovups [r15+rax*8], ymm1
    mov r15, [rdi+0x110]
    prefetcht0 [r15+rax*8+0x800]
    mov r15, [rdi+0x118]
    prefetcht0 [r15+rax*8+0x800]
    mov r15, [rdi+0x120]
    prefetcht0 [r15+rax*8+0x800]
    mov r15, [rdi+0x128]
    prefetcht0 [r15+rax*8+0x800]
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L2
    jmp L0
epilogue: 0 bytes of registers an element
