x86, Avx2
dense: 710 bytes
    vpxor ymm15, ymm15, ymm15
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    xor rax, rax
    cmp rsi, 4
    jb L1
L0:
    vmovups ymm0, [rcx+rax*8]
    vcmpunordpd ymm1, ymm0, ymm0
    vpor ymm15, ymm15, ymm1
    vmovups ymm1, [rdi+0x180]
    vmaxpd ymm1, ymm1, ymm0
    vpand ymm2, ymm0, [rdi+0x1A0]
    vcmplt_oqpd ymm3, ymm2, [rdi+0x1C0]
    vpblendvb ymm1, ymm1, [rdi+0x1E0], ymm3
    vmovups ymm2, [rdi+0x200]
    vminpd ymm2, ymm2, ymm1
    vmovups ymm3, [rdi+0x220]
    vfmadd213pd ymm2, ymm3, [rdi+0x240]
    vsubpd ymm3, ymm2, [rdi+0x240]
    vmovups ymm4, [rdi+0x260]
    vfmadd213pd ymm4, ymm3, ymm1
    vmovups ymm1, [rdi+0x280]
    vfmadd213pd ymm1, ymm3, ymm4
    vmulpd ymm4, ymm1, ymm1
    vmovups ymm5, [rdi+0x2A0]
    vfmadd213pd ymm5, ymm1, [rdi+0x2C0]
    vfmadd213pd ymm5, ymm1, [rdi+0x2E0]
    vfmadd213pd ymm5, ymm1, [rdi+0x300]
    vfmadd213pd ymm5, ymm1, [rdi+0x320]
    vfmadd213pd ymm5, ymm1, [rdi+0x340]
    vfmadd213pd ymm5, ymm1, [rdi+0x360]
    vfmadd213pd ymm5, ymm1, [rdi+0x380]
    vfmadd213pd ymm5, ymm1, [rdi+0x3A0]
    vfmadd213pd ymm5, ymm1, [rdi+0x3C0]
    vfmadd213pd ymm5, ymm1, [rdi+0x3E0]
    vfmadd213pd ymm4, ymm5, ymm1
    vmovups ymm1, [rdi+0x400]
    vaddpd ymm1, ymm1, ymm4
    vcmpeqpd ymm4, ymm0, [rdi+0x420]
    vpblendvb ymm0, ymm1, [rdi+0x1E0], ymm4
    vmovups ymm1, [rdi+0x3E0]
    vfmadd213pd ymm3, ymm1, [rdi+0x440]
    vpsubq ymm1, ymm2, ymm3
    vpsllvq ymm2, ymm3, [rdi+0x460]
    vmulpd ymm0, ymm0, ymm2
    vpsllvq ymm1, ymm1, [rdi+0x460]
    vmulpd ymm0, ymm0, ymm1
    vmovups [rdx+rax*8], ymm0
    prefetcht0 [rcx+rax*8+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L0
L1:
    test rsi, rsi
    je L2
    mov rcx, [rdi+0x160]
    mov rdx, [rdi+0x168]
    vmovups ymm0, [rcx+rax*8]
    vcmpunordpd ymm1, ymm0, ymm0
    vpor ymm15, ymm15, ymm1
    vmovups ymm1, [rdi+0x180]
    vmaxpd ymm1, ymm1, ymm0
    vpand ymm2, ymm0, [rdi+0x1A0]
    vcmplt_oqpd ymm3, ymm2, [rdi+0x1C0]
    vpblendvb ymm1, ymm1, [rdi+0x1E0], ymm3
    vmovups ymm2, [rdi+0x200]
    vminpd ymm2, ymm2, ymm1
    vmovups ymm3, [rdi+0x220]
    vfmadd213pd ymm2, ymm3, [rdi+0x240]
    vsubpd ymm3, ymm2, [rdi+0x240]
    vmovups ymm4, [rdi+0x260]
    vfmadd213pd ymm4, ymm3, ymm1
    vmovups ymm1, [rdi+0x280]
    vfmadd213pd ymm1, ymm3, ymm4
    vmulpd ymm4, ymm1, ymm1
    vmovups ymm5, [rdi+0x2A0]
    vfmadd213pd ymm5, ymm1, [rdi+0x2C0]
    vfmadd213pd ymm5, ymm1, [rdi+0x2E0]
    vfmadd213pd ymm5, ymm1, [rdi+0x300]
    vfmadd213pd ymm5, ymm1, [rdi+0x320]
    vfmadd213pd ymm5, ymm1, [rdi+0x340]
    vfmadd213pd ymm5, ymm1, [rdi+0x360]
    vfmadd213pd ymm5, ymm1, [rdi+0x380]
    vfmadd213pd ymm5, ymm1, [rdi+0x3A0]
    vfmadd213pd ymm5, ymm1, [rdi+0x3C0]
    vfmadd213pd ymm5, ymm1, [rdi+0x3E0]
    vfmadd213pd ymm4, ymm5, ymm1
    vmovups ymm1, [rdi+0x400]
    vaddpd ymm1, ymm1, ymm4
    vcmpeqpd ymm4, ymm0, [rdi+0x420]
    vpblendvb ymm0, ymm1, [rdi+0x1E0], ymm4
    vmovups ymm1, [rdi+0x3E0]
    vfmadd213pd ymm3, ymm1, [rdi+0x440]
    vpsubq ymm1, ymm2, ymm3
    vpsllvq ymm2, ymm3, [rdi+0x460]
    vmulpd ymm0, ymm0, ymm2
    vpsllvq ymm1, ymm1, [rdi+0x460]
    vmulpd ymm0, ymm0, ymm1
    vmovups [rdx+rax*8], ymm0
L2:
    vpmovmskb r11d, ymm15
    mov [rdi+0x170], r11
    vzeroupper
    ret
