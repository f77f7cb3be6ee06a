plan.schedule for sm90 {
  tile (m: 128, n: 128, k: 64)
  instruction wgmma
  stages 2
  roles cooperative consumers 2
  barrier block
}
