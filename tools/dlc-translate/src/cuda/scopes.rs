//! Where variables are declared: in the innermost scope that all that use one share, where that is first needed.

use dlc_ir::ValueId;

use super::tree::Node;
use super::values::Values;

/// The scopes of an entry. Statements are counted in the order in which they are written, and so are the lists of
/// statements inside of others.
#[derive(Debug, Default)]
pub struct Scopes {
    /// The scope around each, and how deep it is.
    parents: Vec<(usize, usize)>,
    /// For each place in the count that begins a scope, that scope.
    begins: Vec<(usize, usize)>,
    /// For each variable: its scope, and the statement that uses it first.
    places: Vec<Option<(usize, usize)>>,
    /// For each statement the first after it, by its number.
    ends: Vec<usize>,
    /// Whether a variable is declared where it is first written.
    inline: Vec<bool>,
    /// Whether a variable is read.
    read: Vec<bool>,
}

struct Walk<'v, 'a> {
    values: &'v Values<'a>,
    scopes: Scopes,
    count: usize,
    jumps: bool,
}

impl Scopes {
    /// The scopes of statements.
    pub fn of(nodes: &[Node], values: &Values<'_>) -> Scopes {
        let count = values.declared.len();
        let scopes = Scopes {
            parents: vec![(0, 0)],
            places: vec![None; count],
            inline: vec![false; count],
            read: vec![false; count],
            ..Scopes::default()
        };
        let mut walk = Walk { values, scopes, count: 0, jumps: has_jumps(nodes) };
        walk.list(nodes, 0);
        let mut scopes = walk.scopes;
        if walk.jumps {
            // A jump must not pass by the beginning of a variable: all of them begin before.
            scopes.places.iter_mut().flatten().for_each(|place| *place = (0, 0));
            scopes.inline.iter_mut().for_each(|inline| *inline = false);
        }
        scopes
    }

    /// The scope that begins at a place in the count.
    pub fn at(&self, count: usize) -> usize {
        self.begins.binary_search_by_key(&count, |&(at, _)| at).map_or(0, |index| self.begins[index].1)
    }

    /// The scope of a variable.
    pub fn scope_of(&self, number: usize) -> Option<usize> {
        self.places[number].map(|(scope, _)| scope)
    }

    /// Whether a variable is read anywhere.
    pub fn is_read(&self, number: usize) -> bool {
        self.read[number]
    }

    /// The variables to declare before a statement of a scope: those that it uses first, unless it begins them itself.
    pub fn declared_before(&self, scope: usize, count: usize) -> Vec<usize> {
        let end = self.ends.get(count).copied().unwrap_or(count + 1);
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (number, place) in self.places.iter().enumerate() {
            if let Some((of, first)) = *place
                && of == scope
                && (count..end.max(count + 1)).contains(&first)
                && !self.inline[number]
            {
                found.push((first, number));
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, number)| number).collect()
    }

    fn depth(&self, scope: usize) -> usize {
        self.parents[scope].1
    }

    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if self.depth(a) >= self.depth(b) { a = self.parents[a].0 } else { b = self.parents[b].0 }
        }
        a
    }
}

impl Walk<'_, '_> {
    fn open(&mut self, parent: usize) -> usize {
        let depth = self.scopes.depth(parent) + 1;
        self.scopes.parents.push((parent, depth));
        let scope = self.scopes.parents.len() - 1;
        self.scopes.begins.push((self.count, scope));
        self.scopes.ends.push(0);
        self.count += 1;
        scope
    }

    fn list(&mut self, nodes: &[Node], scope: usize) {
        for node in nodes {
            let at = self.count;
            self.scopes.ends.push(0);
            self.count += 1;
            self.node(node, scope, at);
            self.scopes.ends[at] = self.count;
        }
    }

    fn node(&mut self, node: &Node, scope: usize, at: usize) {
        match node {
            Node::Op(id) => {
                let body = self.values.body();
                let operands: Vec<ValueId> = body.operands(*id).collect();
                operands.into_iter().for_each(|value| self.read(value, scope, at));
                let single = body.num_results(*id) == 1;
                let results: Vec<ValueId> = body.results(*id).collect();
                for value in results {
                    self.access(value, scope, at, single);
                }
            }
            Node::Moves(pairs) => {
                for &(source, target) in pairs {
                    self.read(source, scope, at);
                    self.access(target, scope, at, true);
                }
            }
            Node::If(cond, then, otherwise) => {
                self.read(*cond, scope, at);
                let first = self.open(scope);
                self.list(then, first);
                let second = self.open(scope);
                self.list(otherwise, second);
            }
            Node::Loop(inner) => {
                let inside = self.open(scope);
                self.list(inner, inside);
            }
            Node::DoWhile(inner, cond, _) => {
                let inside = self.open(scope);
                self.list(inner, inside);
                self.read(*cond, scope, at);
            }
            Node::For(count, inner) => {
                self.read(count.from, scope, at);
                let header = self.open(scope);
                let begin = self.count - 1;
                self.access(count.counter, header, begin, true);
                for value in [count.again, count.next] {
                    let operands: Vec<ValueId> =
                        self.values.inst(value).map(|inst| inst.op.operands().collect()).unwrap_or_default();
                    operands.into_iter().for_each(|value| self.read(value, header, begin));
                }
                let inside = self.open(header);
                self.list(inner, inside);
            }
            _ => {}
        }
    }

    fn read(&mut self, value: ValueId, scope: usize, at: usize) {
        let mut leaves = Vec::new();
        self.values.leaves(value, &mut leaves);
        for leaf in leaves {
            if let Some(variable) = self.values.variables.get(&leaf) {
                self.scopes.read[variable.number] = true;
            }
            self.access(leaf, scope, at, false);
        }
    }

    fn access(&mut self, value: ValueId, scope: usize, at: usize, begins: bool) {
        let Some(variable) = self.values.variables.get(&value) else { return };
        let number = variable.number;
        let begins = begins && variable.element.is_none();
        match self.scopes.places[number] {
            None => {
                self.scopes.places[number] = Some((scope, at));
                self.scopes.inline[number] = begins;
            }
            Some((known, first)) => {
                let common = self.scopes.common(known, scope);
                if common != known {
                    self.scopes.inline[number] = false;
                }
                self.scopes.places[number] = Some((common, first));
            }
        }
    }
}

fn has_jumps(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Goto(_) => true,
        Node::If(_, then, otherwise) => has_jumps(then) || has_jumps(otherwise),
        Node::Loop(inner) | Node::DoWhile(inner, ..) | Node::For(_, inner) => has_jumps(inner),
        _ => false,
    })
}
