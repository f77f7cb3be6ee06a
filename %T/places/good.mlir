module {
  plan.schedule for sm90 {
    tile (m: 64, n: 64)
    stages 2
  }
}
