//! A graph as a picture.
//!
//! Inside a block every op is in the layer below the lowest op that it uses something of, and the layers are centred;
//! within a layer ops stand below what they use. An op that holds blocks is as large as these. All sizes are whole
//! numbers of pixels, so the picture is the same on every machine.

use super::{Block, Edge, Graph, Node};

/// Between boxes, and between a box and what is in it.
const GAP: usize = 12;
/// Height of a line of text.
const LINE: usize = 16;
/// Width of a character of the monospaced font, in quarters of a pixel.
const QUARTERS: usize = 29;

/// The place of a box.
#[derive(Clone, Copy, Default, Debug)]
struct Rect {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

/// The picture.
pub fn svg(graph: &Graph) -> String {
    let mut layout = Layout::new(graph);
    let size = layout.node(&graph.root);
    layout.place(&graph.root, GAP, GAP);
    let (width, height) = (size.0 + 2 * GAP, size.1 + 2 * GAP);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"12\">\n\
         <style>rect {{ fill: #fff; stroke: #888 }} .block {{ fill: #f4f6f8 }} .heading {{ fill: #e2e8f0 }} \
         path {{ fill: none; stroke: #36c }} .control {{ stroke: #c63; stroke-dasharray: 4 }}</style>\n"
    );
    layout.draw(&graph.root, &mut text);
    for edge in &graph.edges {
        text += &layout.arrow(edge);
    }
    text + "</svg>\n"
}

/// Where everything is; first relative to the box around it, then in the picture.
struct Layout {
    /// The box of each op and of each heading, by number.
    boxes: Vec<Rect>,
    /// The frame of each block, by its number; its heading is one of the boxes.
    frames: Vec<Rect>,
    /// The box that holds each box, and the block in it: for finding which ops of one block an arrow concerns.
    around: Vec<Option<(usize, usize)>>,
    /// What each op uses, by number.
    uses: Vec<Vec<usize>>,
}

impl Layout {
    fn new(graph: &Graph) -> Layout {
        let mut layout = Layout {
            boxes: vec![Rect::default(); graph.boxes],
            frames: vec![Rect::default(); graph.boxes],
            around: vec![None; graph.boxes],
            uses: vec![Vec::new(); graph.boxes],
        };
        layout.surround(&graph.root);
        for edge in graph.edges.iter().filter(|edge| !edge.control) {
            if let Some((from, to)) = layout.in_one_block(edge) {
                layout.uses[to].push(from);
            }
        }
        layout
    }

    fn surround(&mut self, node: &Node) {
        for block in &node.blocks {
            self.around[block.id] = Some((node.id, block.id));
            for inner in &block.nodes {
                self.around[inner.id] = Some((node.id, block.id));
                self.surround(inner);
            }
        }
    }

    /// The arrow between the ops of the block where it begins: one that ends deeper ends at the op that holds the end.
    fn in_one_block(&self, edge: &Edge) -> Option<(usize, usize)> {
        let (_, block) = self.around[edge.from]?;
        let mut to = edge.to;
        loop {
            let (holder, at) = self.around[to]?;
            if at == block {
                return (to != edge.from).then_some((edge.from, to));
            }
            to = holder;
        }
    }

    /// The size of the box of an op, when the boxes inside have their places in it.
    fn node(&mut self, node: &Node) -> (usize, usize) {
        let longest = node.lines.iter().map(|line| text_width(line)).max().unwrap_or(0);
        let (mut width, mut height) = (longest + GAP, node.lines.len() * LINE + GAP);
        for block in &node.blocks {
            let size = self.block(block);
            self.frames[block.id] = Rect { x: GAP, y: height, width: size.0, height: size.1 };
            width = width.max(size.0 + 2 * GAP);
            height += size.1 + GAP;
        }
        self.boxes[node.id] = Rect { x: 0, y: 0, width, height };
        (width, height)
    }

    /// The size of the frame of a block, when its ops have their places in it.
    fn block(&mut self, block: &Block) -> (usize, usize) {
        let heading = (text_width(&block.heading) + GAP, LINE + GAP);
        self.boxes[block.id] = Rect { x: GAP, y: GAP, width: heading.0, height: heading.1 };
        let layers = self.layers(block);
        let sizes: Vec<(usize, usize)> = block.nodes.iter().map(|node| self.node(node)).collect();
        let row_width = |row: &[usize]| row.iter().map(|&at| sizes[at].0 + GAP).sum::<usize>().saturating_sub(GAP);
        let inside = layers.iter().map(|row| row_width(row)).max().unwrap_or(0).max(heading.0);
        let mut y = GAP + heading.1 + 2 * GAP;
        for mut row in layers {
            // Below the middle of what it uses; of equal ones, the first in the text is on the left.
            row.sort_by_key(|&at| (self.middle_of_uses(block.nodes[at].id), at));
            let mut x = GAP + (inside - row_width(&row)) / 2;
            for &at in &row {
                let place = &mut self.boxes[block.nodes[at].id];
                (place.x, place.y) = (x, y);
                x += sizes[at].0 + GAP;
            }
            y += row.iter().map(|&at| sizes[at].1).max().unwrap_or(0) + 2 * GAP;
        }
        (inside + 2 * GAP, y - GAP)
    }

    /// The ops of a block, by layer. What is used before it is defined, in a graph region, does not count.
    fn layers(&self, block: &Block) -> Vec<Vec<usize>> {
        let mut layer_of: Vec<(usize, usize)> = Vec::new();
        let mut layers: Vec<Vec<usize>> = Vec::new();
        for (at, node) in block.nodes.iter().enumerate() {
            let used = self.uses[node.id].iter().filter_map(|used| {
                let known = layer_of.binary_search_by_key(used, |&(id, _)| id).ok()?;
                Some(layer_of[known].1 + 1)
            });
            let mut layer = used.max().unwrap_or(0);
            // The op that ends the block stands at its end.
            if at + 1 == block.nodes.len() && at > 0 {
                layer = layer.max(layers.len());
            }
            // Numbers grow with the order of the text, so this stays sorted.
            layer_of.push((node.id, layer));
            if layers.len() <= layer {
                layers.resize(layer + 1, Vec::new());
            }
            layers[layer].push(at);
        }
        layers
    }

    fn middle_of_uses(&self, node: usize) -> usize {
        let uses = &self.uses[node];
        let middles: usize = uses.iter().map(|&used| self.boxes[used].x + self.boxes[used].width / 2).sum();
        if uses.is_empty() { 0 } else { middles / uses.len() }
    }

    /// Turns places in the box around into places in the picture.
    fn place(&mut self, node: &Node, x: usize, y: usize) {
        let own = &mut self.boxes[node.id];
        (own.x, own.y) = (own.x + x, own.y + y);
        let (x, y) = (own.x, own.y);
        for block in &node.blocks {
            let frame = &mut self.frames[block.id];
            (frame.x, frame.y) = (frame.x + x, frame.y + y);
            let (x, y) = (frame.x, frame.y);
            let heading = &mut self.boxes[block.id];
            (heading.x, heading.y) = (heading.x + x, heading.y + y);
            block.nodes.iter().for_each(|inner| self.place(inner, x, y));
        }
    }

    fn draw(&self, node: &Node, text: &mut String) {
        *text += &rect("", self.boxes[node.id], &node.lines);
        for block in &node.blocks {
            *text += &rect(" class=\"block\" rx=\"6\"", self.frames[block.id], &[]);
            *text += &rect(" class=\"heading\"", self.boxes[block.id], std::slice::from_ref(&block.heading));
            block.nodes.iter().for_each(|inner| self.draw(inner, text));
        }
    }

    /// A curve from the lower edge of one box to the upper edge of the other.
    fn arrow(&self, edge: &Edge) -> String {
        let (from, to) = (self.boxes[edge.from], self.boxes[edge.to]);
        let (x1, y1, x2, y2) = (from.x + from.width / 2, from.y + from.height, to.x + to.width / 2, to.y);
        let class = if edge.control { " class=\"control\"" } else { "" };
        let bend = GAP;
        format!("<path{class} d=\"M{x1} {y1} C{x1} {}, {x2} {}, {x2} {y2}\"/>\n", y1 + bend, y2.saturating_sub(bend))
    }
}

fn text_width(text: &str) -> usize {
    (text.chars().count() * QUARTERS).div_ceil(4)
}

fn rect(extra: &str, Rect { x, y, width, height }: Rect, lines: &[String]) -> String {
    let mut text = format!("<rect{extra} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>\n");
    for (number, line) in lines.iter().enumerate() {
        let base = y + (number + 1) * LINE + GAP / 4;
        text += &format!("<text x=\"{}\" y=\"{base}\">{}</text>\n", x + GAP / 2, escaped(line));
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
