x86, Avx2
dense: 843 bytes
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
    vmulpd ymm6, ymm1, ymm4
    vmovups ymm7, [rdi+0x2A0]
    vfmadd213pd ymm7, ymm4, [rdi+0x2C0]
    vfmadd213pd ymm7, ymm4, [rdi+0x2E0]
    vfmadd213pd ymm7, ymm4, [rdi+0x300]
    vfmadd213pd ymm7, ymm4, [rdi+0x320]
    vfmadd213pd ymm7, ymm4, [rdi+0x340]
    vfmsub213pd ymm6, ymm7, ymm5
    vmovups ymm5, [rdi+0x360]
    vmulpd ymm5, ymm5, ymm4
    vmovups ymm7, [rdi+0x380]
    vsubpd ymm8, ymm7, ymm5
    vsubpd ymm7, ymm7, ymm8
    vsubpd ymm5, ymm7, ymm5
    vfmadd213pd ymm3, ymm1, ymm5
    vmulpd ymm5, ymm4, ymm4
    vmovups ymm7, [rdi+0x3A0]
    vfmadd213pd ymm7, ymm4, [rdi+0x3C0]
    vfmadd213pd ymm7, ymm4, [rdi+0x3E0]
    vfmadd213pd ymm7, ymm4, [rdi+0x400]
    vfmadd213pd ymm7, ymm4, [rdi+0x420]
    vfmadd213pd ymm7, ymm4, [rdi+0x440]
    vfmadd213pd ymm5, ymm7, ymm3
    vpand ymm3, ymm2, [rdi+0x460]
    vpcmpeqq ymm4, ymm3, [rdi+0x480]
    vaddpd ymm1, ymm1, ymm6
    vaddpd ymm3, ymm8, ymm5
    vpblendvb ymm1, ymm3, ymm1, ymm4
    vpsllvq ymm2, ymm2, [rdi+0x4A0]
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
    vmulpd ymm6, ymm1, ymm4
    vmovups ymm7, [rdi+0x2A0]
    vfmadd213pd ymm7, ymm4, [rdi+0x2C0]
    vfmadd213pd ymm7, ymm4, [rdi+0x2E0]
    vfmadd213pd ymm7, ymm4, [rdi+0x300]
    vfmadd213pd ymm7, ymm4, [rdi+0x320]
    vfmadd213pd ymm7, ymm4, [rdi+0x340]
    vfmsub213pd ymm6, ymm7, ymm5
    vmovups ymm5, [rdi+0x360]
    vmulpd ymm5, ymm5, ymm4
    vmovups ymm7, [rdi+0x380]
    vsubpd ymm8, ymm7, ymm5
    vsubpd ymm7, ymm7, ymm8
    vsubpd ymm5, ymm7, ymm5
    vfmadd213pd ymm3, ymm1, ymm5
    vmulpd ymm5, ymm4, ymm4
    vmovups ymm7, [rdi+0x3A0]
    vfmadd213pd ymm7, ymm4, [rdi+0x3C0]
    vfmadd213pd ymm7, ymm4, [rdi+0x3E0]
    vfmadd213pd ymm7, ymm4, [rdi+0x400]
    vfmadd213pd ymm7, ymm4, [rdi+0x420]
    vfmadd213pd ymm7, ymm4, [rdi+0x440]
    vfmadd213pd ymm5, ymm7, ymm3
    vpand ymm3, ymm2, [rdi+0x460]
    vpcmpeqq ymm4, ymm3, [rdi+0x480]
    vaddpd ymm1, ymm1, ymm6
    vaddpd ymm3, ymm8, ymm5
    vpblendvb ymm1, ymm3, ymm1, ymm4
    vpsllvq ymm2, ymm2, [rdi+0x4A0]
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
