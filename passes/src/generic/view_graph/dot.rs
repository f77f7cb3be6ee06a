//! A graph as text for Graphviz.

use super::{Block, Graph, Node};

/// The graph in the language of `dot`.
pub fn dot(graph: &Graph) -> String {
    let mut text = format!("digraph {} {{\n", quoted(&graph.name));
    text += "  compound=true; node [shape=box, fontname=monospace]; graph [fontname=monospace];\n";
    node(&graph.root, 1, &mut text);
    for edge in &graph.edges {
        let style = if edge.control { " [style=dashed]" } else { "" };
        text += &format!("  n{} -> n{}{style};\n", edge.from, edge.to);
    }
    text + "}\n"
}

fn node(node: &Node, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let label = quoted(&node.lines.join("\n"));
    if node.blocks.is_empty() {
        *text += &format!("{indent}n{} [label={label}];\n", node.id);
        return;
    }
    *text +=
        &format!("{indent}subgraph cluster_{} {{\n{indent}  n{} [label={label}, shape=plain];\n", node.id, node.id);
    for block in &node.blocks {
        self::block(block, depth + 1, text);
    }
    *text += &format!("{indent}}}\n");
}

fn block(block: &Block, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let label = quoted(&block.heading);
    *text += &format!("{indent}subgraph cluster_{} {{\n{indent}  style=rounded;\n", block.id);
    *text += &format!("{indent}  n{} [label={label}, shape=note];\n", block.id);
    block.nodes.iter().for_each(|inner| node(inner, depth + 1, text));
    *text += &format!("{indent}}}\n");
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
