//! Sorting lists that are short, or sorted seldom, without a copy of the algorithm for each type: that of the standard
//! library is some kilobytes of code, and this some hundred bytes.

use std::cmp::Ordering;

/// Up to so many elements are put in their places one by one.
const FEW: usize = 16;

/// Sorts a list by a comparison. Elements that are equal stay in order.
pub fn sort_by<T>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    if list.len() <= FEW {
        for end in 1..list.len() {
            let mut at = end;
            while at > 0 && compare(&list[at - 1], &list[at]) == Ordering::Greater {
                list.swap(at - 1, at);
                at -= 1;
            }
        }
        return;
    }
    let mut order: Vec<usize> = (0..list.len()).collect();
    sort_numbers(&mut order, &mut |a, b| compare(&list[a], &list[b]));
    // Circle by circle, each place gets what belongs there.
    for start in 0..list.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            list.swap(at, from);
            at = from;
        }
    }
}

/// Sorts a list by a key of each element. Elements with the same key stay in order.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(list, |a, b| key(a).cmp(&key(b)));
}

/// Sorts a list.
pub fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, T::cmp);
}

fn sort_numbers(numbers: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    numbers.sort_by(|&a, &b| compare(a, b));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that come again, with the place of each.
    fn list(length: usize) -> Vec<(usize, usize)> {
        (0..length).map(|at| (at * 7919 % 13, at)).collect()
    }

    #[test]
    fn it_is_what_the_standard_library_does() {
        for length in [0, 1, 2, 3, 15, 16, 17, 18, 40, 1000] {
            let (mut own, mut theirs) = (list(length), list(length));
            sort_by_key(&mut own, |&(key, _)| std::cmp::Reverse(key));
            theirs.sort_by_key(|&(key, _)| std::cmp::Reverse(key));
            assert_eq!(own, theirs);
            own.reverse();
            sort(&mut own);
            theirs.sort();
            assert_eq!(own, theirs);
        }
    }
}
