[(region) (dictionary) (properties) (resources)] @fold
