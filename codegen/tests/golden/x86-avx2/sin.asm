x86, Avx2
dense: 837 bytes
    vpxor ymm15, ymm15, ymm15
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    xor rax, rax
    cmp rsi, 4
    jae L2
L0:
    test rsi, rsi
    je L1
    mov rcx, [rdi+0x160]
    mov rdx, [rdi+0x168]
    vmovups ymm0, [rcx+rax*8]
    vpand ymm1, ymm0, [rdi+0x180]
    vmovups ymm2, ymm1
    vmovups ymm5, [rdi+0x1C0]
    vpxor ymm4, ymm5, ymm2
    vpxor ymm5, ymm5, [rdi+0x1A0]
    vpcmpgtq ymm3, ymm4, ymm5
    vpor ymm15, ymm15, ymm3
    vmovups ymm2, [rdi+0x1E0]
    vfmadd213pd ymm2, ymm1, [rdi+0x200]
    vsubpd ymm3, ymm2, [rdi+0x200]
    vmovups ymm4, [rdi+0x220]
    vfmadd213pd ymm4, ymm3, ymm1
    vmulpd ymm1, ymm3, [rdi+0x240]
    vsubpd ymm1, ymm4, ymm1
    vsubpd ymm4, ymm1, ymm4
    vmovups ymm5, [rdi+0x240]
    vfmadd213pd ymm5, ymm3, ymm4
    vmovups ymm4, [rdi+0x260]
    vfmadd213pd ymm3, ymm4, ymm5
    vmulpd ymm4, ymm1, ymm1
    vmulpd ymm5, ymm4, ymm3
    vmovups ymm6, [rdi+0x280]
    vfmadd213pd ymm5, ymm6, ymm3
    vmulpd ymm7, ymm1, ymm4
    vmovups ymm8, [rdi+0x2A0]
    vfmadd213pd ymm8, ymm4, [rdi+0x2C0]
    vfmadd213pd ymm8, ymm4, [rdi+0x2E0]
    vfmadd213pd ymm8, ymm4, [rdi+0x300]
    vfmadd213pd ymm8, ymm4, [rdi+0x320]
    vfmadd213pd ymm8, ymm4, [rdi+0x340]
    vfmsub213pd ymm7, ymm8, ymm5
    vmovups ymm5, ymm4
    vfmadd213pd ymm5, ymm6, [rdi+0x360]
    vmovups ymm8, [rdi+0x360]
    vsubpd ymm8, ymm8, ymm5
    vfmadd213pd ymm6, ymm4, ymm8
    vfmadd213pd ymm3, ymm1, ymm6
    vmulpd ymm6, ymm4, ymm4
    vmovups ymm8, [rdi+0x380]
    vfmadd213pd ymm8, ymm4, [rdi+0x3A0]
    vfmadd213pd ymm8, ymm4, [rdi+0x3C0]
    vfmadd213pd ymm8, ymm4, [rdi+0x3E0]
    vfmadd213pd ymm8, ymm4, [rdi+0x400]
    vfmadd213pd ymm8, ymm4, [rdi+0x420]
    vfmadd213pd ymm6, ymm8, ymm3
    vpand ymm3, ymm2, [rdi+0x440]
    vpcmpeqq ymm4, ymm3, [rdi+0x460]
    vaddpd ymm1, ymm1, ymm7
    vaddpd ymm3, ymm5, ymm6
    vpblendvb ymm1, ymm3, ymm1, ymm4
    vpsllvq ymm2, ymm2, [rdi+0x480]
    vpxor ymm0, ymm2, ymm0
    vpand ymm0, ymm0, [rdi+0x1C0]
    vpxor ymm0, ymm1, ymm0
    vmovups [rdx+rax*8], ymm0
L1:
    vpmovmskb r11d, ymm15
    mov [rdi+0x170], r11
    vzeroupper
    ret
L2:
    vmovups ymm0, [rcx+rax*8]
    vpand ymm1, ymm0, [rdi+0x180]
    vmovups ymm2, ymm1
    vmovups ymm5, [rdi+0x1C0]
    vpxor ymm4, ymm5, ymm2
    vpxor ymm5, ymm5, [rdi+0x1A0]
    vpcmpgtq ymm3, ymm4, ymm5
    vpor ymm15, ymm15, ymm3
    vmovups ymm2, [rdi+0x1E0]
    vfmadd213pd ymm2, ymm1, [rdi+0x200]
    vsubpd ymm3, ymm2, [rdi+0x200]
    vmovups ymm4, [rdi+0x220]
    vfmadd213pd ymm4, ymm3, ymm1
    vmulpd ymm1, ymm3, [rdi+0x240]
    vsubpd ymm1, ymm4, ymm1
    vsubpd ymm4, ymm1, ymm4
    vmovups ymm5, [rdi+0x240]
    vfmadd213pd ymm5, ymm3, ymm4
    vmovups ymm4, [rdi+0x260]
    vfmadd213pd ymm3, ymm4, ymm5
    vmulpd ymm4, ymm1, ymm1
    vmulpd ymm5, ymm4, ymm3
    vmovups ymm6, [rdi+0x280]
    vfmadd213pd ymm5, ymm6, ymm3
    vmulpd ymm7, ymm1, ymm4
    vmovups ymm8, [rdi+0x2A0]
    vfmadd213pd ymm8, ymm4, [rdi+0x2C0]
    vfmadd213pd ymm8, ymm4, [rdi+0x2E0]
    vfmadd213pd ymm8, ymm4, [rdi+0x300]
    vfmadd213pd ymm8, ymm4, [rdi+0x320]
    vfmadd213pd ymm8, ymm4, [rdi+0x340]
    vfmsub213pd ymm7, ymm8, ymm5
    vmovups ymm5, ymm4
    vfmadd213pd ymm5, ymm6, [rdi+0x360]
    vmovups ymm8, [rdi+0x360]
    vsubpd ymm8, ymm8, ymm5
    vfmadd213pd ymm6, ymm4, ymm8
    vfmadd213pd ymm3, ymm1, ymm6
    vmulpd ymm6, ymm4, ymm4
    vmovups ymm8, [rdi+0x380]
    vfmadd213pd ymm8, ymm4, [rdi+0x3A0]
    vfmadd213pd ymm8, ymm4, [rdi+0x3C0]
    vfmadd213pd ymm8, ymm4, [rdi+0x3E0]
    vfmadd213pd ymm8, ymm4, [rdi+0x400]
    vfmadd213pd ymm8, ymm4, [rdi+0x420]
    vfmadd213pd ymm6, ymm8, ymm3
    vpand ymm3, ymm2, [rdi+0x440]
    vpcmpeqq ymm4, ymm3, [rdi+0x460]
    vaddpd ymm1, ymm1, ymm7
    vaddpd ymm3, ymm5, ymm6
    vpblendvb ymm1, ymm3, ymm1, ymm4
    vpsllvq ymm2, ymm2, [rdi+0x480]
    vpxor ymm0, ymm2, ymm0
    vpand ymm0, ymm0, [rdi+0x1C0]
    vpxor ymm0, ymm1, ymm0
    vmovups [rdx+rax*8], ymm0
    prefetcht0 [rcx+rax*8+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L2
    jmp L0
