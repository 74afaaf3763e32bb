x86, Avx512
dense: 692 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
    mov r10, [rdi+0x20]
    xor rax, rax
    mov r11d, 0xFF
    kmovq k1, r11
    vmovups zmm12, [rdi+0x240]
    vmovups zmm11, [rdi+0x280]
    cmp rsi, 8
    jae L2
L0:
    test rsi, rsi
    je L1
    mov r11, 0xFFFFFFFFFFFFFFFF
    bzhi r11, r11, rsi
    kmovq k1, r11
    vmovdqu64 zmm0{k1}{z}, [rcx+rax*8]
    vmovdqu64 zmm1{k1}{z}, [rdx+rax*8]
    vmulpd zmm0{k1}{z}, zmm0, zmm1
    vmovdqu64 zmm1{k1}{z}, [r8+rax*8]
    vpbroadcastq zmm2, [rdi+0x300]
    vpblendmq zmm3{k1}, zmm2, zmm0
    vmovups [rdi+0x2C0], zmm3
    vaddpd ymm12, ymm12, [rdi+0x2C0]{1to4}
    vmovups ymm13, ymm12
    vaddpd ymm12, ymm12, [rdi+0x2C8]{1to4}
    vpblendd ymm13, ymm13, ymm12, 0xFC
    vaddpd ymm12, ymm12, [rdi+0x2D0]{1to4}
    vpblendd ymm13, ymm13, ymm12, 0xF0
    vaddpd ymm12, ymm12, [rdi+0x2D8]{1to4}
    vpblendd ymm13, ymm13, ymm12, 0xC0
    vaddpd ymm12, ymm12, [rdi+0x2E0]{1to4}
    vmovups ymm14, ymm12
    vaddpd ymm12, ymm12, [rdi+0x2E8]{1to4}
    vpblendd ymm14, ymm14, ymm12, 0xFC
    vaddpd ymm12, ymm12, [rdi+0x2F0]{1to4}
    vpblendd ymm14, ymm14, ymm12, 0xF0
    vaddpd ymm12, ymm12, [rdi+0x2F8]{1to4}
    vpblendd ymm14, ymm14, ymm12, 0xC0
    vinserti64x4 zmm4, zmm13, ymm14, 1
    vmovdqu64 [r9+rax*8]{k1}, zmm4
    vpbroadcastq zmm0, [rdi+0x308]
    vpblendmq zmm2{k1}, zmm0, zmm1
    vmovups zmm1, zmm2
    vpbroadcastq zmm4, [rdi+0x308]
    valignq zmm3, zmm1, zmm4, 7
    vpaddq zmm1, zmm3, zmm1
    vpbroadcastq zmm0, [rdi+0x308]
    valignq zmm3, zmm1, zmm0, 6
    vpaddq zmm1, zmm3, zmm1
    vpbroadcastq zmm0, [rdi+0x308]
    valignq zmm3, zmm1, zmm0, 4
    vpaddq zmm1, zmm3, zmm1
    vpbroadcastq zmm0, [rdi+0x310]
    vpermq zmm3, zmm0, zmm1
    vpaddq zmm1, zmm11, zmm1
    vpaddq zmm3, zmm11, zmm3
    vmovups zmm11, zmm3
    vmovdqu64 [r10+rax*8]{k1}, zmm1
L1:
    vmovups [rdi+0x240], zmm12
    vmovups [rdi+0x280], zmm11
    vzeroupper
    ret
L2:
    vpbroadcastq zmm5, [rdi+0x308]
    vpbroadcastq zmm6, [rdi+0x300]
    vpbroadcastq zmm7, [rdi+0x310]
L3:
    vmovdqu64 zmm0, [rcx+rax*8]
    vmovdqu64 zmm1, [rdx+rax*8]
    vmulpd zmm0, zmm0, zmm1
    vmovdqu64 zmm1, [r8+rax*8]
    vmovups [rdi+0x2C0], zmm0
    vaddpd ymm12, ymm12, [rdi+0x2C0]{1to4}
    vmovups ymm13, ymm12
    vaddpd ymm12, ymm12, [rdi+0x2C8]{1to4}
    vpblendd ymm13, ymm13, ymm12, 0xFC
    vaddpd ymm12, ymm12, [rdi+0x2D0]{1to4}
    vpblendd ymm13, ymm13, ymm12, 0xF0
    vaddpd ymm12, ymm12, [rdi+0x2D8]{1to4}
    vpblendd ymm13, ymm13, ymm12, 0xC0
    vaddpd ymm12, ymm12, [rdi+0x2E0]{1to4}
    vmovups ymm14, ymm12
    vaddpd ymm12, ymm12, [rdi+0x2E8]{1to4}
    vpblendd ymm14, ymm14, ymm12, 0xFC
    vaddpd ymm12, ymm12, [rdi+0x2F0]{1to4}
    vpblendd ymm14, ymm14, ymm12, 0xF0
    vaddpd ymm12, ymm12, [rdi+0x2F8]{1to4}
    vpblendd ymm14, ymm14, ymm12, 0xC0
    vinserti64x4 zmm2, zmm13, ymm14, 1
    vmovdqu64 [r9+rax*8], zmm2
    valignq zmm0, zmm1, zmm5, 7
    vpaddq zmm1, zmm0, zmm1
    valignq zmm0, zmm1, zmm5, 6
    vpaddq zmm1, zmm0, zmm1
    valignq zmm0, zmm1, zmm5, 4
    vpaddq zmm1, zmm0, zmm1
    vpermq zmm0, zmm7, zmm1
    vpaddq zmm1, zmm11, zmm1
    vpaddq zmm0, zmm11, zmm0
    vmovups zmm11, zmm0
    vmovdqu64 [r10+rax*8], zmm1
    prefetcht0 [rcx+rax*8+0x800]
    prefetcht0 [rdx+rax*8+0x800]
    prefetcht0 [r8+rax*8+0x800]
    prefetcht0 [r9+rax*8+0x800]
    prefetcht0 [r10+rax*8+0x800]
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L3
    jmp L0
