//! A kernel that reads much memory, so that what was in the caches before is there no more.

use dlc_translate::manifest::numbers::Start;

/// More than any cache holds.
pub const BYTES: u64 = 256 << 20;
/// The name of the entry.
pub const ENTRY: &str = "flush";

/// Each thread reads 16 bytes of every so many. What it adds up is stored if it is a number that zeros do not give, so
/// that the reads are not left out.
pub const PTX: &str = "\
.version 7.8
.target sm_52
.address_size 64

.visible .entry flush(.param .u64 at, .param .u64 count)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [at];
  ld.param.u64 %rd2, [count];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mov.u32 %r5, %nctaid.x;
  mul.lo.u32 %r6, %r5, %r2;
  cvt.u64.u32 %rd3, %r4;
  cvt.u64.u32 %rd4, %r6;
  mov.u32 %r11, 0;
again:
  setp.ge.u64 %p1, %rd3, %rd2;
  @%p1 bra done;
  shl.b64 %rd5, %rd3, 4;
  add.u64 %rd6, %rd1, %rd5;
  ld.global.v4.u32 {%r7, %r8, %r9, %r10}, [%rd6];
  add.u32 %r11, %r11, %r7;
  add.u32 %r11, %r11, %r8;
  add.u32 %r11, %r11, %r9;
  add.u32 %r11, %r11, %r10;
  add.u64 %rd3, %rd3, %rd4;
  bra again;
done:
  setp.ne.u32 %p2, %r11, 0;
  @%p2 st.global.u32 [%rd1], %r11;
  ret;
}
";

/// Enough threads to keep the memory busy.
pub fn start() -> Start {
    Start {
        entry: ENTRY.to_string(),
        grid: [2048, 1, 1],
        cluster: [1; 3],
        threads: 256,
        shared: 0,
        early: false,
        params: Vec::new(),
    }
}
