//! The expansion of `#[op]`: the declaration as data, the typed view, the constructor.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Field, Fields, GenericArgument, ItemStruct, PathArguments, Type};

use crate::args::{Args, documentation, kept_attrs, literal, option, require_documentation};
use crate::format::{self, Role};

/// What a field of the struct declares.
enum Part {
    Operand { arity: Arity, constraint: Type, passes_to: Option<Ident> },
    Result { arity: Arity, constraint: Type },
    Attr { optional: bool, kind: Type },
    Region { arity: Arity },
    Successor,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Arity {
    One,
    Optional,
    Variadic,
}

impl Arity {
    fn tokens(self) -> TokenStream {
        match self {
            Arity::One => quote!(::dlc_ir::op::Arity::One),
            Arity::Optional => quote!(::dlc_ir::op::Arity::Optional),
            Arity::Variadic => quote!(::dlc_ir::op::Arity::Variadic),
        }
    }
}

/// A field, read.
struct Member {
    name: Ident,
    /// The name without `r#`.
    text: String,
    doc: String,
    part: Part,
    /// Its place among the fields of the same kind.
    index: u8,
}

const ARGUMENTS: &[&str] = &[
    "traits",
    "effects",
    "format",
    "parse",
    "print",
    "infer",
    "verify",
    "fold",
    "eval",
    "canonicalize",
    "interfaces",
    "example",
];

pub fn expand(mut args: Args, item: ItemStruct) -> syn::Result<TokenStream> {
    let doc = documentation(&item.attrs);
    require_documentation(&doc, &item.ident)?;
    let members = members(&item)?;
    let traits = args.constants("traits")?.unwrap_or_default();
    let effects = args.constants("effects")?;
    let format_text = args.text("format")?;
    let example = args.text("example")?;
    let infer = args.path("infer")?;
    let (parse, print) = (args.path("parse")?, args.path("print")?);
    let (verify, fold, eval) = (args.path("verify")?, args.path("fold")?, args.path("eval")?);
    let (canonicalize, interfaces) = (args.paths("canonicalize")?, args.paths("interfaces")?);
    let name = args.name.clone();
    args.finish(ARGUMENTS)?;

    if parse.is_some() != print.is_some() || (parse.is_some() && format_text.is_some()) {
        return Err(syn::Error::new(name.span(), "an op has either a `format`, or both `parse` and `print`"));
    }
    let has = |wanted: &str| traits.iter().any(|name| name == wanted);
    let infer = match infer {
        Some(path) => Some(quote!(#path)),
        None if infers_same_type(&members, has("SAME_TYPE")) => Some(quote!(::dlc_ir::text::format::infer_same_type)),
        None if has("CONSTANT_LIKE") && parse.is_none() => Some(quote!(::dlc_ir::text::format::infer_from_value)),
        None => None,
    };
    let pieces = format_pieces(&members, &item, format_text.as_ref(), infer.is_some())?;

    let ident = &item.ident;
    let vis = &item.vis;
    let kept = kept_attrs(&item.attrs, example.as_ref());
    let text_or_empty = |text: Option<syn::LitStr>| text.unwrap_or_else(|| literal(""));
    let (example, format_text) = (text_or_empty(example), text_or_empty(format_text));
    let effects = match effects {
        None => quote!(::core::option::Option::None),
        Some(effects) => quote!(::core::option::Option::Some(
            ::dlc_ir::op::Effects::NONE #(.with(::dlc_ir::op::Effects::#effects))*
        )),
    };
    let definitions = definitions(&members)?;
    let accessors = members.iter().map(|member| accessor(member, ident)).collect::<syn::Result<Vec<_>>>()?;
    let (build, parts) = build(&members, ident, vis, infer.is_some());
    let conversions = conversions(ident, &name);
    let (parse, print, eval) = (option(parse), option(print), option(eval));
    let infer = option_tokens(infer);
    // The conversion lets the function take the view of the op as well as an `OpRef`.
    let verify = option_tokens(verify.map(|path| quote!(|op, diags| #path(op.into(), diags))));
    let fold = option_tokens(fold.map(|path| quote!(|op, constants| #path(op.into(), constants))));

    Ok(quote! {
        #kept
        #[derive(Clone, Copy, Debug)]
        #vis struct #ident<'a>(pub ::dlc_ir::OpRef<'a>);

        #[automatically_derived]
        #[allow(elided_lifetimes_in_paths)]
        impl<'a> #ident<'a> {
            /// The full name of the op.
            pub const NAME: &'static str = #name;

            /// The declaration of the op.
            pub const DEF: &'static ::dlc_ir::op::OpDef = {
                static DEF: ::dlc_ir::op::OpDef = ::dlc_ir::op::OpDef {
                    name: #name,
                    doc: #doc,
                    example: #example,
                    traits: ::dlc_ir::op::Traits::NONE #(.with(::dlc_ir::op::Traits::#traits))*,
                    effects: #effects,
                    #definitions
                    format_text: #format_text,
                    format: #pieces,
                    parse: #parse,
                    print: #print,
                    infer: #infer,
                    verify: #verify,
                    fold: #fold,
                    canonicalize: &[#(&#canonicalize),*],
                    eval: #eval,
                    interfaces: &[#(::dlc_ir::op::Interface::of(&#interfaces)),*],
                };
                &DEF
            };

            /// The view of an op, if it is this one.
            pub fn of(op: ::dlc_ir::OpRef<'a>) -> ::core::option::Option<Self> {
                if op.is(Self::DEF) { ::core::option::Option::Some(#ident(op)) } else { ::core::option::Option::None }
            }

            #(#accessors)*
            #build
        }

        #parts

        #conversions
    })
}

/// The directives of the format of an op.
fn format_pieces(
    members: &[Member],
    item: &ItemStruct,
    format_text: Option<&syn::LitStr>,
    infers: bool,
) -> syn::Result<TokenStream> {
    match format_text {
        None => Ok(quote!(&[])),
        Some(text) => {
            let fields = format_fields(members, item)?;
            let pieces = format::parse(&text.value(), &fields, infers).map_err(|error| {
                let (before, after) = (&text.value()[..error.at], &text.value()[error.at..]);
                syn::Error::new(text.span(), format!("{}\n  here: {before}>>>{after}", error.message))
            })?;
            Ok(format::directives(&pieces))
        }
    }
}

/// The conversions between an op and its view.
fn conversions(ident: &Ident, name: &syn::LitStr) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl<'a> ::core::ops::Deref for #ident<'a> {
            type Target = ::dlc_ir::OpRef<'a>;
            fn deref(&self) -> &::dlc_ir::OpRef<'a> {
                &self.0
            }
        }

        #[automatically_derived]
        impl<'a> ::core::convert::From<::dlc_ir::OpRef<'a>> for #ident<'a> {
            /// The view of an op that must be this one.
            fn from(op: ::dlc_ir::OpRef<'a>) -> Self {
                debug_assert!(op.is(#ident::DEF), "'{}' is not '{}'", op.name(), #name);
                #ident(op)
            }
        }
    }
}

fn option_tokens(tokens: Option<TokenStream>) -> TokenStream {
    match tokens {
        Some(tokens) => quote!(::core::option::Option::Some(#tokens)),
        None => quote!(::core::option::Option::None),
    }
}

/// `SameType` gives the type of a single result when there are operands.
fn infers_same_type(members: &[Member], same_type: bool) -> bool {
    let results: Vec<&Part> =
        members.iter().map(|m| &m.part).filter(|part| matches!(part, Part::Result { .. })).collect();
    let operand = members.iter().any(|m| matches!(m.part, Part::Operand { .. }));
    same_type && operand && matches!(results[..], [Part::Result { arity: Arity::One, .. }])
}

fn members(item: &ItemStruct) -> syn::Result<Vec<Member>> {
    if !item.generics.params.is_empty() {
        return Err(syn::Error::new_spanned(&item.generics, "the struct of an op has no parameters"));
    }
    let fields = match &item.fields {
        Fields::Named(fields) => fields.named.iter().collect(),
        Fields::Unit => Vec::new(),
        Fields::Unnamed(fields) => return Err(syn::Error::new_spanned(fields, "the fields of an op have names")),
    };
    let mut members: Vec<Member> = Vec::new();
    for field in fields {
        let name = field.ident.clone().expect("the fields are named");
        let text = name.to_string().trim_start_matches("r#").to_string();
        if matches!(text.as_str(), "of" | "build" | "builder" | "loc") {
            return Err(syn::Error::new(name.span(), format!("`{text}` is taken by what every op has")));
        }
        let part = part(field)?;
        let same = |m: &&Member| std::mem::discriminant(&m.part) == std::mem::discriminant(&part);
        let index = members.iter().filter(same).count() as u8;
        members.push(Member { name, text, doc: documentation(&field.attrs), part, index });
    }
    Ok(members)
}

fn part(field: &Field) -> syn::Result<Part> {
    let wrong = |message: &str| Err(syn::Error::new_spanned(&field.ty, message));
    let Type::Path(path) = &field.ty else { return wrong("expected a field kind, such as `Operand<AnyInteger>`") };
    let Some(segment) = path.path.segments.last() else { return wrong("expected a field kind") };
    let argument = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(ty)) if arguments.args.len() == 1 => Some(ty.clone()),
            _ => return wrong("expected one type, such as `Operand<AnyInteger>`"),
        },
        _ => None,
    };
    let passes_to = passes_to(&field.attrs)?;
    let kind = segment.ident.to_string();
    if passes_to.is_some() && kind != "Variadic" {
        return wrong("`#[passes_to(..)]` stands on a `Variadic`");
    }
    let operand = |arity, constraint| Part::Operand { arity, constraint, passes_to };
    Ok(match (kind.as_str(), argument) {
        ("Operand", Some(constraint)) => operand(Arity::One, constraint),
        ("OptionalOperand", Some(constraint)) => operand(Arity::Optional, constraint),
        ("Variadic", Some(constraint)) => operand(Arity::Variadic, constraint),
        ("Result", Some(constraint)) => Part::Result { arity: Arity::One, constraint },
        ("VariadicResult", Some(constraint)) => Part::Result { arity: Arity::Variadic, constraint },
        ("Attr", Some(kind)) => Part::Attr { optional: false, kind },
        ("OptionalAttr", Some(kind)) => Part::Attr { optional: true, kind },
        ("Region", None) => Part::Region { arity: Arity::One },
        ("VariadicRegion", None) => Part::Region { arity: Arity::Variadic },
        ("Successor", None) => Part::Successor,
        ("Operand" | "OptionalOperand" | "Variadic" | "Result" | "VariadicResult", None) => {
            return wrong("expected a constraint on its type: `Operand<AnyType>`");
        }
        ("Attr" | "OptionalAttr", None) => return wrong("expected the kind of the attribute: `Attr<Int>`"),
        _ => {
            return wrong(
                "a field is one of Operand, OptionalOperand, Variadic, Result, VariadicResult, Attr, OptionalAttr, \
                 Region, VariadicRegion, Successor",
            );
        }
    })
}

fn passes_to(attrs: &[Attribute]) -> syn::Result<Option<Ident>> {
    let mut found = None;
    for attr in attrs {
        if attr.path().is_ident("passes_to") {
            found = Some(attr.parse_args::<Ident>()?);
        } else if !attr.path().is_ident("doc") {
            return Err(syn::Error::new_spanned(attr, "a field has documentation and `#[passes_to(..)]` only"));
        }
    }
    Ok(found)
}

/// The index of the successor that operands are passed to.
fn successor_index(members: &[Member], passes_to: &Ident) -> syn::Result<u8> {
    let found = members.iter().find(|m| m.name == *passes_to && matches!(m.part, Part::Successor));
    found
        .map(|m| m.index)
        .ok_or_else(|| syn::Error::new(passes_to.span(), format!("`{passes_to}` is no field of the kind `Successor`")))
}

fn format_fields(members: &[Member], item: &ItemStruct) -> syn::Result<Vec<format::Field>> {
    let grouped = members.iter().filter(|m| matches!(m.part, Part::Result { arity, .. } if arity != Arity::One));
    if grouped.count() > 1 {
        let message = "with several groups of results an op has no format: give it `parse` and `print`, or none";
        return Err(syn::Error::new(item.ident.span(), message));
    }
    let mut fields = Vec::new();
    for member in members {
        let index = member.index;
        let role = match &member.part {
            Part::Operand { arity, passes_to, .. } => Role::Operand {
                index,
                may_be_absent: *arity != Arity::One,
                passed: passes_to.as_ref().map(|name| successor_index(members, name)).transpose()?,
            },
            Part::Result { .. } => Role::Result,
            Part::Attr { optional, .. } => Role::Attr { index, optional: *optional },
            Part::Region { arity } => Role::Region { index, variadic: *arity != Arity::One },
            Part::Successor => Role::Successor { index },
        };
        fields.push(format::Field { name: member.text.clone(), role });
    }
    Ok(fields)
}

/// The lists of the `OpDef`.
fn definitions(members: &[Member]) -> syn::Result<TokenStream> {
    let (mut operands, mut results, mut attrs, mut regions, mut successors) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for member in members {
        let name = &member.text;
        match &member.part {
            Part::Operand { arity, constraint, passes_to } => {
                let arity = arity.tokens();
                let successor = match passes_to {
                    Some(name) => {
                        let index = successor_index(members, name)?;
                        quote!(::core::option::Option::Some(#index))
                    }
                    None => quote!(::core::option::Option::None),
                };
                operands.push(quote!(::dlc_ir::op::OperandDef {
                    name: #name,
                    ty: <#constraint as ::dlc_ir::define::Constraint>::CONSTRAINT,
                    arity: #arity,
                    successor: #successor,
                }));
            }
            Part::Result { arity, constraint } => {
                let arity = arity.tokens();
                results.push(quote!(::dlc_ir::op::ResultDef {
                    name: #name,
                    ty: <#constraint as ::dlc_ir::define::Constraint>::CONSTRAINT,
                    arity: #arity,
                }));
            }
            Part::Attr { optional, kind } => attrs.push(quote!(::dlc_ir::op::AttrSpec {
                name: #name,
                kind: <#kind as ::dlc_ir::define::Kind>::KIND,
                optional: #optional,
            })),
            Part::Region { arity } => {
                let arity = arity.tokens();
                regions.push(quote!(::dlc_ir::op::RegionDef { name: #name, arity: #arity }));
            }
            Part::Successor => successors.push(quote!(::dlc_ir::op::SuccessorDef {
                name: #name,
                arity: ::dlc_ir::op::Arity::One,
            })),
        }
    }
    Ok(quote! {
        operands: &[#(#operands),*],
        results: &[#(#results),*],
        attrs: &[#(#attrs),*],
        regions: &[#(#regions),*],
        successors: &[#(#successors),*],
    })
}

fn accessor(member: &Member, op: &Ident) -> syn::Result<TokenStream> {
    let Member { name, text, index, .. } = member;
    let index = *index as usize;
    let doc = |what: &str| match member.doc.is_empty() {
        true => format!("The {what} `{text}`."),
        false => member.doc.clone(),
    };
    let some = quote!(::core::option::Option);
    Ok(match &member.part {
        Part::Operand { arity, .. } => {
            operand_accessor(member, *arity, &doc(if *arity == Arity::Variadic { "operands" } else { "operand" }))
        }
        Part::Result { arity: Arity::One, .. } => {
            let doc = doc("result");
            quote! {
                #[doc = #doc]
                pub fn #name(self) -> ::dlc_ir::ValueId {
                    self.0.result(self.0.result_group(#index).start)
                }
            }
        }
        Part::Result { .. } => {
            let doc = doc("results");
            quote! {
                #[doc = #doc]
                pub fn #name(self) -> ::dlc_ir::body::Values<'a> {
                    self.0.results_of_group(#index)
                }
            }
        }
        Part::Attr { optional, kind } => {
            let doc = doc("attribute");
            let get = quote! {
                self.0.prop_named(#text).and_then(|attr| <#kind as ::dlc_ir::define::Kind>::get(self.0.ctx, attr))
            };
            let value = quote!(<#kind as ::dlc_ir::define::Kind>::Value<'a>);
            let missing = format!("'{op}' was verified, so it has '{text}'");
            match optional {
                true => quote! {
                    #[doc = #doc]
                    pub fn #name(self) -> #some<#value> {
                        #get
                    }
                },
                false => quote! {
                    #[doc = #doc]
                    pub fn #name(self) -> #value {
                        #get.expect(#missing)
                    }
                },
            }
        }
        Part::Region { arity: Arity::One } => {
            let doc = doc("region");
            quote! {
                #[doc = #doc]
                pub fn #name(self) -> ::dlc_ir::RegionId {
                    self.0.resolve().regions()[#index]
                }
            }
        }
        Part::Region { .. } => {
            let doc = doc("regions");
            quote! {
                #[doc = #doc]
                pub fn #name(self) -> &'a [::dlc_ir::RegionId] {
                    self.0.resolve().regions().get(#index..).unwrap_or(&[])
                }
            }
        }
        Part::Successor => {
            let doc = doc("successor");
            quote! {
                #[doc = #doc]
                pub fn #name(self) -> ::dlc_ir::BlockId {
                    self.0.successors()[#index]
                }
            }
        }
    })
}

/// The accessor of an operand, or of a group of them.
fn operand_accessor(member: &Member, arity: Arity, doc: &str) -> TokenStream {
    let (name, index) = (&member.name, member.index as usize);
    match arity {
        Arity::One => quote! {
            #[doc = #doc]
            pub fn #name(self) -> ::dlc_ir::ValueId {
                self.0.operand(self.0.operand_group(#index).start)
            }
        },
        Arity::Optional => quote! {
            #[doc = #doc]
            pub fn #name(self) -> ::core::option::Option<::dlc_ir::ValueId> {
                self.0.operands_of_group(#index).next()
            }
        },
        Arity::Variadic => quote! {
            #[doc = #doc]
            pub fn #name(self) -> ::dlc_ir::body::Operands<'a> {
                self.0.operands_of_group(#index)
            }
        },
    }
}

/// More arguments than these have names where an op is made.
const MOST_PLACES: usize = 4;

/// What an op consists of, in one field or argument.
struct Param {
    name: Ident,
    doc: String,
    ty: TokenStream,
    /// Whether the type borrows for `'a`.
    borrows: bool,
}

/// The constructor `build(builder, loc, operands.., attributes.., result types.., regions.., successors..)`; where these are
/// too many to tell by their places, a struct next to the op instead, `NewLoad { source, .. }.build(builder, loc)`.
fn build(members: &[Member], ident: &Ident, vis: &syn::Visibility, infers: bool) -> (TokenStream, TokenStream) {
    let (mut params, mut steps) = (Vec::new(), Vec::new());
    let mut parts: Vec<&Member> = members.iter().collect();
    parts.sort_by_key(|member| match member.part {
        Part::Operand { .. } => 0,
        Part::Attr { .. } => 1,
        Part::Result { .. } => 2,
        Part::Region { .. } => 3,
        Part::Successor => 4,
    });
    for member in parts {
        let (param, step) = made_of(member, infers);
        params.extend(param);
        steps.extend(step);
    }
    let inferred = if infers { quote!(op.infer_results(builder);) } else { quote!() };
    let doc = match infers {
        true => {
            "Makes the op at the place of the builder; its regions are empty.\n\n# Panics\nIf the types of the \
                 results cannot be inferred from what is given."
        }
        false => "Makes the op at the place of the builder; its regions are empty.",
    };
    let names: Vec<&Ident> = params.iter().map(|param| &param.name).collect();
    let types: Vec<&TokenStream> = params.iter().map(|param| &param.ty).collect();
    let constructor = |arguments: TokenStream, taken: TokenStream| {
        quote! {
            #[doc = #doc]
            pub fn build(
                #arguments
            ) -> ::dlc_ir::OpId {
                #taken
                let mut op = ::dlc_ir::builder::NewOp::new(#ident::DEF, loc);
                #(#steps)*
                #inferred
                op.build(builder)
            }
        }
    };
    let place = quote!(builder: &mut ::dlc_ir::Builder<'_>, loc: ::dlc_ir::Loc);
    if params.len() <= MOST_PLACES {
        return (constructor(quote!(#place, #(#names: #types),*), quote!()), quote!());
    }
    let new = format_ident!("New{ident}");
    let about = format!("What a new [`{ident}`] consists of.");
    let docs = params.iter().map(|param| &param.doc);
    let lifetime = params.iter().any(|param| param.borrows).then(|| quote!(<'a>));
    let constructor = constructor(quote!(self, #place), quote!(let #new { #(#names),* } = self;));
    let declared = quote! {
        #[doc = #about]
        #vis struct #new #lifetime {
            #(#[doc = #docs] pub #names: #types,)*
        }

        #[automatically_derived]
        impl #lifetime #new #lifetime {
            #constructor
        }
    };
    (quote!(), declared)
}

/// What an op takes for one of its fields, and what is done with it.
fn made_of(member: &Member, infers: bool) -> (Option<Param>, Option<TokenStream>) {
    let Member { name, text, doc, part, .. } = member;
    let option = quote!(::core::option::Option);
    let param = |name: &Ident, what: &str, ty: TokenStream, borrows: bool| {
        let doc = if doc.is_empty() { format!("{what} `{text}`.") } else { doc.clone() };
        Some(Param { name: name.clone(), doc, ty, borrows })
    };
    match part {
        Part::Operand { arity, .. } => {
            let (ty, step) = match arity {
                Arity::One => (quote!(::dlc_ir::ValueId), quote!(operands(&[#name]))),
                Arity::Optional => (quote!(#option<::dlc_ir::ValueId>), quote!(operands(#name.as_slice()))),
                Arity::Variadic => (quote!(&'a [::dlc_ir::ValueId]), quote!(operands(#name))),
            };
            (param(name, "The operand", ty, *arity == Arity::Variadic), Some(quote!(op.#step;)))
        }
        Part::Attr { optional, kind } => {
            let value = quote!(<#kind as ::dlc_ir::define::Kind>::Value<'a>);
            let make = |value: TokenStream| quote!(<#kind as ::dlc_ir::define::Kind>::make(builder.ctx, #value));
            if *optional {
                let make = make(quote!(value));
                let step = quote!(if let #option::Some(value) = #name {
                    let attr = #make;
                    op.attr(builder, #text, attr);
                });
                (param(name, "The attribute", quote!(#option<#value>), true), Some(step))
            } else {
                let make = make(quote!(#name));
                let step = quote!(let attr = #make; op.attr(builder, #text, attr););
                (param(name, "The attribute", value, true), Some(step))
            }
        }
        Part::Result { .. } if infers => (None, None),
        Part::Result { arity, .. } => {
            let name = format_ident!("{}_type", text);
            let (ty, step) = match arity {
                Arity::Variadic => (quote!(&'a [::dlc_ir::Type]), quote!(op.results(#name);)),
                _ => (quote!(::dlc_ir::Type), quote!(op.results(&[#name]);)),
            };
            (param(&name, "The type of", ty, *arity == Arity::Variadic), Some(step))
        }
        Part::Region { arity: Arity::One } => (None, Some(quote!(op.regions(1);))),
        Part::Region { .. } => {
            (param(name, "The number of regions", quote!(usize), false), Some(quote!(op.regions(#name);)))
        }
        Part::Successor => {
            (param(name, "The successor", quote!(::dlc_ir::BlockId), false), Some(quote!(op.successor(#name);)))
        }
    }
}
