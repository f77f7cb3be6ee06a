sample.func @fÿ() {
