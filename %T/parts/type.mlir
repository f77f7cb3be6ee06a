plan.schedule for sm90 {
  cache A (m) index in smem
}
