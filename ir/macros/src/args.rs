//! The arguments of the macros, and what all of them read from a struct.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, Path, Token, bracketed, parenthesized};

/// `"dialect.name", key = value, words(A, B), ..`
pub struct Args {
    pub name: LitStr,
    entries: Vec<(Ident, Value)>,
}

enum Value {
    Text(LitStr),
    Path(Path),
    Paths(Vec<Path>),
    Words(Vec<Ident>),
}

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name: LitStr = input.parse()?;
        if !is_full_name(&name.value()) {
            return Err(syn::Error::new(name.span(), "the name is `dialect.name`, of letters, digits, `_` and `.`"));
        }
        let mut entries: Vec<(Ident, Value)> = Vec::new();
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let key: Ident = input.parse()?;
            if entries.iter().any(|(known, _)| *known == key) {
                return Err(syn::Error::new(key.span(), format!("`{key}` is given twice")));
            }
            let value = if input.peek(syn::token::Paren) {
                let words;
                parenthesized!(words in input);
                Value::Words(Punctuated::<Ident, Token![,]>::parse_terminated(&words)?.into_iter().collect())
            } else {
                input.parse::<Token![=]>()?;
                if input.peek(LitStr) {
                    Value::Text(input.parse()?)
                } else if input.peek(syn::token::Bracket) {
                    let paths;
                    bracketed!(paths in input);
                    Value::Paths(Punctuated::<Path, Token![,]>::parse_terminated(&paths)?.into_iter().collect())
                } else {
                    Value::Path(input.parse()?)
                }
            };
            entries.push((key, value));
        }
        Ok(Args { name, entries })
    }
}

fn is_full_name(name: &str) -> bool {
    let word = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    name.contains('.') && name.split('.').all(word) && !name.starts_with(|c: char| c.is_ascii_digit())
}

impl Args {
    fn take(&mut self, key: &str) -> Option<(Ident, Value)> {
        let at = self.entries.iter().position(|(known, _)| known == key)?;
        Some(self.entries.remove(at))
    }

    /// `key = ".."`
    pub fn text(&mut self, key: &str) -> syn::Result<Option<LitStr>> {
        match self.take(key) {
            None => Ok(None),
            Some((_, Value::Text(text))) => Ok(Some(text)),
            Some((key, _)) => Err(syn::Error::new(key.span(), format!("`{key}` is a string: `{key} = \"..\"`"))),
        }
    }

    /// `key = path`
    pub fn path(&mut self, key: &str) -> syn::Result<Option<Path>> {
        match self.take(key) {
            None => Ok(None),
            Some((_, Value::Path(path))) => Ok(Some(path)),
            Some((key, _)) => Err(syn::Error::new(key.span(), format!("`{key}` is a path: `{key} = module::item`"))),
        }
    }

    /// `key = [path, path]`
    pub fn paths(&mut self, key: &str) -> syn::Result<Vec<Path>> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some((_, Value::Paths(paths))) => Ok(paths),
            Some((key, _)) => {
                Err(syn::Error::new(key.span(), format!("`{key}` is a list of paths: `{key} = [module::item]`")))
            }
        }
    }

    /// `key(Word, Word)`, each turned into the name of a constant: `SameType` into `SAME_TYPE`.
    pub fn constants(&mut self, key: &str) -> syn::Result<Option<Vec<Ident>>> {
        match self.take(key) {
            None => Ok(None),
            Some((_, Value::Words(words))) => Ok(Some(words.iter().map(constant_name).collect())),
            Some((key, _)) => Err(syn::Error::new(key.span(), format!("`{key}` is a list of words: `{key}(A, B)`"))),
        }
    }

    /// To be called last: an error for an argument that nothing has taken.
    pub fn finish(self, known: &[&str]) -> syn::Result<()> {
        match self.entries.first() {
            None => Ok(()),
            Some((key, _)) => {
                Err(syn::Error::new(key.span(), format!("`{key}` is no argument; known are {}", known.join(", "))))
            }
        }
    }
}

fn constant_name(word: &Ident) -> Ident {
    let mut name = String::new();
    for c in word.to_string().chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_uppercase());
    }
    Ident::new(&name, word.span())
}

/// The documentation comments among attributes, as one text.
pub fn documentation(attrs: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
        let Meta::NameValue(pair) = &attr.meta else { continue };
        if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value {
            let text = text.value();
            lines.push(text.strip_prefix(' ').unwrap_or(&text).to_string());
        }
    }
    lines.join("\n").trim().to_string()
}

/// The attributes of the struct for what is generated from it, with the example as the last part of the documentation.
pub fn kept_attrs(attrs: &[Attribute], example: Option<&LitStr>) -> TokenStream {
    let example = example.map(|text| format!("\n```text\n{}\n```", text.value()));
    let example = example.map(|text| quote!(#[doc = #text]));
    quote!(#(#attrs)* #example)
}

/// `Some(path)` or `None`.
pub fn option(path: Option<Path>) -> TokenStream {
    match path {
        Some(path) => quote!(::core::option::Option::Some(#path)),
        None => quote!(::core::option::Option::None),
    }
}

/// The error for a field or struct that has no documentation.
pub fn require_documentation(doc: &str, name: &Ident) -> syn::Result<()> {
    match doc.is_empty() {
        true => Err(syn::Error::new(name.span(), "a declaration needs a documentation comment: what it means")),
        false => Ok(()),
    }
}

/// A literal for generated code, without a place in the source.
pub fn literal(text: &str) -> LitStr {
    LitStr::new(text, Span::call_site())
}
