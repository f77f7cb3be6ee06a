//! Which kernel a launch runs, and where its results lie.

use dlc_core::guard::Guard;
use dlc_core::sizes::{self, Exprs};
use dlc_ir::affine::SizeExpr;
use dlc_ir::define::Kind;
use dlc_ir::op::AttrKind;
use dlc_ir::{Attr, Context, Str};

/// A kernel that may run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// A reference to its symbol.
    pub callee: Attr,
    /// What its symbols are, in the order in which it declares them.
    pub sizes: Vec<SizeExpr>,
    /// When it runs; always without a condition.
    pub condition: Option<Guard>,
}

impl Choice {
    /// A kernel that runs always.
    pub fn always(ctx: &Context, name: &str, sizes: Vec<SizeExpr>) -> Choice {
        Choice { callee: ctx.symbol_attr(name), sizes, condition: None }
    }

    /// The symbolic integers in it.
    pub fn exprs(&self) -> impl Iterator<Item = &SizeExpr> {
        self.sizes.iter().chain(self.condition.iter().flat_map(Guard::exprs))
    }
}

/// A list of kernels. In generic form each is a dictionary, `{callee = @f, sizes = ["M"], where = [["K mod 8 == 0"]]}`,
/// of which `where` may be absent.
pub struct Choices;

impl Kind for Choices {
    type Value<'a> = Vec<Choice>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a list of kernels, such as [{callee = @f, sizes = [\"M\"]}]",
        admits: |ctx, attr| Choices::get(ctx, attr).is_some(),
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<Choice>> {
        attr.as_array(ctx)?.iter().map(|&attr| choice(ctx, attr)).collect()
    }
    fn make(ctx: &Context, choices: Vec<Choice>) -> Attr {
        let dict = |choice: Choice| {
            let key = |name| ctx.intern_str(name);
            let mut entries: Vec<(Str, Attr)> =
                vec![(key("callee"), choice.callee), (key("sizes"), Exprs::make(ctx, choice.sizes))];
            entries.extend(choice.condition.map(|condition| (key("where"), Guard::make(ctx, condition))));
            ctx.dict_attr(&entries)
        };
        let choices: Vec<Attr> = choices.into_iter().map(dict).collect();
        ctx.array_attr(&choices)
    }
}

fn choice(ctx: &Context, attr: Attr) -> Option<Choice> {
    let (mut callee, mut sizes, mut condition) = (None, None, None);
    for &(key, value) in attr.as_dict(ctx)? {
        match ctx.str(key) {
            "callee" => callee = Some(value).filter(|callee| callee.as_symbol(ctx).is_some()),
            "sizes" => sizes = Exprs::get(ctx, value),
            "where" => condition = Some(Guard::get(ctx, value)?),
            _ => return None,
        }
    }
    Some(Choice { callee: callee?, sizes: sizes?, condition })
}

/// For each result of a launch where it begins in the arena, in bytes; nothing for what is not in the arena. In generic
/// form a list such as `["128*M", unit]`.
pub struct Offsets;

impl Kind for Offsets {
    type Value<'a> = Vec<Option<SizeExpr>>;
    const KIND: &'static AttrKind = &AttrKind {
        name: "a list of offsets, such as [\"128*M\", unit]",
        admits: |ctx, attr| Offsets::get(ctx, attr).is_some(),
        parse: None,
        print: None,
    };
    fn get(ctx: &Context, attr: Attr) -> Option<Vec<Option<SizeExpr>>> {
        let offset = |&item: &Attr| match item == Attr::UNIT {
            true => Some(None),
            false => sizes::expr(ctx, item).map(Some),
        };
        attr.as_array(ctx)?.iter().map(offset).collect()
    }
    fn make(ctx: &Context, offsets: Vec<Option<SizeExpr>>) -> Attr {
        let item = |offset: &Option<SizeExpr>| match offset {
            Some(offset) => sizes::expr_attr(ctx, offset),
            None => Attr::UNIT,
        };
        ctx.array_attr(&offsets.iter().map(item).collect::<Vec<_>>())
    }
}
