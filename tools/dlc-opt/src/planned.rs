//! The kernels of a program as they were when each had its plan, taken on the way to PTX.

use std::sync::{Mutex, MutexGuard, PoisonError};

use dlc_host::ops::{Func as Program, Launch};
use dlc_ir::affine::SizeExpr;
use dlc_ir::body::{Body, OpRef};
use dlc_ir::pass::instrument::{At, Instrument};
use dlc_ir::{Context, Loc, OpId};
use dlc_passes::analysis::axes::is_kernel;
use dlc_passes::region::choose_plan::cost::{Cost, estimate};
use dlc_passes::region::choose_plan::facts::Facts;
use dlc_passes::rewrites::launches::symbols;
use dlc_plan::{Schedule, Schedules, Target, TargetName};

/// What a symbol is taken to be where nobody says it, as passes do.
pub const ASSUMED: i64 = 128;

/// The pass before which kernels are whole and have their plans.
const BEFORE: &str = "tensorize";

/// The kernels of a program when they had plans and were not yet lowered to blocks.
#[derive(Default)]
pub struct Planned(Mutex<Option<Body>>);

impl Instrument for Planned {
    fn before(&self, at: &At<'_>, module: &Body) {
        if at.pass.def.name == BEFORE {
            *self.module() = Some(module.clone());
        }
    }
}

impl Planned {
    /// The module, once it was seen.
    pub fn module(&self) -> MutexGuard<'_, Option<Body>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be known of the kernel of a name; `None` where it is no longer, or not yet, a region there.
    pub fn kernel<T>(&self, ctx: &Context, name: &str, look: impl FnOnce(&Body) -> T) -> Option<T> {
        let module = self.module();
        let module = module.as_ref()?;
        let mut ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
        let kernel = ops.find(|&op| OpRef::new(ctx, module, op).symbol_name() == Some(name))?;
        module.nested(kernel).filter(|kernel| is_kernel(ctx, kernel)).map(look)
    }
}

/// What is known of a kernel that has its plan, before it is made into blocks.
pub struct PlannedKernel {
    /// Where the value is that it stores.
    pub loc: Loc,
    /// Additions and multiplications.
    pub flops: f64,
    /// Its plan, if it has one.
    pub plan: Option<Schedule>,
    /// What the plan costs by the estimate, if the module says for which machine it is.
    pub cost: Option<Cost>,
    /// Its reductions that are sums of products.
    pub products: Vec<OpId>,
}

impl PlannedKernel {
    /// That of a name in a module; `size` is what a symbol of the kernel is. `None` where there is no such kernel.
    pub fn of(ctx: &Context, module: &Body, name: &str, size: &dyn Fn(&str) -> i64) -> Option<PlannedKernel> {
        let ops: Vec<OpId> = module.entry_block().into_iter().flat_map(|block| module.ops(block)).collect();
        let is_meant = |op: &&OpId| OpRef::new(ctx, module, **op).symbol_name() == Some(name);
        let op = *ops.iter().find(is_meant)?;
        let kernel = module.nested(op).filter(|kernel| is_kernel(ctx, kernel))?;
        let facts = Facts::of(ctx, kernel, size)?;
        let plan = Schedules::of(ctx, module).plans_of(ctx, module, name).into_iter().next().map(|(_, plan)| plan);
        let machine = |plan: &Schedule| machine(ctx, module, plan);
        let cost = plan.as_ref().and_then(|plan| Some(estimate(ctx, kernel, &facts, plan, &machine(plan)?)));
        let products = facts.products.iter().map(|product| product.op).collect();
        Some(PlannedKernel { loc: module.loc(op), flops: facts.all_flops(ctx, kernel), plan, cost, products })
    }
}

/// The machine that a plan of a module is for.
pub fn machine(ctx: &Context, module: &Body, plan: &Schedule) -> Option<Target> {
    match plan.targets.first()? {
        TargetName::BuiltIn(name) => Target::built_in(name),
        TargetName::Symbol(name) => {
            let ops = module.entry_block().into_iter().flat_map(|block| module.ops(block));
            let mut declared = ops.filter_map(|op| Target::of(OpRef::new(ctx, module, op)));
            declared.find(|target| target.name == *name)
        }
    }
}

/// What a symbol of a kernel is; what nobody says is 1.
pub fn size_of(sizes: &[(String, i64)], symbol: &str) -> i64 {
    sizes.iter().find(|(own, _)| own == symbol).map_or(1, |(_, size)| *size)
}

/// A kernel that a program launches, or chooses from for a launch.
pub struct LaunchedKernel {
    /// Its name, without `@`.
    pub name: String,
    /// What its symbols are, in its order.
    pub sizes: Vec<(String, i64)>,
    /// The number of its launch; kernels that a launch chooses from have the same.
    pub launch: usize,
    /// Whether another kernel of its launch stands before it.
    pub is_alternative: bool,
}

impl LaunchedKernel {
    /// What a symbol of it is; what nobody says is 1.
    pub fn size(&self, symbol: &str) -> i64 {
        size_of(&self.sizes, symbol)
    }

    /// The kernels that a function launches, in order, of a module with plans; those of the module where it launches none.
    /// `of_program` says what a symbol of the function is.
    pub fn all(ctx: &Context, module: &Body, function: &str, of_program: &dyn Fn(&str) -> i64) -> Vec<LaunchedKernel> {
        let ops: Vec<OpId> = module.entry_block().into_iter().flat_map(|block| module.ops(block)).collect();
        let find = |name: &str| ops.iter().find(|&&op| OpRef::new(ctx, module, op).symbol_name() == Some(name));
        let own = |name: &str| Some(symbols(ctx, module.nested(*find(name)?)?));
        let program = find(function).filter(|&&op| OpRef::new(ctx, module, op).is(Program::DEF));
        let Some(body) = program.and_then(|&op| module.nested(op)) else {
            let names = ops.iter().filter_map(|&op| OpRef::new(ctx, module, op).symbol_name());
            let kernel = |(launch, name): (usize, &str)| {
                let sizes = own(name)?.into_iter().map(|symbol| (symbol.clone(), of_program(&symbol))).collect();
                Some(LaunchedKernel { name: name.to_string(), sizes, launch, is_alternative: false })
            };
            return names.enumerate().filter_map(kernel).collect();
        };
        let launches = body.entry_block().into_iter().flat_map(|block| body.ops(block));
        let launches = launches.filter_map(|op| Launch::of(OpRef::new(ctx, body, op)));
        let mut found: Vec<LaunchedKernel> = Vec::new();
        for (launch, op) in launches.enumerate() {
            for (number, choice) in op.choices().into_iter().enumerate() {
                let callee = choice.callee.as_symbol(ctx).and_then(|path| path.last());
                let Some(name) = callee.map(|&name| ctx.str(name)) else { continue };
                let Some(symbols) = own(name) else { continue };
                let value = |expr: &SizeExpr| expr.eval(&|name| Some(of_program(name))).unwrap_or(ASSUMED);
                let sizes = symbols.into_iter().zip(choice.sizes.iter().map(value)).collect();
                let is_alternative = number > 0;
                // At sizes that were named a launch has a choice of its own for a kernel that it chooses from later, too.
                let is_same = |known: &LaunchedKernel| known.launch == launch && known.name == name;
                let is_known = is_alternative && found.iter().any(is_same);
                let kernel = LaunchedKernel { name: name.to_string(), sizes, launch, is_alternative };
                found.extend(Some(kernel).filter(|_| !is_known));
            }
        }
        found
    }
}
