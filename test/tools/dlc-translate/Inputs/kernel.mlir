kernel.func @empty() {
  grid (1) threads 32 {
  }
  return
}
