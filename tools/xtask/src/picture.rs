//! The picture of the layers, made from what dialects and passes declare: `docs/images/layers.svg`.

use std::fmt::Write as _;

use dlc_ir::pass::PassDef;
use dlc_opt::Setup;
use dlc_opt::layers::{LAYERS, depth};
use dlc_passes::plan::clauses::CLAUSES;

/// Where the picture is, below the root.
pub const FILE: &str = "docs/images/layers.svg";

/// The width of a box, its height, and the distance from one layer to the next, in pixels.
const BOX: (usize, usize, usize) = (340, 46, 84);
/// Where the boxes of the way down begin, and those of what stands next to a layer.
const COLUMNS: [usize; 2] = [20, 510];

/// A layer with its place: the column and the row.
struct Placed {
    name: &'static str,
    column: usize,
    row: usize,
}

/// An arrow: from a layer to one that a pass adds.
struct Arrow {
    from: &'static str,
    to: &'static str,
    pass: &'static str,
    kind: ArrowKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ArrowKind {
    /// To the layer below, which replaces the one that it begins at.
    Down,
    /// To a layer at the side.
    Aside,
    /// From plans to the layer that they decide.
    OfPlans,
}

/// The picture. A lowering replaces a layer by another one, which stands below; a layer that a pass only adds stands at the
/// side, and so do the others that a lowering adds. A lowering whose clauses a plan has starts there too.
pub fn layers(setup: &Setup) -> String {
    let arrows: Vec<Arrow> = setup.registry.passes().flat_map(arrows).collect();
    let origin = |layer: &str| arrows.iter().find(|arrow| arrow.to == layer && arrow.kind == ArrowKind::Aside);
    let (at_side, below): (Vec<&str>, Vec<&str>) = LAYERS.into_iter().partition(|layer| origin(layer).is_some());
    let mut placed: Vec<Placed> =
        below.into_iter().enumerate().map(|(row, name)| Placed { name, column: 0, row }).collect();
    let origin_row = |placed: &[Placed], layer: &str| {
        let from = origin(layer).map(|arrow| arrow.from);
        placed.iter().find(|own| Some(own.name) == from).map_or(0, |own| own.row)
    };
    let mut at_side: Vec<(usize, &str)> =
        at_side.into_iter().map(|layer| (origin_row(&placed, layer), layer)).collect();
    at_side.sort_by_key(|(row, _)| *row);
    let mut free = 0;
    for (row, name) in at_side {
        let row = row.max(free);
        free = row + 1;
        placed.push(Placed { name, column: 1, row });
    }
    draw(setup, &placed, &arrows)
}

/// The arrows of a pass.
fn arrows(def: &'static PassDef) -> Vec<Arrow> {
    let Some(&from) = def.requires.first().filter(|_| !def.adds.is_empty()) else { return Vec::new() };
    if def.removes.is_empty() {
        return def.adds.iter().map(|&to| Arrow { from, to, pass: def.name, kind: ArrowKind::Aside }).collect();
    }
    let below = def.adds.iter().copied().min_by_key(|layer| depth(layer)).unwrap_or(from);
    let arrow = |from, to, kind| Arrow { from, to, pass: def.name, kind };
    let others = def.adds.iter().copied().filter(|&layer| layer != below);
    let plans = CLAUSES
        .iter()
        .any(|clause| clause.reader.split(", ").any(|reader| reader == def.name))
        .then(|| arrow("plan", below, ArrowKind::OfPlans));
    std::iter::once(arrow(from, below, ArrowKind::Down))
        .chain(others.map(|to| arrow(from, to, ArrowKind::Aside)))
        .chain(plans)
        .collect()
}

fn draw(setup: &Setup, placed: &[Placed], arrows: &[Arrow]) -> String {
    let (width, height, step) = BOX;
    let rows = placed.iter().map(|own| own.row + 1).max().unwrap_or(0);
    let (full_width, full_height) = (COLUMNS[1] + width + 20, rows * step + 20);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {full_width} {full_height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <!-- Made from the declarations by `cargo xtask reference`; changes here are lost. -->\n\
         <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path d=\"M0,0 L8,4 L0,8 z\" fill=\"#57606a\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let place = |own: &Placed| (COLUMNS[own.column], 10 + own.row * step);
    for own in placed {
        let (x, y) = place(own);
        let summary =
            setup.dialects.iter().find(|dialect| dialect.name == own.name).map_or("", |dialect| dialect.summary);
        let fill = if own.column == 0 { "#ddf4ff" } else { "#f6f8fa" };
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"{fill}\" stroke=\"#57606a\"/>\n\
             <text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>\n<text x=\"{}\" y=\"{}\" fill=\"#57606a\" font-size=\"11\">{}</text>\n",
            x + 12,
            y + 19,
            own.name,
            x + 12,
            y + 36,
            escaped(summary.trim_end_matches('.')),
        );
    }
    for arrow in arrows {
        let find = |name: &str| placed.iter().find(|own| own.name == name);
        let (Some(from), Some(to)) = (find(arrow.from), find(arrow.to)) else { continue };
        let ((x, y), (to_x, to_y)) = (place(from), place(to));
        let line = match arrow.kind {
            ArrowKind::Down => [x + 60, y + height, to_x + 60, to_y],
            ArrowKind::Aside => [x + width, y + height / 2, to_x, to_y + height / 2],
            ArrowKind::OfPlans => [x, y + height - 10, to_x + width, to_y + height - 10],
        };
        let [x1, y1, x2, y2] = line;
        let (text_x, text_y) = match arrow.kind {
            ArrowKind::Down => (x1 + 10, (y1 + y2) / 2 + 4),
            ArrowKind::Aside => (x1 + 34, y2 - 6),
            ArrowKind::OfPlans => (x2 + 34, y2 + 15),
        };
        let _ = write!(
            svg,
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"#57606a\" marker-end=\"url(#tip)\"/>\n\
             <text x=\"{text_x}\" y=\"{text_y}\" fill=\"#0550ae\" font-size=\"12\">{}</text>\n",
            arrow.pass
        );
    }
    svg + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
