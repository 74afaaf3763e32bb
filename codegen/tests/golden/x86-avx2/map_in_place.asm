x86, Avx2
dense: 438 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
    xor rax, rax
    cmp rsi, 8
    jae L2
L0:
    test rsi, rsi
    je L1
    mov rcx, [rdi+0x3A0]
    mov rdx, [rdi+0x3A8]
    mov r8, [rdi+0x3B0]
    mov r9, [rdi+0x3B8]
    vmovups ymm0, [rcx+rax*4]
    vmovups ymm1, [rdx+rax*4]
    vaddps ymm2, ymm0, ymm1
    vmovups [r8+rax*4], ymm2
    vcmplt_oqps ymm2, ymm0, ymm1
    vextracti128 xmm0, ymm2, 1
    vpackssdw xmm0, xmm2, xmm0
    vpacksswb xmm0, xmm0, xmm0
    vpabsb xmm0, xmm0
    vmovq [r9+rax], xmm0
L1:
    vzeroupper
    ret
L2:
    cmp rsi, 0x20
    jb L4
L3:
    vmovups ymm0, [rcx+rax*4]
    vmovups ymm1, [rdx+rax*4]
    vaddps ymm2, ymm0, ymm1
    vmovups [r8+rax*4], ymm2
    vcmplt_oqps ymm2, ymm0, ymm1
    vextracti128 xmm0, ymm2, 1
    vpackssdw xmm0, xmm2, xmm0
    vpacksswb xmm0, xmm0, xmm0
    vpabsb xmm0, xmm0
    vmovq [r9+rax], xmm0
    vmovups ymm0, [rcx+rax*4+0x20]
    vmovups ymm1, [rdx+rax*4+0x20]
    vaddps ymm2, ymm0, ymm1
    vmovups [r8+rax*4+0x20], ymm2
    vcmplt_oqps ymm2, ymm0, ymm1
    vextracti128 xmm0, ymm2, 1
    vpackssdw xmm0, xmm2, xmm0
    vpacksswb xmm0, xmm0, xmm0
    vpabsb xmm0, xmm0
    vmovq [r9+rax+8], xmm0
    vmovups ymm0, [rcx+rax*4+0x40]
    vmovups ymm1, [rdx+rax*4+0x40]
    vaddps ymm2, ymm0, ymm1
    vmovups [r8+rax*4+0x40], ymm2
    vcmplt_oqps ymm2, ymm0, ymm1
    vextracti128 xmm0, ymm2, 1
    vpackssdw xmm0, xmm2, xmm0
    vpacksswb xmm0, xmm0, xmm0
    vpabsb xmm0, xmm0
    vmovq [r9+rax+0x10], xmm0
    vmovups ymm0, [rcx+rax*4+0x60]
    vmovups ymm1, [rdx+rax*4+0x60]
    vaddps ymm2, ymm0, ymm1
    vmovups [r8+rax*4+0x60], ymm2
    vcmplt_oqps ymm2, ymm0, ymm1
    vextracti128 xmm0, ymm2, 1
    vpackssdw xmm0, xmm2, xmm0
    vpacksswb xmm0, xmm0, xmm0
    vpabsb xmm0, xmm0
    vmovq [r9+rax+0x18], xmm0
    add rax, 0x20
    sub rsi, 0x20
    cmp rsi, 0x20
    jae L3
    cmp rsi, 8
    jb L0
L4:
    vmovups ymm0, [rcx+rax*4]
    vmovups ymm1, [rdx+rax*4]
    vaddps ymm2, ymm0, ymm1
    vmovups [r8+rax*4], ymm2
    vcmplt_oqps ymm2, ymm0, ymm1
    vextracti128 xmm0, ymm2, 1
    vpackssdw xmm0, xmm2, xmm0
    vpacksswb xmm0, xmm0, xmm0
    vpabsb xmm0, xmm0
    vmovq [r9+rax], xmm0
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L4
    jmp L0
