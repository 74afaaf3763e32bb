x86, Avx2
dense: 726 bytes
    mov rcx, [rdi]
    mov rdx, [rdi+8]
    mov r8, [rdi+0x10]
    mov r9, [rdi+0x18]
    xor rax, rax
    cmp rsi, 4
    jae L2
L0:
    test rsi, rsi
    je L1
    mov rcx, [rdi+0x260]
    mov r8, [rdi+0x270]
    mov r9, [rdi+0x278]
    vmovups xmm0, [rcx+rax*4]
    vpmovsxdq ymm0, xmm0
    vmovups ymm3, [rdi+0x40]
    vpcmpgtq ymm2, ymm0, ymm3
    vpblendvb ymm1, ymm0, ymm3, ymm2
    vpshufd ymm2, [rdi+0x2A0], 0xB1
    vpmulld ymm2, ymm2, ymm1
    vpsrlq ymm3, ymm2, 0x20
    vpaddd ymm2, ymm2, ymm3
    vpsllq ymm2, ymm2, 0x20
    vpmuludq ymm3, ymm1, [rdi+0x2A0]
    vpaddq ymm0, ymm3, ymm2
    vmovups [rdi+0x2C0], ymm0
    mov r11, [rdi+0x2C0]
    vmovq xmm1, [rdx+r11]
    mov r11, [rdi+0x2C8]
    vpinsrq xmm1, xmm1, [rdx+r11], 1
    mov r11, [rdi+0x2D0]
    vmovq xmm2, [rdx+r11]
    mov r11, [rdi+0x2D8]
    vpinsrq xmm2, xmm2, [rdx+r11], 1
    vinserti128 ymm1, ymm1, xmm2, 1
    vmovups ymm0, [r8+rax*8]
    vmulpd ymm0, ymm1, ymm0
    vmovups [r9+rax*8], ymm0
L1:
    vzeroupper
    ret
L2:
    cmp rsi, 8
    jb L4
L3:
    vmovups xmm0, [rcx+rax*4]
    vpmovsxdq ymm0, xmm0
    vmovups ymm3, [rdi+0x40]
    vpcmpgtq ymm2, ymm0, ymm3
    vpblendvb ymm1, ymm0, ymm3, ymm2
    vpshufd ymm2, [rdi+0x2A0], 0xB1
    vpmulld ymm2, ymm2, ymm1
    vpsrlq ymm3, ymm2, 0x20
    vpaddd ymm2, ymm2, ymm3
    vpsllq ymm2, ymm2, 0x20
    vpmuludq ymm3, ymm1, [rdi+0x2A0]
    vpaddq ymm0, ymm3, ymm2
    vmovups [rdi+0x300], ymm0
    mov r11, [rdi+0x300]
    vmovq xmm1, [rdx+r11]
    mov r11, [rdi+0x308]
    vpinsrq xmm1, xmm1, [rdx+r11], 1
    mov r11, [rdi+0x310]
    vmovq xmm2, [rdx+r11]
    mov r11, [rdi+0x318]
    vpinsrq xmm2, xmm2, [rdx+r11], 1
    vinserti128 ymm1, ymm1, xmm2, 1
    vmovups ymm0, [r8+rax*8]
    vmulpd ymm0, ymm1, ymm0
    vmovups [r9+rax*8], ymm0
    vmovups xmm0, [rcx+rax*4+0x10]
    vpmovsxdq ymm0, xmm0
    vmovups ymm3, [rdi+0x40]
    vpcmpgtq ymm2, ymm0, ymm3
    vpblendvb ymm1, ymm0, ymm3, ymm2
    vpshufd ymm2, [rdi+0x2A0], 0xB1
    vpmulld ymm2, ymm2, ymm1
    vpsrlq ymm3, ymm2, 0x20
    vpaddd ymm2, ymm2, ymm3
    vpsllq ymm2, ymm2, 0x20
    vpmuludq ymm3, ymm1, [rdi+0x2A0]
    vpaddq ymm0, ymm3, ymm2
    vmovups [rdi+0x340], ymm0
    mov r11, [rdi+0x340]
    vmovq xmm1, [rdx+r11]
    mov r11, [rdi+0x348]
    vpinsrq xmm1, xmm1, [rdx+r11], 1
    mov r11, [rdi+0x350]
    vmovq xmm2, [rdx+r11]
    mov r11, [rdi+0x358]
    vpinsrq xmm2, xmm2, [rdx+r11], 1
    vinserti128 ymm1, ymm1, xmm2, 1
    vmovups ymm0, [r8+rax*8+0x20]
    vmulpd ymm0, ymm1, ymm0
    vmovups [r9+rax*8+0x20], ymm0
    add rax, 8
    sub rsi, 8
    cmp rsi, 8
    jae L3
    cmp rsi, 4
    jb L0
L4:
    vmovups xmm0, [rcx+rax*4]
    vpmovsxdq ymm0, xmm0
    vmovups ymm3, [rdi+0x40]
    vpcmpgtq ymm2, ymm0, ymm3
    vpblendvb ymm1, ymm0, ymm3, ymm2
    vpshufd ymm2, [rdi+0x2A0], 0xB1
    vpmulld ymm2, ymm2, ymm1
    vpsrlq ymm3, ymm2, 0x20
    vpaddd ymm2, ymm2, ymm3
    vpsllq ymm2, ymm2, 0x20
    vpmuludq ymm3, ymm1, [rdi+0x2A0]
    vpaddq ymm0, ymm3, ymm2
    vmovups [rdi+0x380], ymm0
    mov r11, [rdi+0x380]
    vmovq xmm1, [rdx+r11]
    mov r11, [rdi+0x388]
    vpinsrq xmm1, xmm1, [rdx+r11], 1
    mov r11, [rdi+0x390]
    vmovq xmm2, [rdx+r11]
    mov r11, [rdi+0x398]
    vpinsrq xmm2, xmm2, [rdx+r11], 1
    vinserti128 ymm1, ymm1, xmm2, 1
    vmovups ymm0, [r8+rax*8]
    vmulpd ymm0, ymm1, ymm0
    vmovups [r9+rax*8], ymm0
    add rax, 4
    sub rsi, 4
    cmp rsi, 4
    jae L4
    jmp L0
