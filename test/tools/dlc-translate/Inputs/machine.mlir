ptx.func @early() attributes {target = "sm_80"} {
  entry "early_0" (1) threads 32 shared 0 {
    griddepcontrol.wait
    exit
  }
  kernel.return
}
