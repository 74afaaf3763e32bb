x86, Avx2
dense: 302 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    xor rax, rax
    cmp rsi, 8
    jae L2
L0:
    test rsi, rsi
    je L1
    mov rcx, [rdi+0x260]
    mov rdx, [rdi+0x268]
    vmovups ymm0, [rcx+rax*4]
    vcmpunordps ymm1, ymm0, ymm0
    vcmplt_oqps ymm2, ymm0, [rdi+0x20]
    vpor ymm1, ymm1, ymm2
    vpblendvb ymm0, ymm0, [rdi+0x20], ymm1
    vmovups [rdx+rax*4], ymm0
L1:
    vzeroupper
    ret
L2:
    cmp rsi, 0x20
    jb L4
L3:
    vmovups ymm0, [rcx+rax*4]
    vcmpunordps ymm1, ymm0, ymm0
    vcmplt_oqps ymm2, ymm0, [rdi+0x20]
    vpor ymm1, ymm1, ymm2
    vpblendvb ymm0, ymm0, [rdi+0x20], ymm1
    vmovups [rdx+rax*4], ymm0
    vmovups ymm0, [rcx+rax*4+0x20]
    vcmpunordps ymm1, ymm0, ymm0
    vcmplt_oqps ymm2, ymm0, [rdi+0x20]
    vpor ymm1, ymm1, ymm2
    vpblendvb ymm0, ymm0, [rdi+0x20], ymm1
    vmovups [rdx+rax*4+0x20], ymm0
    vmovups ymm0, [rcx+rax*4+0x40]
    vcmpunordps ymm1, ymm0, ymm0
    vcmplt_oqps ymm2, ymm0, [rdi+0x20]
    vpor ymm1, ymm1, ymm2
    vpblendvb ymm0, ymm0, [rdi+0x20], ymm1
    vmovups [rdx+rax*4+0x40], ymm0
    vmovups ymm0, [rcx+rax*4+0x60]
    vcmpunordps ymm1, ymm0, ymm0
    vcmplt_oqps ymm2, ymm0, [rdi+0x20]
    vpor ymm1, ymm1, ymm2
    vpblendvb ymm0, ymm0, [rdi+0x20], ymm1
    vmovups [rdx+rax*4+0x60], ymm0
    add rax, 0x20
    sub rsi, 0x20
    cmp rsi, 0x20
    jae L3
    cmp rsi, 8
    jb L0
L4:
    vmovups ymm0, [rcx+rax*4]
    vcmpunordps ymm1, ymm0, ymm0
    vcmplt_oqps ymm2, ymm0, [rdi+0x20]
    vpor ymm1, ymm1, ymm2
    vpblendvb ymm0, ymm0, [rdi+0x20], ymm1
    vmovups [rdx+rax*4], ymm0
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L4
    jmp L0
