plan.schedule of @gemm_0 for sm90 {
  tile (m: 64, n: 64, k: 64)
}
