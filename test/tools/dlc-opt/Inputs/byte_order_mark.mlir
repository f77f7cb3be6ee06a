tiny.func @f(%x: tensor<[2], f32>) {
  return
}
