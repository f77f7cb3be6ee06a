plan.target @half like sm90 {
  sms 66
  rates (wgmma.f16: 2048)
  features [tma]
}
