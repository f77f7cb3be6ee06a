ptx.func @one() attributes {target = "sm_100a"} {
  entry "one_0" (1) threads 32 shared 0 {
    exit
  }
  kernel.return
}
ptx.func @other() attributes {target = "sm_90a"} {
  entry "other_0" (1) threads 32 shared 0 {
    exit
  }
  kernel.return
}
