//! Reading locations.

use super::*;
use crate::attrs::AttrData;
use crate::location::LocData;

impl<'s> Parser<'s> {
    /// `loc(..)` if it stands here, otherwise `default`.
    #[inline]
    pub fn trailing_loc(&mut self, default: Loc) -> ParseResult<Loc> {
        if self.token == Token::Word && self.text() == "loc" {
            return self.parse_loc();
        }
        Ok(default)
    }

    /// `loc(..)`
    pub(super) fn parse_loc(&mut self) -> ParseResult<Loc> {
        self.expect_word("loc")?;
        self.expect(Token::LParen)?;
        let loc = self.nested(Self::parse_loc_inner)?;
        self.expect(Token::RParen)?;
        Ok(loc)
    }

    fn parse_loc_inner(&mut self) -> ParseResult<Loc> {
        match self.token {
            Token::String => self.parse_file_or_name(),
            Token::AttrName => {
                let name = self.text();
                let found = match self.alias(name)? {
                    Some(Alias::Loc(loc)) => Some(Ok(loc)),
                    Some(Alias::Attr(attr)) => Some(Err(attr)),
                    _ => None,
                };
                let loc = match found {
                    Some(Ok(loc)) => loc,
                    Some(Err(attr)) => match self.ctx.attr_data(attr) {
                        AttrData::Loc(loc) => *loc,
                        _ => {
                            let message = format!("the alias '{name}' is no location");
                            return Err(self.fail(self.error(&BAD_ALIAS, message)));
                        }
                    },
                    None => return Err(self.no_such_alias(name)),
                };
                self.advance();
                Ok(loc)
            }
            Token::Word => match self.text() {
                "unknown" => {
                    self.advance();
                    Ok(Loc::UNKNOWN)
                }
                "callsite" => {
                    self.advance();
                    self.expect(Token::LParen)?;
                    let callee = self.nested(Self::parse_loc_inner)?;
                    self.expect_word("at")?;
                    let caller = self.nested(Self::parse_loc_inner)?;
                    self.expect(Token::RParen)?;
                    Ok(self.ctx.loc(LocData::CallSite { callee, caller }))
                }
                "fused" => {
                    self.advance();
                    let mut meta = None;
                    if self.eat(Token::Less) {
                        meta = Some(self.parse_attr()?);
                        self.expect(Token::Greater)?;
                    }
                    let locs = self.list(Token::LBracket, Token::RBracket, |p| p.nested(Self::parse_loc_inner))?;
                    Ok(self.ctx.loc(LocData::Fused { locs: &locs, meta }))
                }
                _ => self.expected("a location: a string, 'unknown', 'fused', 'callsite' or an alias"),
            },
            _ => self.expected("a location: a string, 'unknown', 'fused', 'callsite' or an alias"),
        }
    }

    /// `"f.mlir":1:2`, `"f.mlir":1:2 to 3:4`, `"f.mlir":1:2 to :4`, `"name"` or `"name"(child)`
    fn parse_file_or_name(&mut self) -> ParseResult<Loc> {
        let text = self.string()?;
        let name = self.ctx.intern_str(&text);
        if !self.eat(Token::Colon) {
            let mut child = Loc::UNKNOWN;
            if self.eat(Token::LParen) {
                child = self.nested(Self::parse_loc_inner)?;
                self.expect(Token::RParen)?;
            }
            return Ok(self.ctx.loc(LocData::Name { name, child }));
        }
        let line = self.coordinate()?;
        self.expect(Token::Colon)?;
        let start = (line, self.coordinate()?);
        let mut end = start;
        if self.eat_word("to") {
            if self.token != Token::Colon {
                end.0 = self.coordinate()?;
            }
            self.expect(Token::Colon)?;
            end.1 = self.coordinate()?;
        }
        Ok(self.ctx.loc(LocData::File { file: name, start, end }))
    }

    fn coordinate(&mut self) -> ParseResult<u32> {
        let number = if self.token == Token::Integer { self.text().parse().ok() } else { None };
        let Some(number) = number else { return self.expected("a line or column below 2^32") };
        self.advance();
        Ok(number)
    }
}
