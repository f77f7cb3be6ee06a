//! The number of persistent blocks.

use dlc_passes::kernel::order_tiles::fewest;

#[test]
fn blocks_of_as_many_tiles_as_can_be_counted() {
    assert_eq!(fewest(i64::MAX, 132, false), 132);
    assert_eq!(fewest(i64::MAX, 132, true), 132);
    assert_eq!((fewest(140, 132, true), fewest(140, 132, false), fewest(5, 132, true)), (70, 132, 5));
}
