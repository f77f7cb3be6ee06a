plan.schedule for sm80 {
  tile (m: 64, n: 64, k: 32)
  instruction mma [16, 8, 8] as tf32x3
  warp_tile (m: 32, n: 32)
  cache A (m, k) f32 in smem
  cache B (k, n) f32 in smem
}

