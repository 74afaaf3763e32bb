x86, Avx2
dense: 1160 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    xor rax, rax
    cmp rsi, 4
    jae L4
L0:
    test rsi, rsi
    je L3
    mov rcx, [rdi+0x200]
    mov rdx, [rdi+0x208]
    mov r8, [rdi+0x210]
    vmovups ymm0, [rcx+rax*8]
    vmulpd ymm0, ymm0, [rdi+0x40]
    vaddpd ymm0, ymm0, [rdi+0x220]
    vpand ymm2, ymm0, [rdi+0x260]
    vpcmpgtq ymm1, ymm2, [rdi+0x240]
    vblendvpd ymm2, ymm2, [rdi+0x240], ymm1
    vpand ymm1, ymm0, [rdi+0x280]
    vpor ymm2, ymm2, ymm1
    vmovups ymm1, [rdi+0x2A0]
    vfmadd213pd ymm1, ymm2, [rdi+0x2C0]
    vsubpd ymm3, ymm1, [rdi+0x2C0]
    vmovups ymm4, [rdi+0x2E0]
    vfmadd213pd ymm4, ymm3, ymm2
    vmovups ymm2, [rdi+0x300]
    vfmadd213pd ymm2, ymm3, ymm4
    vmovups ymm4, [rdi+0x320]
    vfmadd213pd ymm4, ymm2, [rdi+0x340]
    vfmadd213pd ymm4, ymm2, [rdi+0x360]
    vfmadd213pd ymm4, ymm2, [rdi+0x380]
    vfmadd213pd ymm4, ymm2, [rdi+0x3A0]
    vfmadd213pd ymm4, ymm2, [rdi+0x3C0]
    vfmadd213pd ymm4, ymm2, [rdi+0x3E0]
    vpand ymm2, ymm1, [rdi+0x4C0]
    vmovups [rdi+0x480], ymm2
    mov r11, [rdi+0x480]
    vmovq xmm6, [rdi+r11*8+0x400]
    mov r11, [rdi+0x488]
    vpinsrq xmm6, xmm6, [rdi+r11*8+0x400], 1
    mov r11, [rdi+0x490]
    vmovq xmm5, [rdi+r11*8+0x400]
    mov r11, [rdi+0x498]
    vpinsrq xmm5, xmm5, [rdi+r11*8+0x400], 1
    vinserti128 ymm6, ymm6, xmm5, 1
    vfmadd213pd ymm4, ymm6, ymm6
    vpand ymm1, ymm0, [rdi+0x260]
    vpcmpgtq ymm1, ymm1, [rdi+0x4E0]
    vpcmpeqq ymm2, ymm0, [rdi+0x500]
    vpandn ymm2, ymm2, ymm0
    vblendvpd ymm2, ymm4, ymm2, ymm1
    vroundpd ymm0, ymm3, 9
    vaddpd ymm0, ymm0, [rdi+0x520]
    vpsubq ymm1, ymm0, [rdi+0x540]
    vpcmpgtq ymm1, ymm1, [rdi+0x560]
    vpmovmskb r11d, ymm1
    test r11, r11
    je L1
    vroundpd ymm0, ymm3, 9
    vpand ymm1, ymm0, [rdi+0x260]
    vpcmpgtq ymm4, ymm1, [rdi+0x580]
    vblendvpd ymm1, ymm1, [rdi+0x580], ymm4
    vpand ymm0, ymm0, [rdi+0x280]
    vpor ymm1, ymm1, ymm0
    vpand ymm0, ymm3, [rdi+0x260]
    vpcmpgtq ymm0, ymm0, [rdi+0x4E0]
    vpcmpeqq ymm4, ymm3, [rdi+0x500]
    vpandn ymm4, ymm4, ymm3
    vpandn ymm1, ymm0, ymm1
    vaddpd ymm1, ymm1, [rdi+0x5A0]
    vpsrlq ymm4, ymm1, 1
    vpsubq ymm1, ymm1, ymm4
    vpsllq ymm4, ymm4, 0x34
    vpsllq ymm1, ymm1, 0x34
    vmulpd ymm4, ymm2, ymm4
    vmulpd ymm4, ymm4, ymm1
    vpand ymm0, ymm3, [rdi+0x260]
    vpcmpgtq ymm0, ymm0, [rdi+0x4E0]
    vpcmpeqq ymm1, ymm3, [rdi+0x500]
    vpandn ymm1, ymm1, ymm3
    vblendvpd ymm4, ymm4, ymm1, ymm0
    jmp L2
L1:
    vpsllq ymm0, ymm0, 0x34
    vmulpd ymm4, ymm2, ymm0
L2:
    vmovups ymm0, [rdx+rax*8]
    vsubpd ymm0, ymm4, ymm0
    vmovups [r8+rax*8], ymm0
L3:
    vzeroupper
    ret
L4:
    vmovups ymm0, [rcx+rax*8]
    vmulpd ymm0, ymm0, [rdi+0x40]
    vaddpd ymm0, ymm0, [rdi+0x220]
    vpand ymm2, ymm0, [rdi+0x260]
    vpcmpgtq ymm1, ymm2, [rdi+0x240]
    vblendvpd ymm2, ymm2, [rdi+0x240], ymm1
    vpand ymm1, ymm0, [rdi+0x280]
    vpor ymm2, ymm2, ymm1
    vmovups ymm1, [rdi+0x2A0]
    vfmadd213pd ymm1, ymm2, [rdi+0x2C0]
    vsubpd ymm3, ymm1, [rdi+0x2C0]
    vmovups ymm4, [rdi+0x2E0]
    vfmadd213pd ymm4, ymm3, ymm2
    vmovups ymm2, [rdi+0x300]
    vfmadd213pd ymm2, ymm3, ymm4
    vmovups ymm4, [rdi+0x320]
    vfmadd213pd ymm4, ymm2, [rdi+0x340]
    vfmadd213pd ymm4, ymm2, [rdi+0x360]
    vfmadd213pd ymm4, ymm2, [rdi+0x380]
    vfmadd213pd ymm4, ymm2, [rdi+0x3A0]
    vfmadd213pd ymm4, ymm2, [rdi+0x3C0]
    vfmadd213pd ymm4, ymm2, [rdi+0x3E0]
    vpand ymm2, ymm1, [rdi+0x4C0]
    vmovups [rdi+0x5C0], ymm2
    mov r11, [rdi+0x5C0]
    vmovq xmm6, [rdi+r11*8+0x400]
    mov r11, [rdi+0x5C8]
    vpinsrq xmm6, xmm6, [rdi+r11*8+0x400], 1
    mov r11, [rdi+0x5D0]
    vmovq xmm5, [rdi+r11*8+0x400]
    mov r11, [rdi+0x5D8]
    vpinsrq xmm5, xmm5, [rdi+r11*8+0x400], 1
    vinserti128 ymm6, ymm6, xmm5, 1
    vfmadd213pd ymm4, ymm6, ymm6
    vpand ymm1, ymm0, [rdi+0x260]
    vpcmpgtq ymm1, ymm1, [rdi+0x4E0]
    vpcmpeqq ymm2, ymm0, [rdi+0x500]
    vpandn ymm2, ymm2, ymm0
    vblendvpd ymm2, ymm4, ymm2, ymm1
    vroundpd ymm0, ymm3, 9
    vaddpd ymm0, ymm0, [rdi+0x520]
    vpsubq ymm1, ymm0, [rdi+0x540]
    vpcmpgtq ymm1, ymm1, [rdi+0x560]
    vpmovmskb r11d, ymm1
    test r11, r11
    je L5
    vroundpd ymm0, ymm3, 9
    vpand ymm1, ymm0, [rdi+0x260]
    vpcmpgtq ymm4, ymm1, [rdi+0x580]
    vblendvpd ymm1, ymm1, [rdi+0x580], ymm4
    vpand ymm0, ymm0, [rdi+0x280]
    vpor ymm1, ymm1, ymm0
    vpand ymm0, ymm3, [rdi+0x260]
    vpcmpgtq ymm0, ymm0, [rdi+0x4E0]
    vpcmpeqq ymm4, ymm3, [rdi+0x500]
    vpandn ymm4, ymm4, ymm3
    vpandn ymm1, ymm0, ymm1
    vaddpd ymm1, ymm1, [rdi+0x5A0]
    vpsrlq ymm4, ymm1, 1
    vpsubq ymm1, ymm1, ymm4
    vpsllq ymm4, ymm4, 0x34
    vpsllq ymm1, ymm1, 0x34
    vmulpd ymm4, ymm2, ymm4
    vmulpd ymm4, ymm4, ymm1
    vpand ymm0, ymm3, [rdi+0x260]
    vpcmpgtq ymm0, ymm0, [rdi+0x4E0]
    vpcmpeqq ymm1, ymm3, [rdi+0x500]
    vpandn ymm1, ymm1, ymm3
    vblendvpd ymm4, ymm4, ymm1, ymm0
    jmp L6
L5:
    vpsllq ymm0, ymm0, 0x34
    vmulpd ymm4, ymm2, ymm0
L6:
    vmovups ymm0, [rdx+rax*8]
    vsubpd ymm0, ymm4, ymm0
    vmovups [r8+rax*8], ymm0
    prefetcht0 [rcx+rax*8+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    prefetcht0 [r8+rax*8+0x800]
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L4
    jmp L0
