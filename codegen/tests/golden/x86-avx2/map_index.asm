x86, Avx2
dense: 417 bytes
    mov rcx, [rdi]
    xor rax, rax
    cmp rsi, 4
    jae L2
L0:
    test rsi, rsi
    je L1
    mov rcx, [rdi+0x100]
    vmovq xmm0, rax
    vpbroadcastq ymm0, xmm0
    vpaddq ymm0, ymm0, [rdi+0x80]
    vpbroadcastq ymm1, [rdi+0x28]
    vpaddq ymm0, ymm0, ymm1
    vpbroadcastq ymm1, [rdi+0x20]
    vpcmpeqq ymm2, ymm1, ymm0
    vpand ymm0, ymm2, [rdi+0x120]
    vmovups [rcx+rax*8], ymm0
L1:
    vzeroupper
    ret
L2:
    cmp rsi, 0x10
    jb L4
L3:
    vmovq xmm0, rax
    vpbroadcastq ymm0, xmm0
    vpaddq ymm0, ymm0, [rdi+0x40]
    vpbroadcastq ymm1, [rdi+0x28]
    vpaddq ymm0, ymm0, ymm1
    vpbroadcastq ymm1, [rdi+0x20]
    vpcmpeqq ymm2, ymm1, ymm0
    vpand ymm0, ymm2, [rdi+0x120]
    vmovups [rcx+rax*8], ymm0
    vmovq xmm0, rax
    vpbroadcastq ymm0, xmm0
    vpaddq ymm0, ymm0, [rdi+0x40]
    vpbroadcastq ymm1, [rdi+0x28]
    vpaddq ymm0, ymm0, ymm1
    vpaddq ymm0, ymm0, [rdi+0x140]
    vpbroadcastq ymm1, [rdi+0x20]
    vpcmpeqq ymm2, ymm1, ymm0
    vpand ymm0, ymm2, [rdi+0x120]
    vmovups [rcx+rax*8+0x20], ymm0
    vmovq xmm0, rax
    vpbroadcastq ymm0, xmm0
    vpaddq ymm0, ymm0, [rdi+0x40]
    vpbroadcastq ymm1, [rdi+0x28]
    vpaddq ymm0, ymm0, ymm1
    vpaddq ymm0, ymm0, [rdi+0x160]
    vpbroadcastq ymm1, [rdi+0x20]
    vpcmpeqq ymm2, ymm1, ymm0
    vpand ymm0, ymm2, [rdi+0x120]
    vmovups [rcx+rax*8+0x40], ymm0
    vmovq xmm0, rax
    vpbroadcastq ymm0, xmm0
    vpaddq ymm0, ymm0, [rdi+0x40]
    vpbroadcastq ymm1, [rdi+0x28]
    vpaddq ymm0, ymm0, ymm1
    vpaddq ymm0, ymm0, [rdi+0x180]
    vpbroadcastq ymm1, [rdi+0x20]
    vpcmpeqq ymm2, ymm1, ymm0
    vpand ymm0, ymm2, [rdi+0x120]
    vmovups [rcx+rax*8+0x60], ymm0
    add rax, 0x10
    sub rsi, 0x10
    cmp rsi, 0x10
    jae L3
    cmp rsi, 4
    jb L0
L4:
    vmovq xmm0, rax
    vpbroadcastq ymm0, xmm0
    vpaddq ymm0, ymm0, [rdi+0x40]
    vpbroadcastq ymm1, [rdi+0x28]
    vpaddq ymm0, ymm0, ymm1
    vpbroadcastq ymm1, [rdi+0x20]
    vpcmpeqq ymm2, ymm1, ymm0
    vpand ymm0, ymm2, [rdi+0x120]
    vmovups [rcx+rax*8], ymm0
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L4
    jmp L0
