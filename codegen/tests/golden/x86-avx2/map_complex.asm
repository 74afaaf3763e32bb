x86, Avx2
dense: 698 bytes
    vpxor ymm15, ymm15, ymm15
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    xor rax, rax
    cmp rsi, 4
    jae L2
L0:
    test rsi, rsi
    je L1
    mov rcx, [rdi+0x240]
    mov rdx, [rdi+0x248]
    vmovups ymm0, [rcx]
    vpunpcklqdq ymm0, ymm0, [rcx+0x20]
    vpermq ymm0, ymm0, 0xD8
    vmovups ymm1, [rcx]
    vpunpckhqdq ymm1, ymm1, [rcx+0x20]
    vpermq ymm1, ymm1, 0xD8
    vmulpd ymm2, ymm1, [rdi+0x60]
    vmovups ymm3, [rdi+0x40]
    vfmsub231pd ymm2, ymm0, ymm3
    vmulpd ymm1, ymm1, ymm3
    vmovups ymm3, [rdi+0x60]
    vfmadd213pd ymm0, ymm3, ymm1
    vpxor ymm0, ymm0, [rdi+0x260]
    vpand ymm1, ymm2, [rdi+0x280]
    vpand ymm3, ymm0, [rdi+0x280]
    vmovups ymm7, [rdi+0x260]
    vpxor ymm6, ymm7, ymm1
    vpxor ymm7, ymm7, ymm3
    vpcmpgtq ymm5, ymm6, ymm7
    vpblendvb ymm4, ymm3, ymm1, ymm5
    vmovups ymm7, [rdi+0x260]
    vpxor ymm6, ymm7, ymm4
    vpxor ymm7, ymm7, [rdi+0x2A0]
    vpcmpgtq ymm5, ymm7, ymm6
    vmovups ymm6, [rdi+0x2E0]
    vpblendvb ymm7, ymm6, [rdi+0x2C0], ymm5
    vpblendvb ymm5, ymm6, [rdi+0x300], ymm5
    vmovups ymm9, [rdi+0x260]
    vpxor ymm8, ymm9, ymm4
    vpxor ymm9, ymm9, [rdi+0x320]
    vpcmpgtq ymm6, ymm8, ymm9
    vpblendvb ymm7, ymm7, [rdi+0x300], ymm6
    vpblendvb ymm5, ymm5, [rdi+0x2C0], ymm6
    vmulpd ymm2, ymm2, ymm7
    vmulpd ymm0, ymm0, ymm7
    vmulpd ymm2, ymm2, ymm2
    vmulpd ymm0, ymm0, ymm0
    vaddpd ymm0, ymm2, ymm0
    vsqrtpd ymm0, ymm0
    vmulpd ymm0, ymm0, ymm5
    vmovups ymm6, [rdi+0x260]
    vpxor ymm5, ymm6, ymm4
    vpxor ymm6, ymm6, [rdi+0x340]
    vpcmpgtq ymm2, ymm5, ymm6
    vpcmpeqq ymm4, ymm1, [rdi+0x340]
    vpcmpeqq ymm1, ymm3, [rdi+0x340]
    vpor ymm1, ymm4, ymm1
    vpand ymm1, ymm2, ymm1
    vpor ymm15, ymm15, ymm1
    vmovups [rdx+rax*8], ymm0
L1:
    vpmovmskb r11d, ymm15
    mov [rdi+0x250], r11
    vzeroupper
    ret
L2:
    vmovups ymm0, [rcx]
    vpunpcklqdq ymm0, ymm0, [rcx+0x20]
    vpermq ymm0, ymm0, 0xD8
    vmovups ymm1, [rcx]
    vpunpckhqdq ymm1, ymm1, [rcx+0x20]
    vpermq ymm1, ymm1, 0xD8
    vmulpd ymm2, ymm1, [rdi+0x60]
    vmovups ymm3, [rdi+0x40]
    vfmsub231pd ymm2, ymm0, ymm3
    vmulpd ymm1, ymm1, ymm3
    vmovups ymm3, [rdi+0x60]
    vfmadd213pd ymm0, ymm3, ymm1
    vpxor ymm0, ymm0, [rdi+0x260]
    vpand ymm1, ymm2, [rdi+0x280]
    vpand ymm3, ymm0, [rdi+0x280]
    vmovups ymm7, [rdi+0x260]
    vpxor ymm6, ymm7, ymm1
    vpxor ymm7, ymm7, ymm3
    vpcmpgtq ymm5, ymm6, ymm7
    vpblendvb ymm4, ymm3, ymm1, ymm5
    vmovups ymm7, [rdi+0x260]
    vpxor ymm6, ymm7, ymm4
    vpxor ymm7, ymm7, [rdi+0x2A0]
    vpcmpgtq ymm5, ymm7, ymm6
    vmovups ymm6, [rdi+0x2E0]
    vpblendvb ymm7, ymm6, [rdi+0x2C0], ymm5
    vpblendvb ymm5, ymm6, [rdi+0x300], ymm5
    vmovups ymm9, [rdi+0x260]
    vpxor ymm8, ymm9, ymm4
    vpxor ymm9, ymm9, [rdi+0x320]
    vpcmpgtq ymm6, ymm8, ymm9
    vpblendvb ymm7, ymm7, [rdi+0x300], ymm6
    vpblendvb ymm5, ymm5, [rdi+0x2C0], ymm6
    vmulpd ymm2, ymm2, ymm7
    vmulpd ymm0, ymm0, ymm7
    vmulpd ymm2, ymm2, ymm2
    vmulpd ymm0, ymm0, ymm0
    vaddpd ymm0, ymm2, ymm0
    vsqrtpd ymm0, ymm0
    vmulpd ymm0, ymm0, ymm5
    vmovups ymm6, [rdi+0x260]
    vpxor ymm5, ymm6, ymm4
    vpxor ymm6, ymm6, [rdi+0x340]
    vpcmpgtq ymm2, ymm5, ymm6
    vpcmpeqq ymm4, ymm1, [rdi+0x340]
    vpcmpeqq ymm1, ymm3, [rdi+0x340]
    vpor ymm1, ymm4, ymm1
    vpand ymm1, ymm2, ymm1
    vpor ymm15, ymm15, ymm1
    vmovups [rdx+rax*8], ymm0
    prefetcht0 [rcx+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    add rcx, 0x40
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L2
    jmp L0
