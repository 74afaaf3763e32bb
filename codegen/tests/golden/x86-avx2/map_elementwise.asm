x86, Avx2
dense: 776 bytes
    vpxor ymm15, ymm15, ymm15
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    xor rax, rax
    cmp rsi, 4
    jb L1
L0:
    vmovups ymm0, [rcx+rax*8]
    vmulpd ymm0, ymm0, [rdi+0x40]
    vaddpd ymm0, ymm0, [rdi+0x220]
    vcmpunordpd ymm1, ymm0, ymm0
    vpor ymm15, ymm15, ymm1
    vmovups ymm1, [rdi+0x240]
    vmaxpd ymm1, ymm1, ymm0
    vpand ymm2, ymm0, [rdi+0x260]
    vcmplt_oqpd ymm3, ymm2, [rdi+0x280]
    vpblendvb ymm1, ymm1, [rdi+0x2A0], ymm3
    vmovups ymm2, [rdi+0x2C0]
    vminpd ymm2, ymm2, ymm1
    vmovups ymm3, [rdi+0x2E0]
    vfmadd213pd ymm2, ymm3, [rdi+0x300]
    vsubpd ymm3, ymm2, [rdi+0x300]
    vmovups ymm4, [rdi+0x320]
    vfmadd213pd ymm4, ymm3, ymm1
    vmovups ymm1, [rdi+0x340]
    vfmadd213pd ymm1, ymm3, ymm4
    vmulpd ymm4, ymm1, ymm1
    vmovups ymm5, [rdi+0x360]
    vfmadd213pd ymm5, ymm1, [rdi+0x380]
    vfmadd213pd ymm5, ymm1, [rdi+0x3A0]
    vfmadd213pd ymm5, ymm1, [rdi+0x3C0]
    vfmadd213pd ymm5, ymm1, [rdi+0x3E0]
    vfmadd213pd ymm5, ymm1, [rdi+0x400]
    vfmadd213pd ymm5, ymm1, [rdi+0x420]
    vfmadd213pd ymm5, ymm1, [rdi+0x440]
    vfmadd213pd ymm5, ymm1, [rdi+0x460]
    vfmadd213pd ymm5, ymm1, [rdi+0x480]
    vfmadd213pd ymm5, ymm1, [rdi+0x220]
    vfmadd213pd ymm4, ymm5, ymm1
    vmovups ymm1, [rdi+0x4A0]
    vaddpd ymm1, ymm1, ymm4
    vcmpeqpd ymm4, ymm0, [rdi+0x4C0]
    vpblendvb ymm0, ymm1, [rdi+0x2A0], ymm4
    vmovups ymm1, [rdi+0x220]
    vfmadd213pd ymm3, ymm1, [rdi+0x4E0]
    vpsubq ymm1, ymm2, ymm3
    vpsllvq ymm2, ymm3, [rdi+0x500]
    vmulpd ymm0, ymm0, ymm2
    vpsllvq ymm1, ymm1, [rdi+0x500]
    vmulpd ymm0, ymm0, ymm1
    vmovups ymm1, [rdx+rax*8]
    vsubpd ymm0, ymm0, ymm1
    vmovups [r8+rax*8], ymm0
    prefetcht0 [rcx+rax*8+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    prefetcht0 [r8+rax*8+0x800]
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L0
L1:
    test rsi, rsi
    je L2
    mov rcx, [rdi+0x200]
    mov rdx, [rdi+0x208]
    mov r8, [rdi+0x210]
    vmovups ymm0, [rcx+rax*8]
    vmulpd ymm0, ymm0, [rdi+0x40]
    vaddpd ymm0, ymm0, [rdi+0x220]
    vcmpunordpd ymm1, ymm0, ymm0
    vpor ymm15, ymm15, ymm1
    vmovups ymm1, [rdi+0x240]
    vmaxpd ymm1, ymm1, ymm0
    vpand ymm2, ymm0, [rdi+0x260]
    vcmplt_oqpd ymm3, ymm2, [rdi+0x280]
    vpblendvb ymm1, ymm1, [rdi+0x2A0], ymm3
    vmovups ymm2, [rdi+0x2C0]
    vminpd ymm2, ymm2, ymm1
    vmovups ymm3, [rdi+0x2E0]
    vfmadd213pd ymm2, ymm3, [rdi+0x300]
    vsubpd ymm3, ymm2, [rdi+0x300]
    vmovups ymm4, [rdi+0x320]
    vfmadd213pd ymm4, ymm3, ymm1
    vmovups ymm1, [rdi+0x340]
    vfmadd213pd ymm1, ymm3, ymm4
    vmulpd ymm4, ymm1, ymm1
    vmovups ymm5, [rdi+0x360]
    vfmadd213pd ymm5, ymm1, [rdi+0x380]
    vfmadd213pd ymm5, ymm1, [rdi+0x3A0]
    vfmadd213pd ymm5, ymm1, [rdi+0x3C0]
    vfmadd213pd ymm5, ymm1, [rdi+0x3E0]
    vfmadd213pd ymm5, ymm1, [rdi+0x400]
    vfmadd213pd ymm5, ymm1, [rdi+0x420]
    vfmadd213pd ymm5, ymm1, [rdi+0x440]
    vfmadd213pd ymm5, ymm1, [rdi+0x460]
    vfmadd213pd ymm5, ymm1, [rdi+0x480]
    vfmadd213pd ymm5, ymm1, [rdi+0x220]
    vfmadd213pd ymm4, ymm5, ymm1
    vmovups ymm1, [rdi+0x4A0]
    vaddpd ymm1, ymm1, ymm4
    vcmpeqpd ymm4, ymm0, [rdi+0x4C0]
    vpblendvb ymm0, ymm1, [rdi+0x2A0], ymm4
    vmovups ymm1, [rdi+0x220]
    vfmadd213pd ymm3, ymm1, [rdi+0x4E0]
    vpsubq ymm1, ymm2, ymm3
    vpsllvq ymm2, ymm3, [rdi+0x500]
    vmulpd ymm0, ymm0, ymm2
    vpsllvq ymm1, ymm1, [rdi+0x500]
    vmulpd ymm0, ymm0, ymm1
    vmovups ymm1, [rdx+rax*8]
    vsubpd ymm0, ymm0, ymm1
    vmovups [r8+rax*8], ymm0
L2:
    vpmovmskb r11d, ymm15
    mov [rdi+0x218], r11
    vzeroupper
    ret
