//! The tests of the repository and of what `xtask` writes, in one program: each program links the whole compiler.

mod suite {
    mod features;
    mod growth;
    mod reference;
    mod tidy;
}
