// refused sm80 1/3: Refused("E1612", "not taken")
