//! Plans for a region: of legal values, or one that is there with one clause edited.

use dlc_ir::random::Random;

use super::regions::{Region, Tensor};

/// Words that stand in one place, each of which may be replaced by another.
const WORDS: [&[&str]; 9] = [
    &["fma", "mma", "wgmma"],
    &["smem", "reg", "global"],
    &["block", "cp_async_group", "mbarrier"],
    &["cooperative", "ping_pong"],
    &["grouped", "hilbert", "row", "column", "longest_first"],
    &["workspace", "cluster", "atomic"],
    &["tma", "rows", "fragments"],
    &["evict_first", "evict_last", "normal"],
    &["padded", "im2col"],
];

/// Those of an edge, which has other buffers than a cache.
const OF_EDGES: [&[&str]; 1] = [&["reg", "smem_ring"]];

/// One of several.
fn one<'a, T: ?Sized>(random: &mut Random, of: &[&'a T]) -> &'a T {
    of[random.below(of.len())]
}

fn number(random: &mut Random, of: &[i64]) -> i64 {
    of[random.below(of.len())]
}

/// Once in so many times.
fn rarely(random: &mut Random, times: usize) -> bool {
    random.below(times) == 0
}

/// Axes with a number each, as a clause has them.
fn table(entries: &[(String, i64)]) -> String {
    let entry = |(name, value): &(String, i64)| format!("{name}: {value}");
    format!("({})", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
}

/// A power of two that divides a number, at most so large.
fn part(random: &mut Random, of: i64, most: i64) -> i64 {
    let powers: Vec<i64> = (0..11).map(|bit| 1 << bit).filter(|each| of % each == 0 && *each <= most).collect();
    number(random, &powers)
}

/// A grid of threads, of at least one warp where there are as many, and at most so many on a side.
fn grid(random: &mut Random, of: [i64; 2], most: i64) -> [i64; 2] {
    let mut threads = [part(random, of[0], most), part(random, of[1], most)];
    while threads[0] * threads[1] < 32 {
        match of.iter().zip(threads).position(|(of, threads)| threads * 2 <= *of && of % (threads * 2) == 0) {
            Some(side) => threads[side] *= 2,
            None => break,
        }
    }
    threads
}

/// The clauses of a plan whose values are legal one by one.
pub fn draw(region: &Region, target: &str, random: &mut Random) -> Vec<String> {
    match region.multiplies && region.tensors.len() > 1 {
        true => product(region, target, random),
        false => memory(region, random),
    }
}

/// The tensors whose product is summed, with an axis of the rows and one of the columns.
fn operands(region: &Region) -> Option<(&Tensor, &Tensor, String, String)> {
    let own = |one: &Tensor, other: &Tensor| {
        let is_own = |axis: &&String| one.axes.contains(axis) && !other.axes.contains(axis);
        region.iters.iter().rev().find(is_own).cloned()
    };
    for left in &region.tensors {
        for right in &region.tensors {
            let reduced = |tensor: &Tensor| region.reduced.iter().any(|axis| tensor.axes.contains(axis));
            if left.name != right.name
                && reduced(left)
                && reduced(right)
                && let Some((rows, columns)) = own(left, right).zip(own(right, left))
            {
                return Some((left, right, rows, columns));
            }
        }
    }
    None
}

fn product(region: &Region, target: &str, random: &mut Random) -> Vec<String> {
    let Some((left, right, rows, columns)) = operands(region) else { return memory(region, random) };
    let single = left.elem == "f32";
    let kinds: &[&str] = match (single, target) {
        (true, _) => &["fma"],
        (_, "sm90") => &["fma", "mma", "wgmma", "wgmma"],
        _ => &["fma", "mma", "mma"],
    };
    let kind = one(random, kinds);
    let sides: &[i64] = if kind == "wgmma" { &[64, 128] } else { &[16, 32, 64, 128] };
    let (high, wide) = (number(random, sides), number(random, &[8, 16, 32, 64, 128]));
    let whole = region.whole.iter().find(|(axis, _)| *axis == columns).map_or(1, |(_, size)| *size);
    let wide = wide.max(whole.unsigned_abs().next_power_of_two() as i64);
    let deep = number(random, &[8, 16, 16, 32, 32, 64, 64]);
    let last = region.reduced[random.below(region.reduced.len())].clone();
    let extent = |axis: &String| match axis {
        axis if *axis == rows => high,
        axis if *axis == columns => wide,
        axis if *axis == last => deep,
        _ => 1,
    };
    let tile: Vec<(String, i64)> =
        region.iters.iter().chain(&region.reduced).map(|axis| (axis.clone(), extent(axis))).collect();
    let mut clauses = vec![format!("tile {}", table(&tile)), format!("reduced [{}]", region.reduced.join(", "))];
    let pair = |a: i64, b: i64| table(&[(rows.clone(), a), (columns.clone(), b)]);
    clauses.push(format!("instruction {kind}"));
    match kind {
        "mma" if !rarely(random, 4) => {
            let (across, along) = (part(random, high / 16, 4), part(random, wide / 8, 4));
            match rarely(random, 2) {
                true => clauses.push(format!("warps {}", pair(across, along))),
                false => clauses.push(format!("warp_tile {}", pair(high / across, wide / along))),
            }
        }
        "fma" => {
            let mut each = [part(random, high, 8), part(random, wide, 8)];
            while high * wide / (each[0] * each[1]) < 32 {
                each = [(each[0] / 2).max(1), (each[1] / 2).max(1)];
            }
            clauses.push(format!("thread_tile {}", pair(each[0], each[1])));
            if rarely(random, 2) {
                let threads = grid(random, [high / each[0], wide / each[1]], 32);
                clauses.push(format!("threads {}", pair(threads[0], threads[1])));
            }
        }
        _ => {}
    }
    let staged = kind != "fma" || !rarely(random, 3);
    if staged {
        for tensor in [left, right] {
            clauses.push(format!("cache {} in smem", tensor.name));
        }
        let barriers: &[&str] =
            if target == "sm90" { &["block", "cp_async_group", "mbarrier"] } else { &["block", "cp_async_group"] };
        let barrier = if kind == "wgmma" { "mbarrier" } else { one(random, barriers) };
        clauses.push(format!("barrier {barrier}"));
        if !rarely(random, 3) {
            clauses.push(format!("stages {}", 1 + random.below(5)));
        }
        if kind == "wgmma" && rarely(random, 2) {
            let consumers = if high == 64 { 1 } else { 1 + random.below(2) };
            clauses.push(match consumers {
                2 if rarely(random, 2) => "roles ping_pong consumers 2\npersistent sms".to_string(),
                count => format!("roles cooperative consumers {count}"),
            });
        }
    }
    for _ in 0..random.below(3) {
        let clause = extra(region, &tile, random);
        let word = |clause: &str| clause.split(' ').next().unwrap_or_default().to_string();
        if !clauses.iter().flat_map(|clause| clause.lines()).any(|own| word(own) == word(&clause)) {
            clauses.push(clause);
        }
    }
    clauses
}

/// A clause that any plan may have.
fn extra(region: &Region, tile: &[(String, i64)], random: &mut Random) -> String {
    let tensor = region.tensors[random.below(region.tensors.len())].name.clone();
    let (axis, size) = tile[random.below(tile.len())].clone();
    match random.below(14) {
        0 => format!("order {}", one(random, &["grouped", "hilbert", "row", "column", "longest_first"])),
        1 => format!("persistent {}", one(random, &["sms", "4", "64"])),
        2 => format!("unroll ({axis}: {size})"),
        3 => format!("split_k {} through {}", number(random, &[2, 3, 4]), one(random, &["workspace", "atomic"])),
        4 => format!("policy ({tensor}: {})", one(random, WORDS[7])),
        5 => format!("swizzle ({tensor}: {})", one(random, &["auto", "0", "32", "64", "128"])),
        6 => format!("vectors ({tensor}: {})", number(random, &[1, 2, 4, 8])),
        7 => format!("store {}", one(random, WORDS[6])),
        8 => "deterministic".to_string(),
        9 => format!("in_flight {}", random.below(3)),
        10 => format!("blocks_per_sm {}", 1 + random.below(3)),
        11 => "launch_overlap".to_string(),
        12 => format!("predicate_tail [{axis}]"),
        _ => format!("async prefetch {}", random.below(3)),
    }
}

/// A plan of rows, columns or elements.
fn memory(region: &Region, random: &mut Random) -> Vec<String> {
    let axes: Vec<&String> = region.iters.iter().chain(&region.reduced).collect();
    let Some(&last) = axes.last() else { return Vec::new() };
    let first = axes.iter().rev().nth(1).copied();
    let wide = number(random, &[32, 64, 128, 256, 512, 1024]);
    let high = number(random, &[1, 1, 2, 4, 8, 32]);
    let extent = |axis: &String| match axis {
        axis if axis == last => wide,
        axis if Some(axis) == first => high,
        _ => 1,
    };
    let tile: Vec<(String, i64)> = axes.iter().map(|axis| ((*axis).clone(), extent(axis))).collect();
    let mut clauses = vec![format!("tile {}", table(&tile)), format!("reduced [{}]", region.reduced.join(", "))];
    if !rarely(random, 4) {
        let each = part(random, wide / 32, 8);
        let is_reduced = region.reduced.contains(last);
        let sides = grid(random, [if first.is_some() { high.min(8) } else { 1 }, wide / each], 256);
        let lanes = if is_reduced { sides[1].max(32) } else { sides[1] };
        let mut threads = vec![(last.clone(), lanes)];
        let mut own = vec![(last.clone(), each)];
        if let Some(first) = first {
            threads.insert(0, (first.clone(), sides[0]));
            own.insert(0, (first.clone(), 1));
        }
        clauses.push(format!("threads {}", table(&threads)));
        clauses.push(format!("thread_tile {}", table(&own)));
    }
    for _ in 0..random.below(3) {
        let clause = match random.below(4) {
            0 => format!("cache {} in reg", region.tensors[random.below(region.tensors.len())].name),
            _ => extra(region, &tile, random),
        };
        let word = |clause: &str| clause.split(' ').next().unwrap_or_default().to_string();
        if !clauses.iter().any(|own| word(own) == word(&clause)) {
            clauses.push(clause);
        }
    }
    clauses
}

/// A plan with one clause changed, gone or added; and what was done. `None` where the edit drawn changes nothing.
pub fn edit(region: &Region, plan: &[String], random: &mut Random) -> Option<(Vec<String>, String)> {
    let mut clauses = plan.to_vec();
    let at = random.below(clauses.len().max(1));
    let was = clauses.get(at)?.clone();
    match random.below(8) {
        0 => {
            clauses.remove(at);
            Some((clauses, format!("-{was}")))
        }
        1 => {
            let axes: Vec<&String> = region.iters.iter().chain(&region.reduced).collect();
            let tile: Vec<(String, i64)> = axes.into_iter().map(|axis| (axis.clone(), 2)).collect();
            let clause = extra(region, &tile, random);
            let word = clause.split(' ').next()?.to_string();
            clauses.retain(|own| own.split(' ').next() != Some(&word));
            clauses.push(clause.clone());
            (clauses != plan).then(|| (clauses, format!("+{clause}")))
        }
        2 | 3 => {
            let now = word(&was, random)?;
            clauses[at].clone_from(&now);
            Some((clauses, format!("-{was} +{now}")))
        }
        _ => {
            let now = another_number(&was, random)?;
            clauses[at].clone_from(&now);
            Some((clauses, format!("-{was} +{now}")))
        }
    }
}

/// A clause with another word in place of one.
fn word(clause: &str, random: &mut Random) -> Option<String> {
    let mut places: Vec<(usize, &str, &[&str])> = Vec::new();
    let mut at = 0;
    let all: &[&[&str]] = if clause.starts_with("edge ") { &OF_EDGES } else { &WORDS };
    for piece in clause.split_inclusive(|each: char| !(each.is_ascii_alphanumeric() || each == '_')) {
        let name = piece.trim_end_matches(|each: char| !(each.is_ascii_alphanumeric() || each == '_'));
        places.extend(all.iter().filter(|words| at > 0 && words.contains(&name)).map(|words| (at, name, *words)));
        at += piece.len();
    }
    let (at, was, words) = *places.get(random.below(places.len()))?;
    let now = one(random, words);
    (now != was).then(|| format!("{}{now}{}", &clause[..at], &clause[at + was.len()..]))
}

/// A clause with another number in place of one: twice, half, one more or one less. The shapes of instructions stay, as
/// there is one for each type.
fn another_number(clause: &str, random: &mut Random) -> Option<String> {
    if clause.starts_with("instruction") {
        return None;
    }
    let bytes = clause.as_bytes();
    let inside = |at: usize| bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_';
    let begins = |at: usize| bytes[at].is_ascii_digit() && (at == 0 || !inside(at - 1));
    let places: Vec<usize> = (0..bytes.len()).filter(|&at| begins(at)).collect();
    let at = *places.get(random.below(places.len()))?;
    let rest = &clause[at..];
    let end = rest.find(|each: char| !each.is_ascii_digit()).unwrap_or(rest.len());
    let was: i64 = rest[..end].parse().ok()?;
    let is_count =
        ["stages", "roles", "blocks_per_sm", "split_k", "in_flight"].iter().any(|word| clause.starts_with(word));
    let now = match (random.below(4), is_count) {
        (0 | 1, false) | (0, true) => was * 2,
        (_, false) | (1, true) => was / 2,
        (2, true) => was + 1,
        _ => was - 1,
    };
    (now > 0 && now != was).then(|| format!("{}{now}{}", &clause[..at], &rest[end..]))
}
