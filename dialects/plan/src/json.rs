//! The JSON of section 8 of the specification: an object with `arch`, `tile`, `stages` and so on, one schedule a document.
//! See `docs/json.md`.
//!
//! Beyond the specification it has a key for every other clause, and `kernel`, the name of what it is for. Extents are
//! objects, `{"m": 128, "n": 64}`. Where they are a list, `[128, 64, 64]`, the axes are those that the loops of `bind` and
//! `predicate_tail` name, in that order, or else m, n and k; they are written as a list again. The tile of a warp is a
//! string, `"64x64"`, if it has the first axes of the tile.
//!
//! A machine is `{"target": "mine", "like": "sm90", ..}`, with the numbers of `plan.target` as keys.

use dlc_core::json::attr::{from_attr, to_attr};
use dlc_core::json::names::dtype_name;
use dlc_core::json::outline::Outline;
use dlc_core::json::{Document, Item, Kind as JsonKind, NO_JSON, Node, Read, Record, UNKNOWN_KEY};
use dlc_ir::body::{InsertPoint, OpParts};
use dlc_ir::diag::{Diagnostic, Diagnostics};
use dlc_ir::location::SourceFile;
use dlc_ir::pass::registry::Translation;
use dlc_ir::{Attr, Body, Context, Loc, OpRef};
use std::ops::Range;

use crate::clause::REMOVED;
use crate::places::ClauseLocs;
use crate::schedule::{Schedule, TargetName};
use crate::target::Target;
use crate::value::{Choice, Table, Value};

/// Schedules and targets as JSON.
pub static TRANSLATION: Translation = Translation {
    name: "plan-json",
    summary: "a schedule of a kernel, {\"tile\": [128, 64, 64], \"stages\": 2, .., \"arch\": \"sm80\"}",
    extension: ".plan.json",
    detects: Some(|text| {
        let outline = Outline::of(text);
        outline.has("arch") || outline.has("tile") || (outline.has("target") && outline.has("like"))
    }),
    layer: "plan",
    read: Some(read),
    write: Some(write),
};

dlc_ir::inventory::submit! { &TRANSLATION }

/// The discardable attribute of a schedule whose tile came as a list.
const AS_LIST: &str = "tile_as_list";

/// The keys in the order in which they are written: those of the specification, then ours.
fn keys() -> Vec<&'static str> {
    let theirs = [
        "kernel",
        "tile",
        "stages",
        "bind",
        "warp_tile",
        "cache",
        "vectorize",
        "predicate_tail",
        "epilogue",
        "arch",
        "layout_hints",
        "algo_choice",
        "local_edges",
        "async",
        "barrier_model",
    ];
    let ours =
        Schedule::KEYS.iter().copied().filter(|key| !theirs.contains(key) && !matches!(*key, "swizzle" | "stride"));
    theirs.into_iter().chain(ours).chain(["attrs"]).collect()
}

fn read(ctx: &Context, file: &SourceFile, part: Range<usize>, diags: &Diagnostics) -> Option<Body> {
    let before = diags.errors();
    let document = Document::new(file, part, diags);
    let root = document.root().ok()?;
    let is_target = Outline::of(root.text()).has("like");
    let op = if is_target { read_target(ctx, &root) } else { read_schedule(ctx, &root) };
    let (name, props, attrs) = op.ok().filter(|_| diags.errors() == before)?;
    let loc = if is_target { root.loc() } else { places(ctx, &root)?.fused(ctx, root.loc()) };
    let mut module = Body::module(ctx);
    let place = module.entry_block().map(InsertPoint::EndOf)?;
    let op = module.create_op(OpParts { props, attrs, ..OpParts::new(ctx.op_name(name), loc) });
    module.insert(op, place);
    Some(module)
}

/// The name of an op, its attributes, and the discardable ones.
type Op = (&'static str, Attr, Attr);

/// Where the clauses of a schedule stand: at their keys, those of lists at the entries.
fn places(ctx: &Context, root: &Node<'_>) -> Option<ClauseLocs> {
    let mut places = ClauseLocs::default();
    for (key, place, value) in root.entries("a schedule").ok()? {
        let of_list = |about: &str| -> Vec<(String, Loc)> {
            let items = value.list("a list").unwrap_or_default();
            let entry = |item: &Node<'_>| {
                let (_, _, name) = item.entries("an object").ok()?.into_iter().find(|(key, ..)| key == about)?;
                Some((name.name().ok()?.into_owned(), item.loc()))
            };
            items.iter().filter_map(entry).collect()
        };
        match &*key {
            "cache" => of_list("tensor").iter().for_each(|(name, loc)| places.add(ctx, &format!("cache {name}"), *loc)),
            "local_edges" => {
                of_list("from").iter().for_each(|(name, loc)| places.add(ctx, &format!("edge {name}"), *loc))
            }
            "layout_hints" => {
                for (hint, place, _) in value.entries("an object of hints").ok()? {
                    let tensor = |ending: &str| hint.strip_suffix(ending).map(|tensor| tensor.to_string());
                    let clause = tensor("_swizzle").map(|tensor| format!("swizzle {tensor}"));
                    let clause = clause.or_else(|| tensor("_stride").map(|tensor| format!("stride {tensor}")));
                    clause.iter().for_each(|clause| places.add(ctx, clause, place.loc()));
                }
            }
            key => {
                let word = Schedule::KEYS.iter().position(|known| *known == key).map(|at| Schedule::WORDS[at]);
                word.iter().for_each(|word| places.add(ctx, word, place.loc()));
            }
        }
    }
    Some(places)
}

/// Refuses parts that clauses had.
fn removed(root: &Node<'_>) -> Read<()> {
    for (key, _, value) in root.entries("a schedule")? {
        let items = if value.kind() == JsonKind::List { value.list("a list")? } else { vec![value] };
        for item in items.iter().filter(|item| item.kind() == JsonKind::Object) {
            for (part, place, _) in item.entries("an object")? {
                let is_this = |(clause, _, removed, _): &&(&str, &str, &str, &str)| *clause == key && *removed == part;
                if let Some((clause, .., way)) = REMOVED.iter().find(is_this) {
                    let message = format!("'{clause}' has no '{part}' any more: nothing followed it");
                    return Err(item.report(place.error(&UNKNOWN_KEY, message).suggest(*way)));
                }
            }
        }
    }
    Ok(())
}

fn read_schedule(ctx: &Context, root: &Node<'_>) -> Read<Op> {
    removed(root)?;
    let record = Record::new(root, "a schedule", &keys())?;
    let mut plan = Schedule { targets: read_arch(record.need("arch")?)?, ..Schedule::default() };
    let mut attrs: Vec<_> = match record.get("attrs").map(|node| to_attr(ctx, node)).transpose()? {
        Some(attrs) => attrs.as_dict(ctx).unwrap_or_default().to_vec(),
        None => Vec::new(),
    };
    for (key, node) in record.entries() {
        match key {
            "kernel" => plan.of = Some(node.name()?.into_owned()),
            "layout_hints" => read_hints(&mut plan, node)?,
            "tile" | "warp_tile" | "thread_tile" | "arch" | "attrs" => {}
            key => plan.read_key(ctx, key, node)?,
        }
    }
    if let Some(node) = record.get("tile") {
        plan.tile = Some(extents(ctx, node, &axes_named(&plan))?);
        if node.kind() == JsonKind::List {
            attrs.push((ctx.intern_str(AS_LIST), Attr::UNIT));
        }
    }
    let axes: Vec<String> = plan.tile.iter().flat_map(Table::names).map(String::from).collect();
    if let Some(node) = record.get("thread_tile") {
        plan.thread_tile = Some(extents(ctx, node, &axes)?);
    }
    if let Some(node) = record.get("warp_tile") {
        match per_thread(node) {
            Some(numbers) => plan.thread_tile = Some(paired(node, numbers, &axes)?),
            None => plan.warp_tile = Some(extents(ctx, node, &axes)?),
        }
    }
    Ok((Schedule::OP, plan.props(ctx), ctx.dict_attr(&attrs)))
}

fn read_arch(node: &Node<'_>) -> Read<Vec<TargetName>> {
    let text = node.name()?;
    let target = |name: &str| match name.strip_prefix('@') {
        Some(name) => TargetName::Symbol(name.to_string()),
        None => TargetName::BuiltIn(name.to_string()),
    };
    Ok(text.split("_or_").map(target).collect())
}

/// The axes that loops name, in order.
fn axes_named(plan: &Schedule) -> Vec<String> {
    let bound = plan.bind.iter().flat_map(Table::names);
    let tails = plan.predicate_tail.iter().flatten().map(String::as_str);
    let mut axes: Vec<String> = Vec::new();
    for name in bound.chain(tails).filter_map(|name| name.split('.').next()) {
        if !axes.iter().any(|axis| axis == name) {
            axes.push(name.to_string());
        }
    }
    axes
}

/// Extents as an object, as a list, or as a string such as `"64x64"`.
fn extents(ctx: &Context, node: &Node<'_>, axes: &[String]) -> Read<Table<i64>> {
    match node.kind() {
        JsonKind::List => {
            let numbers = node.list_of("a list of extents, such as [128, 64, 64]", Node::int)?;
            paired(node, numbers, axes)
        }
        JsonKind::String => {
            let numbers =
                node.string("extents")?.split('x').map(|part| part.parse().ok()).collect::<Option<Vec<i64>>>();
            match numbers {
                Some(numbers) => paired(node, numbers, axes),
                None => Err(node.not("extents, such as \"64x64\"")),
            }
        }
        _ => Value::read(ctx, node),
    }
}

/// A schedule whose tile came as a list, for a kernel with these axes: those of the results, then those that are reduced.
/// Unless its loops name axes, the extents are those of the axes of the kernel, in order. Other schedules stay.
///
/// An error says that the list is too long.
pub fn in_order(ctx: &Context, (props, attrs): (Attr, Attr), axes: &[String]) -> Result<Attr, String> {
    let is_list = attrs.as_dict(ctx).unwrap_or_default().iter().any(|(key, _)| ctx.str(*key) == AS_LIST);
    let mut plan = Schedule::of_props(ctx, props);
    let count = plan.tile.as_ref().map_or(0, |tile| tile.0.len());
    if !is_list || !axes_named(&plan).is_empty() {
        return Ok(props);
    }
    if count > axes.len() {
        return Err(format!("'tile' has {count} extents, and the axes of the kernel are {}", axes.join(", ")));
    }
    let old: Vec<String> = plan.tile.iter().flat_map(Table::names).map(String::from).collect();
    for table in [&mut plan.tile, &mut plan.warp_tile, &mut plan.thread_tile].into_iter().flatten() {
        for (axis, _) in &mut table.0 {
            if let Some(place) = old.iter().position(|known| known == axis) {
                *axis = axes[place].clone();
            }
        }
    }
    Ok(plan.props(ctx))
}

/// The tile of a thread in the words of the walkthrough, `"naive_2x2_per_thread"`.
fn per_thread(node: &Node<'_>) -> Option<Vec<i64>> {
    let text = node.text().trim_matches('"');
    let middle = text.strip_prefix("naive_")?.strip_suffix("_per_thread")?;
    middle.split('x').map(|part| part.parse().ok()).collect()
}

/// Numbers for the first axes; m, n and k where these are not known.
fn paired(node: &Node<'_>, numbers: Vec<i64>, axes: &[String]) -> Read<Table<i64>> {
    let is_open = node.kind() == JsonKind::List && axes.is_empty();
    let mut axes = axes.to_vec();
    for axis in ["m", "n", "k"] {
        if axes.len() < numbers.len() && !axes.iter().any(|known| known == axis) {
            axes.push(axis.to_string());
        }
    }
    let more = (axes.len()..numbers.len()).map(|place| format!("axis_{place}"));
    if is_open {
        // They are those of the kernel, by their places.
        axes.extend(more);
    } else if axes.len() < numbers.len() {
        let wanted =
            format!("extents of at most {} axes; others are named, as in {{\"b\": 1, \"m\": 128}}", axes.len());
        return Err(node.not(&wanted));
    }
    Ok(Table(axes.into_iter().zip(numbers).collect()))
}

fn read_hints(plan: &mut Schedule, node: &Node<'_>) -> Read<()> {
    for (key, place, value) in node.entries("an object of hints, such as {\"A_swizzle\": true}")? {
        if let Some(tensor) = key.strip_suffix("_swizzle") {
            let swizzle = match value.kind() {
                JsonKind::Bool if value.text() == "true" => Choice::Word("auto".into()),
                JsonKind::Bool => Choice::Number(0),
                JsonKind::Number => Choice::Number(value.int()?),
                _ => return Err(value.not("true, false or a number of bytes")),
            };
            plan.swizzle.get_or_insert_default().0.push((tensor.to_string(), swizzle));
        } else if let Some(tensor) = key.strip_suffix("_stride") {
            let word = value.string("a word, such as \"row\"")?.into_owned();
            plan.stride.get_or_insert_default().0.push((tensor.to_string(), word));
        } else {
            let error = place.error(&UNKNOWN_KEY, format!("there is no hint '{key}' ('{}')", node.path()));
            return Err(node.report(error.suggest("a hint is the name of a tensor with '_swizzle' or '_stride'")));
        }
    }
    Ok(())
}

fn read_target(ctx: &Context, root: &Node<'_>) -> Read<Op> {
    let known: Vec<&str> = ["target", "like"].into_iter().chain(Target::WORDS.iter().copied()).collect();
    let record = Record::new(root, "a target", &known)?;
    let mut props = vec![
        (ctx.intern_str("sym_name"), ctx.str_attr(&record.need("target")?.name()?)),
        (ctx.intern_str("like"), ctx.str_attr(&record.need("like")?.name()?)),
    ];
    for (key, node) in record.entries() {
        let attr = match key {
            "target" | "like" => continue,
            "rates" => <Table<i64> as Value>::read(ctx, node)?.make(ctx),
            "features" => <Vec<String> as Value>::read(ctx, node)?.make(ctx),
            _ => ctx.i64_attr(node.int()?),
        };
        props.push((ctx.intern_str(key), attr));
    }
    Ok((Target::DEF.name, ctx.dict_attr(&props), Attr::EMPTY_DICT))
}

fn write(ctx: &Context, op: OpRef<'_>, diags: &Diagnostics) -> Option<String> {
    let no_json = |why: String| {
        diags.emit(Diagnostic::error(&NO_JSON, op.loc(), why).at(op.name()));
        None
    };
    if op.is(Target::DEF) {
        return Some(write_target(op));
    }
    let plan = Schedule::of(op)?;
    let types = plan.caches.iter().filter_map(|cache| cache.dtype);
    if let Some(ty) = types.into_iter().find(|&ty| dtype_name(ctx, ty).is_none()) {
        return no_json(format!("JSON has no name for the type {}", ty.display(ctx)));
    }
    let discardable = op.body.attrs(op.id).as_dict(ctx).unwrap_or_default();
    let as_list = discardable.iter().any(|(key, _)| ctx.str(*key) == AS_LIST);
    let kept: Vec<_> = discardable.iter().copied().filter(|(key, _)| ctx.str(*key) != AS_LIST).collect();
    let mut entries: Vec<(&str, Item)> = Vec::new();
    for key in keys() {
        let item = match key {
            "kernel" => plan.of.as_deref().map(Item::from),
            "arch" => Some(arch(&plan).as_str().into()),
            "tile" => plan.tile.as_ref().map(|tile| match as_list {
                true => Item::list(tile.0.iter().map(|(_, extent)| *extent)),
                false => tile.item(ctx),
            }),
            "warp_tile" => plan.warp_tile.as_ref().map(|warp| match begins(&plan, warp) {
                true => {
                    warp.0.iter().map(|(_, extent)| extent.to_string()).collect::<Vec<_>>().join("x").as_str().into()
                }
                false => warp.item(ctx),
            }),
            "layout_hints" => hints(&plan),
            "attrs" if kept.is_empty() => None,
            "attrs" => match from_attr(ctx, ctx.dict_attr(&kept)) {
                Some(item) => Some(item),
                None => return no_json("JSON cannot say its attributes".into()),
            },
            key => plan.json_of(ctx, key),
        };
        entries.extend(item.map(|item| (key, item)));
    }
    Some(Item::object(entries).document())
}

fn arch(plan: &Schedule) -> String {
    let name = |target: &TargetName| match target {
        TargetName::BuiltIn(name) => name.clone(),
        TargetName::Symbol(name) => format!("@{name}"),
    };
    plan.targets.iter().map(name).collect::<Vec<_>>().join("_or_")
}

/// Whether a table has the first axes of the tile, in order.
fn begins(plan: &Schedule, table: &Table<i64>) -> bool {
    let own = plan.tile.iter().flat_map(Table::names).take(table.0.len());
    !table.0.is_empty() && table.names().eq(own)
}

fn hints(plan: &Schedule) -> Option<Item> {
    let swizzle = |choice: &Choice| match choice {
        Choice::Number(bytes) => Item::from(*bytes),
        Choice::Word(_) => Item::Bool(true),
    };
    let swizzles = plan.swizzle.iter().flat_map(|table| &table.0);
    let strides = plan.stride.iter().flat_map(|table| &table.0);
    let hints: Vec<(String, Item)> = swizzles
        .map(|(tensor, choice)| (format!("{tensor}_swizzle"), swizzle(choice)))
        .chain(strides.map(|(tensor, word)| (format!("{tensor}_stride"), word.as_str().into())))
        .collect();
    (!hints.is_empty()).then_some(Item::Object(hints))
}

fn write_target(op: OpRef<'_>) -> String {
    let ctx = op.ctx;
    let text = |key: &str| op.prop_named(key).and_then(|attr| attr.as_str(ctx)).unwrap_or_default();
    let mut entries: Vec<(&str, Item)> = vec![("target", text("sym_name").into()), ("like", text("like").into())];
    for &word in Target::WORDS {
        let Some(attr) = op.prop_named(word) else { continue };
        let item = match word {
            "rates" => <Table<i64> as Value>::get(ctx, attr).map(|table| table.item(ctx)),
            "features" => <Vec<String> as Value>::get(ctx, attr).map(|words| words.item(ctx)),
            _ => attr.as_int(ctx).map(Item::from),
        };
        entries.extend(item.map(|item| (word, item)));
    }
    Item::object(entries).document()
}
