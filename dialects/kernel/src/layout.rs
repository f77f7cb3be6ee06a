//! Layouts: which register of which lane of which warp holds an element of a tile, and at which byte it lies in shared
//! memory.
