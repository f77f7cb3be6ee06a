//! The instruction of a plan against the factors of the region's product.

use dlc_core::precision::Precision;
use dlc_ir::Type;
use dlc_plan::Schedule;
use dlc_plan::check::BAD_INSTRUCTION;
use dlc_plan::clause::Kind;

use super::resolved::{Refused, Resolver};
use super::shape::Groups;
use super::tiling::Tiling;

impl Resolver<'_> {
    /// Tensor cores multiply 16-bit floats, where there is a product.
    pub(super) fn instruction(&self, groups: Option<&Groups>) -> Result<(), Refused> {
        let kind = self.plan.and_then(|plan| plan.instruction.as_ref()).map(|of| of.kind);
        let Some(kind) = kind.filter(|kind| *kind != Kind::Fma) else { return Ok(()) };
        let without = |plan: &mut Schedule| {
            plan.instruction = None;
            plan.in_flight = None;
        };
        let word = kind.word();
        match groups {
            None => {
                let message = format!(
                    "'instruction {word}' is for a sum of products of two tensors, and the kernel has none that it can compute"
                );
                self.refuse_with(&["instruction"], &BAD_INSTRUCTION, message, without)
            }
            Some(groups) => self.factors(groups, kind, self.precision()),
        }
    }

    /// How the plan has factors of `f32` multiplied on tensor cores.
    pub(super) fn precision(&self) -> Option<Precision> {
        self.plan?.instruction.as_ref()?.precision
    }

    /// The factors are those that the instruction multiplies, as the plan says it.
    fn factors(&self, groups: &Groups, kind: Kind, precision: Option<Precision>) -> Result<(), Refused> {
        let word = kind.word();
        if let Some(precision) = precision.filter(|_| groups.elem != Type::F32) {
            let elem = groups.elem.display(self.ctx);
            let message =
                format!("'as {}' is for factors of f32, and those of the kernel are {elem}", precision.word());
            return self.refuse_with(&["instruction"], &BAD_INSTRUCTION, message, |plan: &mut Schedule| {
                plan.instruction.iter_mut().for_each(|of| of.precision = None);
            });
        }
        if groups.halves {
            return Ok(());
        }
        if kind == Kind::Wgmma && groups.elem == Type::F32 && precision == Some(Precision::Tf32) {
            return Ok(());
        }
        let fix = match kind {
            Kind::Mma => "; 'as tf32x3' multiplies those three times as tf32",
            _ => "; 'as tf32' multiplies those without their low bits",
        };
        let message =
            format!("'instruction {word}' is for factors of 8 or 16 bits, and those of the kernel are f32{fix}");
        self.refuse_with(&["instruction"], &BAD_INSTRUCTION, message, |plan: &mut Schedule| {
            plan.instruction = Some(Kind::Fma.into());
            plan.in_flight = None;
        })
    }

    /// The same, with how the plan has factors of `f32` multiplied.
    pub(super) fn with_precision(&self, mut tiling: Tiling) -> Tiling {
        let matrix = tiling.matrix.iter_mut().filter(|matrix| matrix.instruction != Kind::Fma);
        matrix.for_each(|matrix| matrix.precision = self.precision());
        tiling
    }
}
