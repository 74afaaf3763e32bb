x86, Avx2
dense: 584 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
    mov r10, [rdi+0x20]
    xor rax, rax
    vmovups ymm12, [rdi+0x300]
    vmovups ymm11, [rdi+0x340]
    cmp rsi, 4
    jae L2
L0:
    test rsi, rsi
    je L1
    mov rcx, [rdi+0x2C0]
    mov rdx, [rdi+0x2C8]
    mov r8, [rdi+0x2D0]
    mov r9, [rdi+0x2D8]
    mov r10, [rdi+0x2E0]
    vmovups ymm0, [rcx+rax*8]
    vmovups ymm1, [rdx+rax*8]
    vmulpd ymm0, ymm0, ymm1
    vmovups ymm1, [r8+rax*8]
    vmovups ymm2, [rdi+0x3C0]
    vpmovsxbq ymm4, [rdi+0x200]
    vpblendvb ymm3, ymm2, ymm0, ymm4
    vmovups [rdi+0x380], ymm3
    vpbroadcastq ymm14, [rdi+0x380]
    vaddpd ymm12, ymm12, ymm14
    vmovups ymm13, ymm12
    vpbroadcastq ymm14, [rdi+0x388]
    vaddpd ymm12, ymm12, ymm14
    vpblendd ymm13, ymm13, ymm12, 0xFC
    vpbroadcastq ymm14, [rdi+0x390]
    vaddpd ymm12, ymm12, ymm14
    vpblendd ymm13, ymm13, ymm12, 0xF0
    vpbroadcastq ymm14, [rdi+0x398]
    vaddpd ymm12, ymm12, ymm14
    vpblendd ymm13, ymm13, ymm12, 0xC0
    vmovups ymm5, ymm13
    vmovups [r9+rax*8], ymm5
    vmovups ymm0, [rdi+0x3E0]
    vpmovsxbq ymm3, [rdi+0x200]
    vpblendvb ymm2, ymm0, ymm1, ymm3
    vmovups ymm1, ymm2
    vpshufd ymm4, ymm1, 0x44
    vpaddq ymm5, ymm4, ymm1
    vpblendd ymm1, ymm1, ymm5, 0xCC
    vperm2i128 ymm4, ymm1, ymm1, 0
    vpshufd ymm4, ymm4, 0xEE
    vpaddq ymm0, ymm4, ymm1
    vpblendd ymm1, ymm1, ymm0, 0xF0
    vpermq ymm4, ymm1, 0xFF
    vpaddq ymm1, ymm11, ymm1
    vpaddq ymm4, ymm11, ymm4
    vmovups ymm11, ymm4
    vmovups [r10+rax*8], ymm1
L1:
    vmovups [rdi+0x300], ymm12
    vmovups [rdi+0x340], ymm11
    vzeroupper
    ret
L2:
    vmovups ymm0, [rcx+rax*8]
    vmovups ymm1, [rdx+rax*8]
    vmulpd ymm0, ymm0, ymm1
    vmovups ymm1, [r8+rax*8]
    vmovups [rdi+0x380], ymm0
    vpbroadcastq ymm14, [rdi+0x380]
    vaddpd ymm12, ymm12, ymm14
    vmovups ymm13, ymm12
    vpbroadcastq ymm14, [rdi+0x388]
    vaddpd ymm12, ymm12, ymm14
    vpblendd ymm13, ymm13, ymm12, 0xFC
    vpbroadcastq ymm14, [rdi+0x390]
    vaddpd ymm12, ymm12, ymm14
    vpblendd ymm13, ymm13, ymm12, 0xF0
    vpbroadcastq ymm14, [rdi+0x398]
    vaddpd ymm12, ymm12, ymm14
    vpblendd ymm13, ymm13, ymm12, 0xC0
    vmovups ymm2, ymm13
    vmovups [r9+rax*8], ymm2
    vpshufd ymm0, ymm1, 0x44
    vpaddq ymm2, ymm0, ymm1
    vpblendd ymm1, ymm1, ymm2, 0xCC
    vperm2i128 ymm0, ymm1, ymm1, 0
    vpshufd ymm0, ymm0, 0xEE
    vpaddq ymm2, ymm0, ymm1
    vpblendd ymm1, ymm1, ymm2, 0xF0
    vpermq ymm0, ymm1, 0xFF
    vpaddq ymm1, ymm11, ymm1
    vpaddq ymm0, ymm11, ymm0
    vmovups ymm11, ymm0
    vmovups [r10+rax*8], ymm1
    prefetcht0 [rcx+rax*8+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    prefetcht0 [r8+rax*8+0x800]
    prefetcht0 [r9+rax*8+0x800]
    prefetcht0 [r10+rax*8+0x800]
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L2
    jmp L0
