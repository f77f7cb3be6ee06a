//! Conflicts of shared memory banks.

use dlc_passes::analysis::poly_core::ways;

#[test]
fn banks_of_rows() {
    // 16 16-bit floats are 8 words: every fourth row is in the same bank.
    assert_eq!(ways(32, 16), 4);
    assert_eq!(ways(128, 32), 32);
    assert_eq!(ways(132, 32), 1);
    assert_eq!(ways(4, 32), 1);
    // Two lanes in one word are served at once.
    assert_eq!(ways(2, 32), 1);
    assert_eq!(ways(0, 32), 1);
    assert_eq!(ways(256, 16), 16);
    assert_eq!(ways(32, 0), 0);
}
