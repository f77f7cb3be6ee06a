tiny.func @f<M>(%x: tensor<[M], f16>) -> tensor<[M floordiv 4, 4], f16> {
  %p = reshape %x to [M floordiv 4, 4]
  return %p
}

