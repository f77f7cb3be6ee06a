//! Rewrite rules as `from => to`, as MLIR's declarative rewrites and Cranelift's ISLE have them.

/// Declares [patterns](crate::rewrite::Pattern) by the op that they match and what they replace it with.
///
/// ```text
/// dlc_ir::rewrites! {
///     /// `where (not c), a, b` is `where c, b, a`.
///     WHERE_OF_NOT = "where-of-not": (Where (Neg c) a b) => (Where c b a);
///     /// `permute (permute x)` is one permutation.
///     PERMUTE_PERMUTE = "permute-permute": (outer: Permute (inner: Permute x))
///         where order = composed(inner, outer) => (Permute x order);
/// }
/// ```
///
/// - On the left, `(Op a b)` matches an op by its declared type and names its operands from the first on. An operand in
///   parentheses is the op that defines it; `_` is any operand. `(name: Op ..)` names the op, as its declared type.
/// - `where name = value` computes attributes and sizes. `value` may end early by `?` with the reason for no match.
/// - On the right, `(Op a b ..)` builds an op by its `build` function from names; an operand in parentheses is an op that
///   is built first. A name alone is a value that exists.
///
/// The op that matched must have one result. It is replaced with the op on the right, which has the location of the op
/// that matched. Rules that do not fit are [patterns](crate::rewrite::Pattern) written out.
#[macro_export]
macro_rules! rewrites {
    ($(
        $(#[$doc:meta])+
        $name:ident = $text:literal: ($($from:tt)+) $(where $($found:pat = $value:expr),+)? => $to:tt;
    )+) => {$(
        $(#[$doc])+
        pub static $name: $crate::rewrite::Pattern = $crate::rewrite::Pattern {
            name: $text,
            benefit: 1,
            root: Some($crate::rewrites!(@root $($from)+)),
            apply: |op, rw| {
                let root = rw.op(op);
                $crate::rewrites!(@match root, ($($from)+));
                $($(
                    // A closure, so that `?` in the expression gives the reason.
                    let find = || -> ::std::result::Result<_, &'static str> { Ok($value) };
                    let $found = match find() {
                        Ok(found) => found,
                        Err(why) => return $crate::rewrite::Rewrite::NoMatch(why),
                    };
                )+)?
                let (loc, mut b) = (rw.body().loc(op), rw.before(op));
                let made = $crate::rewrites!(@build b, loc, $to);
                rw.replace_op(op, &[made]);
                $crate::rewrite::Rewrite::Changed
            },
        };
    )+};

    (@root $name:ident: $op:ident $($rest:tt)*) => { $op::NAME };
    (@root $op:ident $($rest:tt)*) => { $op::NAME };

    (@match $view:expr, ($name:ident: $op:ident $($args:tt)*)) => {
        let Some($name) = $op::of($view) else {
            return $crate::rewrite::Rewrite::NoMatch(concat!("it is no `", stringify!($op), "`"));
        };
        $crate::rewrites!(@operands *$name, 0usize, $($args)*);
    };
    (@match $view:expr, ($op:ident $($args:tt)*)) => {
        $crate::rewrites!(@match $view, (matched: $op $($args)*));
    };

    (@operands $view:expr, $index:expr,) => {};
    (@operands $view:expr, $index:expr, _ $($rest:tt)*) => {
        $crate::rewrites!(@operands $view, $index + 1, $($rest)*);
    };
    (@operands $view:expr, $index:expr, $operand:ident $($rest:tt)*) => {
        let $operand = $view.operand($index);
        $crate::rewrites!(@operands $view, $index + 1, $($rest)*);
    };
    (@operands $view:expr, $index:expr, ($($from:tt)+) $($rest:tt)*) => {
        let Some(defining) = $view.defining($index) else {
            return $crate::rewrite::Rewrite::NoMatch("no op defines its operand");
        };
        $crate::rewrites!(@match defining, ($($from)+));
        $crate::rewrites!(@operands $view, $index + 1, $($rest)*);
    };

    (@build $b:ident, $loc:ident, ($op:ident $($args:tt)*)) => {
        $crate::rewrites!(@args $b, $loc, $op, [], $($args)*)
    };
    (@build $b:ident, $loc:ident, $value:expr) => { $value };
    (@args $b:ident, $loc:ident, $op:ident, [$($done:ident)*],) => {{
        let made = $op::build(&mut $b, $loc, $($done),*);
        $b.result(made)
    }};
    (@args $b:ident, $loc:ident, $op:ident, [$($done:ident)*], $next:tt $($rest:tt)*) => {{
        let next = $crate::rewrites!(@build $b, $loc, $next);
        $crate::rewrites!(@args $b, $loc, $op, [$($done)* next], $($rest)*)
    }};
}
