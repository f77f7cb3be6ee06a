//! The expansion of `#[ty]` and `#[attr]`: a declaration with parameters, and the view that reads and makes it.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Fields, ItemStruct};

use crate::args::{Args, documentation, kept_attrs, literal, option, require_documentation};

/// What is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    Type,
    Attr,
}

const ARGUMENTS: &[&str] = &["short", "infix", "what", "parse", "print", "verify", "example"];

pub fn expand(mut args: Args, item: ItemStruct, holder: Holder) -> syn::Result<TokenStream> {
    let doc = documentation(&item.attrs);
    require_documentation(&doc, &item.ident)?;
    let short = args.text("short")?.unwrap_or_else(|| literal(""));
    let infix = args.text("infix")?.unwrap_or_else(|| literal(""));
    let what = args.text("what")?;
    let example = args.text("example")?;
    let (parse, print, verify) = (args.path("parse")?, args.path("print")?, args.path("verify")?);
    let name = args.name.clone();
    args.finish(ARGUMENTS)?;
    if holder == Holder::Attr
        && (!short.value().is_empty() || !infix.value().is_empty() || parse.is_some() || print.is_some())
    {
        return Err(syn::Error::new(name.span(), "an attribute has one spelling: `#dialect.name<..>`"));
    }
    let Parameters { defs, accessors, params, makes } = parameters(&item)?;
    let (ident, vis) = (&item.ident, &item.vis);
    let kept = kept_attrs(&item.attrs, example.as_ref());
    let example = example.unwrap_or_else(|| literal(""));
    let (parse, print, verify) = (option(parse), option(print), option(verify));
    let sigil = if holder == Holder::Type { "!" } else { "#" };
    let what = what.map_or_else(|| format!("of the form {sigil}{}", name.value()), |what| what.value());
    let Held { id, data, def_of, make, field } = held(holder);
    let role = role(holder, ident, &what);

    Ok(quote! {
        #kept
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #vis struct #ident(pub #id);

        #[automatically_derived]
        impl #ident {
            /// The full name.
            pub const NAME: &'static str = #name;

            /// The declaration.
            pub const DEF: &'static ::dlc_ir::op::TypeDef = {
                static DEF: ::dlc_ir::op::TypeDef = ::dlc_ir::op::TypeDef {
                    name: #name,
                    doc: #doc,
                    example: #example,
                    params: &[#(#defs),*],
                    short: #short,
                    infix: #infix,
                    parse: #parse,
                    print: #print,
                    verify: #verify,
                };
                &DEF
            };

            /// The view of it, if this is one.
            pub fn of(ctx: &::dlc_ir::Context, id: #id) -> ::core::option::Option<Self> {
                match #def_of {
                    #data::Dialect { def, .. } if ctx.#field(*def).name == #name => {
                        ::core::option::Option::Some(#ident(id))
                    }
                    _ => ::core::option::Option::None,
                }
            }

            /// The view of it where the verifier admits nothing else.
            ///
            /// # Panics
            /// If it is another one: a mistake in dlc, not in its input. No other one is taken in its place.
            #[track_caller]
            pub fn expect(ctx: &::dlc_ir::Context, id: #id) -> Self {
                match Self::of(ctx, id) {
                    ::core::option::Option::Some(view) => view,
                    _ => panic!("'{}' stands where the verifier admits only '{}'", id.display(ctx), #name),
                }
            }

            /// The one with these parameters, which must be ones that the declaration admits.
            ///
            /// # Panics
            /// If the context does not know the dialect.
            #[allow(clippy::too_many_arguments)]
            pub fn get(ctx: &::dlc_ir::Context, #(#params),*) -> #id {
                let params: &[::dlc_ir::Attr] = &[#(#makes),*];
                debug_assert_eq!(Self::DEF.check(ctx, params), ::core::result::Result::Ok(()));
                #make.expect("the context knows the dialect")
            }

            /// The parameters.
            pub fn params(self, ctx: &::dlc_ir::Context) -> &[::dlc_ir::Attr] {
                let id = self.0;
                match #def_of {
                    #data::Dialect { params, .. } => params,
                    _ => &[],
                }
            }

            #(#accessors)*
        }

        #role
    })
}

/// The tokens of the parameters: their declarations, accessors, the arguments of `get`, and how each is made.
struct Parameters {
    defs: Vec<TokenStream>,
    accessors: Vec<TokenStream>,
    params: Vec<TokenStream>,
    makes: Vec<TokenStream>,
}

fn parameters(item: &ItemStruct) -> syn::Result<Parameters> {
    let fields = match &item.fields {
        Fields::Named(fields) => fields.named.iter().collect(),
        Fields::Unit => Vec::new(),
        Fields::Unnamed(fields) => return Err(syn::Error::new_spanned(fields, "parameters have names")),
    };
    let (mut defs, mut accessors, mut params, mut makes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (index, field) in fields.into_iter().enumerate() {
        let (field_name, kind) = (field.ident.as_ref().expect("the fields are named"), &field.ty);
        let text = field_name.to_string();
        if matches!(text.as_str(), "of" | "get" | "params") {
            return Err(syn::Error::new(field_name.span(), format!("`{text}` is taken by what every view has")));
        }
        let doc = match documentation(&field.attrs) {
            doc if doc.is_empty() => format!("The parameter `{text}`."),
            doc => doc,
        };
        let kind = quote!(<#kind as ::dlc_ir::define::Kind>);
        let missing = format!("'{text}' was checked when '{}' was made", item.ident);
        defs.push(quote!(::dlc_ir::op::ParamDef { name: #text, kind: #kind::KIND }));
        accessors.push(quote! {
            #[doc = #doc]
            pub fn #field_name(self, ctx: &::dlc_ir::Context) -> #kind::Value<'_> {
                #kind::get(ctx, self.params(ctx)[#index]).expect(#missing)
            }
        });
        params.push(quote!(#field_name: #kind::Value<'_>));
        makes.push(quote!(#kind::make(ctx, #field_name)));
    }
    Ok(Parameters { defs, accessors, params, makes })
}

/// What types and attributes have under different names.
struct Held {
    id: TokenStream,
    data: TokenStream,
    def_of: TokenStream,
    make: TokenStream,
    field: TokenStream,
}

fn held(holder: Holder) -> Held {
    match holder {
        Holder::Type => Held {
            id: quote!(::dlc_ir::Type),
            data: quote!(::dlc_ir::TypeData),
            def_of: quote!(ctx.type_data(id)),
            make: quote!(ctx.dialect_type(Self::NAME, params)),
            field: quote!(type_def),
        },
        Holder::Attr => Held {
            id: quote!(::dlc_ir::Attr),
            data: quote!(::dlc_ir::AttrData),
            def_of: quote!(ctx.attr_data(id)),
            make: quote!(ctx.dialect_attr(Self::NAME, params)),
            field: quote!(attr_def),
        },
    }
}

/// A type is a constraint of operands, an attribute a kind of attributes.
fn role(holder: Holder, ident: &syn::Ident, what: &str) -> TokenStream {
    match holder {
        Holder::Type => quote! {
            #[automatically_derived]
            impl ::dlc_ir::define::Constraint for #ident {
                const CONSTRAINT: ::dlc_ir::op::TypeConstraint = ::dlc_ir::op::TypeConstraint {
                    name: #what,
                    admits: |ctx, ty| #ident::of(ctx, ty).is_some(),
                };
            }
        },
        Holder::Attr => quote! {
            #[automatically_derived]
            impl ::dlc_ir::define::Kind for #ident {
                type Value<'a> = #ident;
                const KIND: &'static ::dlc_ir::op::AttrKind = &::dlc_ir::op::AttrKind {
                    name: #what,
                    admits: |ctx, attr| #ident::of(ctx, attr).is_some(),
                    parse: ::core::option::Option::None,
                    print: ::core::option::Option::None,
                };
                fn get(ctx: &::dlc_ir::Context, attr: ::dlc_ir::Attr) -> ::core::option::Option<#ident> {
                    #ident::of(ctx, attr)
                }
                fn make(_: &::dlc_ir::Context, value: #ident) -> ::dlc_ir::Attr {
                    value.0
                }
            }
        },
    }
}
