//! Where the elements of a tensor lie in memory, as a manifest says it.

use dlc_core::layout::Layout as CoreLayout;
use dlc_ir::affine::SizeExpr;
use serde::{Deserialize, Serialize};

use super::expr::Expr;

/// A layout that is not row-major without gaps.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "RawLayout", into = "RawLayout")]
pub struct Layout(pub CoreLayout);

/// Strides and an offset, or a swizzle and its unit, or a block.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLayout {
    /// The elements from one index to the next along each axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    strides: Option<Vec<Expr>>,
    /// The number of the element at index 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<Expr>,
    /// The bytes of a row of a swizzle.
    #[serde(skip_serializing_if = "Option::is_none")]
    swizzle: Option<i64>,
    /// The bytes of a unit of a swizzle.
    #[serde(skip_serializing_if = "Option::is_none")]
    vector: Option<i64>,
    /// The elements of a block along each axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<Vec<i64>>,
}

impl Layout {
    /// What a manifest says of a layout of these sizes; nothing of the usual one.
    ///
    /// An error where strides go beyond 64 bits.
    pub fn of(layout: &CoreLayout, dims: &[SizeExpr]) -> Result<Option<Layout>, String> {
        match layout {
            CoreLayout::RowMajor => Ok(None),
            CoreLayout::ColMajor => {
                let (strides, offset) = layout.strides(dims).ok_or("the strides go beyond 64 bits")?;
                Ok(Some(Layout(CoreLayout::Strided { strides, offset })))
            }
            other => Ok(Some(Layout(other.clone()))),
        }
    }

    /// The expressions in it.
    pub fn exprs(&self) -> Vec<Expr> {
        match &self.0 {
            CoreLayout::Strided { strides, offset } => strides.iter().chain([offset]).cloned().map(Expr).collect(),
            _ => Vec::new(),
        }
    }
}

impl TryFrom<RawLayout> for Layout {
    type Error = String;
    fn try_from(raw: RawLayout) -> Result<Layout, String> {
        let layout = match raw {
            RawLayout { strides: Some(strides), offset, swizzle: None, vector: None, block: None } => {
                let offset = offset.map_or_else(|| SizeExpr::from(0), |offset| offset.0);
                CoreLayout::Strided { strides: strides.into_iter().map(|stride| stride.0).collect(), offset }
            }
            RawLayout { strides: None, offset: None, swizzle: Some(bytes), vector: Some(vector), block: None } => {
                CoreLayout::Swizzled { bytes, vector }
            }
            RawLayout { strides: None, offset: None, swizzle: None, vector: None, block: Some(block) } => {
                CoreLayout::Blocked { block }
            }
            _ => return Err("a layout has 'strides' and maybe 'offset', or 'swizzle' and 'vector', or 'block'".into()),
        };
        Ok(Layout(layout))
    }
}

impl From<Layout> for RawLayout {
    fn from(layout: Layout) -> RawLayout {
        let raw = RawLayout::default();
        match layout.0 {
            CoreLayout::Strided { strides, offset } => RawLayout {
                strides: Some(strides.into_iter().map(Expr).collect()),
                offset: Some(Expr(offset)).filter(|offset| offset.0.as_constant() != Some(0)),
                ..raw
            },
            CoreLayout::Swizzled { bytes, vector } => RawLayout { swizzle: Some(bytes), vector: Some(vector), ..raw },
            CoreLayout::Blocked { block } => RawLayout { block: Some(block), ..raw },
            CoreLayout::RowMajor | CoreLayout::ColMajor => raw,
        }
    }
}
