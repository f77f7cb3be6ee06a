//! The declaration macros of `dlc-ir`: [`macro@op`], [`macro@ty`] and [`macro@attr`], each on a struct whose fields
//! are the parts and whose documentation is the documentation.
//!
//! They are used through `dlc_ir::define`, where the field kinds, constraints and attribute kinds live too. What a
//! declaration expands to is plain data (an `OpDef`, a `TypeDef`) and a typed view with accessors and a constructor.

mod args;
mod format;
mod op;
mod params;
mod stamp;

use proc_macro::TokenStream;

/// Declares an op.
///
/// ```text
/// /// The sum of two integers, modulo two to the power of the width.
/// ///
/// /// `out = lhs + rhs`
/// #[op("sample.addi", traits(Pure, Commutative, SameType), format = "$lhs `,` $rhs attr-dict `:` type($out)",
///      fold = fold::addi, eval = interp::addi, example = "%s = addi %a, %b : i64")]
/// pub struct Addi {
///     lhs: Operand<AnyInteger>,
///     rhs: Operand<AnyInteger>,
///     out: Result<AnyInteger>,
/// }
/// ```
///
/// Field kinds: `Operand<C>`, `OptionalOperand<C>`, `Variadic<C>` (with `#[passes_to(dest)]` where it becomes the
/// arguments of a successor), `Result<C>`, `VariadicResult<C>`, `Attr<K>`, `OptionalAttr<K>`, `Region`,
/// `VariadicRegion`, `Successor`. `C` is a `Constraint`, `K` a `Kind`.
///
/// Arguments after the name: `traits(..)`, `effects(..)`, `format = ".."` or `parse = path, print = path`,
/// `infer = path`, `verify = path`, `fold = path`, `eval = path`, `canonicalize = [path, ..]`,
/// `interfaces = [path, ..]`, `example = ".."`. The functions for `verify` and `fold` take the op as an `OpRef` or as
/// its typed view.
///
/// What makes the op is `build(builder, loc, ..)`, which takes operands, attributes and result types that are not
/// inferred, in this order. More than four have names: `NewLoad { source, .. }.build(builder, loc)`.
///
/// In a format, `` `word` `` and `` `,` `` stand for themselves, `$field` for a field, `attr-dict` for the attributes
/// that nothing else names, `` `:` type($out) `` for the types of all results (`type(results)` when there are
/// several), and ``(`with` $field^)?`` for a group that may be absent. Operands, regions and successors stand in the
/// order of their declaration.
#[proc_macro_attribute]
pub fn op(args: TokenStream, item: TokenStream) -> TokenStream {
    expand(op::expand, args, item)
}

/// Declares a type: a struct whose fields are its parameters, each of a `Kind`.
///
/// ```text
/// /// A box with a value in it.
/// #[ty("sample.box", example = "!sample.box<i64>")]
/// pub struct BoxType {
///     content: TypeAttr,
/// }
/// ```
///
/// Arguments after the name: `short = "word"`, `what = "a box"`, `parse = path`, `print = path`, `verify = path`,
/// `example = ".."`. The view has `get(ctx, ..) -> Type`, `of(ctx, Type) -> Option<Self>` and an accessor per
/// parameter, and is a `Constraint`.
#[proc_macro_attribute]
pub fn ty(args: TokenStream, item: TokenStream) -> TokenStream {
    expand(|args, item| params::expand(args, item, params::Holder::Type), args, item)
}

/// Declares an attribute, in the same way as [`macro@ty`] declares a type. The view is a `Kind`.
#[proc_macro_attribute]
pub fn attr(args: TokenStream, item: TokenStream) -> TokenStream {
    expand(|args, item| params::expand(args, item, params::Holder::Attr), args, item)
}

/// The version line of the compiler, as a literal.
#[proc_macro]
pub fn compiler_version(_: TokenStream) -> TokenStream {
    let version = stamp::compiler();
    quote::quote!(#version).into()
}

/// A hash of the sources of the crate, as a literal.
#[proc_macro]
pub fn source_hash(_: TokenStream) -> TokenStream {
    match stamp::sources() {
        Ok(hash) => quote::quote!(#hash).into(),
        Err(message) => quote::quote!(compile_error!(#message)).into(),
    }
}

/// The options of the compiler that come from the profile, as a literal.
#[proc_macro]
pub fn profile_options(_: TokenStream) -> TokenStream {
    let options = stamp::profile();
    quote::quote!(#options).into()
}

/// The packages that the crate is built from, with their versions, as a literal: `bumpalo 3.20.3;hashbrown 0.17.1;`.
#[proc_macro]
pub fn dependency_versions(_: TokenStream) -> TokenStream {
    let versions = stamp::dependencies();
    quote::quote!(#versions).into()
}

fn expand(
    expand: impl FnOnce(args::Args, syn::ItemStruct) -> syn::Result<proc_macro2::TokenStream>,
    args: TokenStream,
    item: TokenStream,
) -> TokenStream {
    let parsed = syn::parse::<args::Args>(args).and_then(|args| Ok((args, syn::parse::<syn::ItemStruct>(item)?)));
    let expanded = parsed.and_then(|(args, item)| expand(args, item));
    expanded.unwrap_or_else(|error| error.to_compile_error()).into()
}
