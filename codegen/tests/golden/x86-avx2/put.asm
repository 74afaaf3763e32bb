x86, Avx2
dense: 507 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    xor rax, rax
    cmp rsi, 4
    jae L2
L0:
    test rsi, rsi
    je L1
    mov rcx, [rdi+0x200]
    mov rdx, [rdi+0x208]
    vmovups xmm0, [rcx+rax*4]
    vmovups ymm1, [rdx+rax*8]
    vcvtps2pd ymm0, xmm0
    mov r11, [rdx+rax*8]
    vmovq [r8+r11], xmm0
    mov r11, [rdx+rax*8+8]
    vpextrq [r8+r11], xmm0, 1
    vextracti128 xmm2, ymm0, 1
    mov r11, [rdx+rax*8+0x10]
    vmovq [r8+r11], xmm2
    mov r11, [rdx+rax*8+0x18]
    vpextrq [r8+r11], xmm2, 1
L1:
    vzeroupper
    ret
L2:
    cmp rsi, 0x10
    jb L4
L3:
    vmovups xmm0, [rcx+rax*4]
    vmovups ymm1, [rdx+rax*8]
    vcvtps2pd ymm0, xmm0
    mov r11, [rdx+rax*8]
    vmovq [r8+r11], xmm0
    mov r11, [rdx+rax*8+8]
    vpextrq [r8+r11], xmm0, 1
    vextracti128 xmm2, ymm0, 1
    mov r11, [rdx+rax*8+0x10]
    vmovq [r8+r11], xmm2
    mov r11, [rdx+rax*8+0x18]
    vpextrq [r8+r11], xmm2, 1
    vmovups xmm0, [rcx+rax*4+0x10]
    vmovups ymm1, [rdx+rax*8+0x20]
    vcvtps2pd ymm0, xmm0
    mov r11, [rdx+rax*8+0x20]
    vmovq [r8+r11], xmm0
    mov r11, [rdx+rax*8+0x28]
    vpextrq [r8+r11], xmm0, 1
    vextracti128 xmm2, ymm0, 1
    mov r11, [rdx+rax*8+0x30]
    vmovq [r8+r11], xmm2
    mov r11, [rdx+rax*8+0x38]
    vpextrq [r8+r11], xmm2, 1
    vmovups xmm0, [rcx+rax*4+0x20]
    vmovups ymm1, [rdx+rax*8+0x40]
    vcvtps2pd ymm0, xmm0
    mov r11, [rdx+rax*8+0x40]
    vmovq [r8+r11], xmm0
    mov r11, [rdx+rax*8+0x48]
    vpextrq [r8+r11], xmm0, 1
    vextracti128 xmm2, ymm0, 1
    mov r11, [rdx+rax*8+0x50]
    vmovq [r8+r11], xmm2
    mov r11, [rdx+rax*8+0x58]
    vpextrq [r8+r11], xmm2, 1
    vmovups xmm0, [rcx+rax*4+0x30]
    vmovups ymm1, [rdx+rax*8+0x60]
    vcvtps2pd ymm0, xmm0
    mov r11, [rdx+rax*8+0x60]
    vmovq [r8+r11], xmm0
    mov r11, [rdx+rax*8+0x68]
    vpextrq [r8+r11], xmm0, 1
    vextracti128 xmm2, ymm0, 1
    mov r11, [rdx+rax*8+0x70]
    vmovq [r8+r11], xmm2
    mov r11, [rdx+rax*8+0x78]
    vpextrq [r8+r11], xmm2, 1
    add rax, 0x10
    sub rsi, 0x10
    cmp rsi, 0x10
    jae L3
    cmp rsi, 4
    jb L0
L4:
    vmovups xmm0, [rcx+rax*4]
    vmovups ymm1, [rdx+rax*8]
    vcvtps2pd ymm0, xmm0
    mov r11, [rdx+rax*8]
    vmovq [r8+r11], xmm0
    mov r11, [rdx+rax*8+8]
    vpextrq [r8+r11], xmm0, 1
    vextracti128 xmm2, ymm0, 1
    mov r11, [rdx+rax*8+0x10]
    vmovq [r8+r11], xmm2
    mov r11, [rdx+rax*8+0x18]
    vpextrq [r8+r11], xmm2, 1
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L4
    jmp L0
