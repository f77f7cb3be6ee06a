//! Random programs, run before and after the pass. What comes out must be equal bit by bit.

use std::fmt::Write;
use std::sync::LazyLock;

use dlc_core::tensor::TensorValue;
use dlc_ir::diag::Diagnostics;
use dlc_ir::interp::{Datum, Interpreter};
use dlc_ir::pass::{DebugCounters, PassCx, PassDef};
use dlc_ir::random::Random;
use dlc_ir::text::{ParseOptions, PrintOptions, parse_module, print_body};
use dlc_ir::verify::{SymbolTable, verify};
use dlc_ir::{Body, Context, Type};

use dlc_ir::pass::registry::Registry;
use dlc_passes::tiny::recognize_iota::{Recognized, recognize_iota};

fn context() -> Context {
    Context::new([&dlc_tiny::DIALECT, &dlc_core::DIALECT])
}

/// A module with one function, parsed and verified.
fn parse(ctx: &Context, text: &str) -> Body {
    let diags = Diagnostics::new();
    let file = ctx.sources.add("test.mlir", text.into()).expect("the text is short");
    let module = parse_module(ctx, &file, 0..text.len(), ParseOptions::default(), &diags);
    let module = module.ok().filter(|module| verify(ctx, module, &diags));
    module.unwrap_or_else(|| panic!("{text}\n{:?}", diags.take()))
}

fn recognize(ctx: &Context, module: &mut Body) -> Recognized {
    let (diags, symbols) = (Diagnostics::new(), SymbolTable::default());
    let statistics = [(); 3].map(|()| 0.into());
    let counters = DebugCounters::off();
    static DEF: LazyLock<&PassDef> =
        LazyLock::new(|| Registry::linked().pass("recognize-iota").expect("it is linked in"));
    let cx = PassCx::new(ctx, &DEF, &symbols, &diags, &statistics, &counters);
    let func = module.first_op(module.entry_block().expect("a module has a block")).expect("there is a function");
    let found = recognize_iota(module.nested_mut(func).expect("a function is isolated"), &cx);
    diags.take();
    assert!(verify(ctx, module, &diags), "{}\n{:?}", print(ctx, module), diags.take());
    found
}

fn print(ctx: &Context, module: &Body) -> String {
    let mut text = String::new();
    print_body(ctx, module, PrintOptions::default(), &mut |piece| text.push_str(piece));
    text
}

/// The sizes, types and elements of the results; of floats the bits.
fn run(ctx: &Context, module: &Body, args: &[Datum]) -> Result<Vec<(Vec<usize>, Type, Vec<i128>)>, String> {
    let results = Interpreter::new(ctx, module).call("f", args).map_err(|error| error.message.clone())?;
    let bits = |datum: &Datum| match datum {
        Datum::Float(value) => i128::from(value.to_bits()),
        other => other.as_int().expect("a number"),
    };
    let tensor = |datum: &Datum| {
        let tensor = datum.as_opaque::<TensorValue>().expect("a tensor").clone();
        (tensor.shape().to_vec(), tensor.elem(), tensor.elements().iter().map(bits).collect())
    };
    Ok(results.iter().map(tensor).collect())
}

/// Runs a program before and after the pass. What the pass did.
fn check(ctx: &Context, text: &str, args: &[Datum]) -> (Recognized, String) {
    let mut module = parse(ctx, text);
    let before = run(ctx, &module, args);
    let found = recognize(ctx, &mut module);
    let after = run(ctx, &module, args);
    let new = print(ctx, &module);
    assert_eq!(before, after, "{text}\n{new}");
    assert!(before.is_ok(), "{before:?}\n{text}");
    (found, new)
}

/// A program that grows line by line, with static sizes.
struct Program {
    text: String,
    values: usize,
    shape: Vec<i64>,
    elem: &'static str,
}

impl Program {
    fn new(elem: &'static str, shape: Vec<i64>, value: i64) -> Program {
        let mut program = Program { text: String::new(), values: 0, shape, elem };
        let number = program.number(value);
        program.line(&format!("const {number} : {}", program.ty()));
        program
    }

    fn number(&self, value: i64) -> String {
        if self.elem.starts_with('f') || self.elem.starts_with('b') { format!("{value}.0") } else { value.to_string() }
    }

    fn ty(&self) -> String {
        format!("tensor<{:?}, {}>", self.shape, self.elem)
    }

    /// `%x` in the op stands for the last value.
    fn line(&mut self, op: &str) {
        let last = self.values;
        self.values += 1;
        let op = op.replace("%x", &format!("%v{last}"));
        writeln!(self.text, "  %v{} = {op}", self.values).expect("a string grows");
    }

    fn elements(&self) -> i64 {
        self.shape.iter().product()
    }

    fn view(&mut self, random: &mut Random) {
        let rank = self.shape.len();
        match random.within(0, 6) {
            0 => {
                let mut order: Vec<usize> = (0..rank).collect();
                order.sort_by_key(|_| random.bits());
                self.shape = order.iter().map(|&axis| self.shape[axis]).collect();
                self.line(&format!("permute %x by {order:?}"));
            }
            1 if rank < 4 && self.elements() < 200 => {
                let place = random.within(0, rank as i64) as usize;
                self.shape.insert(place, random.within(1, 5));
                let dims: Vec<usize> = (0..=rank).filter(|&axis| axis != place).collect();
                self.line(&format!("expand %x to {:?} dims {dims:?}", self.shape));
            }
            2 => {
                let (low, high): (Vec<i64>, Vec<i64>) =
                    self.shape.iter().map(|_| (random.within(0, 3), random.within(0, 2))).unzip();
                self.shape.iter_mut().zip(low.iter().zip(&high)).for_each(|(size, (low, high))| *size += low + high);
                let value = if random.one_in(3) { random.within(0, 2) } else { 0 };
                let value = self.number(if self.elem == "i1" { value.min(1) } else { value });
                let value = format!(" value {value} : {}", self.elem);
                let value = if self.elem == "i1" || random.one_in(2) { String::new() } else { value };
                self.line(&format!("pad %x low {low:?} high {high:?}{value}"));
            }
            3 => {
                let cut: Vec<(i64, i64, i64)> = self
                    .shape
                    .iter()
                    .map(|&size| {
                        let start = random.within(0, size / 3);
                        (start, random.within(start.max(size / 2), size), random.one_of(&[1, 1, 1, 2]))
                    })
                    .collect();
                self.shape = cut.iter().map(|(start, stop, step)| (stop - start + step - 1) / step).collect();
                let part = |f: fn(&(i64, i64, i64)) -> i64| cut.iter().map(f).collect::<Vec<_>>();
                let (start, stop, step) = (part(|c| c.0), part(|c| c.1), part(|c| c.2));
                self.line(&format!("shrink %x from {start:?} to {stop:?} step {step:?}"));
            }
            4 if rank > 0 => {
                let axis = random.within(0, rank as i64 - 1);
                self.line(&format!("flip %x over [{axis}]"));
            }
            5 => self.reshape(random),
            _ => self.skew(random),
        }
    }

    fn reshape(&mut self, random: &mut Random) {
        let mut rest = self.elements();
        let mut shape = Vec::new();
        while rest > 1 && shape.len() < 3 {
            let divisors: Vec<i64> = (1..=rest).filter(|divisor| rest % divisor == 0).collect();
            let size = random.one_of(&divisors);
            shape.push(size);
            rest /= size;
        }
        shape.push(rest);
        self.shape = shape;
        self.line(&format!("reshape %x to {:?}", self.shape));
    }

    /// The idiom of windows: rows repeated, laid in one line, and cut into longer or shorter rows.
    fn skew(&mut self, random: &mut Random) {
        if self.elements() == 0 || self.elements() > 60 {
            return;
        }
        let length = self.elements();
        self.line(&format!("reshape %x to [{length}]"));
        let rows = random.within(2, 8);
        self.line(&format!("expand %x to [{rows}, {length}] dims [1]"));
        self.line(&format!("reshape %x to [{}]", rows * length));
        let pitch = random.within((length - 1).max(1), length + 2);
        let rows = rows * length / pitch;
        self.line(&format!("shrink %x from [0] to [{}]", rows * pitch));
        self.line(&format!("reshape %x to [{rows}, {pitch}]"));
        let (high, wide) = (random.within(1, rows.max(1)), random.within(1, pitch));
        self.shape = vec![high.min(rows), wide];
        self.line(&format!("shrink %x from [0, 0] to {:?}", self.shape));
    }

    fn reduce(&mut self, random: &mut Random) {
        let rank = self.shape.len() as i64;
        let axes: Vec<i64> = (0..rank).filter(|_| random.one_in(2)).collect();
        let combiner = random.one_of(&["sum", "sum", "sum", "max", "min", "prod"]);
        self.shape = (0..rank).filter(|axis| !axes.contains(axis)).map(|axis| self.shape[axis as usize]).collect();
        self.line(&format!("reduce {combiner} %x over {axes:?}"));
    }

    /// Arithmetic with a constant, a comparison with a position, or a choice by it.
    fn element_wise(&mut self, random: &mut Random) {
        if self.elem == "i1" {
            match random.within(0, 3) {
                0 => self.line("neg %x"),
                1 => {
                    self.elem = random.one_of(&["i32", "f32", "i8"]);
                    self.line(&format!("cast %x to {}", self.elem));
                }
                _ => {
                    writeln!(self.text, "  %t{} = const 1 : tensor<[], i1>", self.values).expect("a string grows");
                    let op = random.one_of(&["cmp ne", "add", "mul", "and", "or", "xor", "max", "min"]);
                    self.line(&format!("{op} %x, %t{}", self.values));
                }
            }
            return;
        }
        let name = format!("%c{}", self.values);
        let rank = self.shape.len() as i64;
        if rank > 0 && random.one_in(2) && self.elem == "i32" {
            let axis = random.within(0, rank - 1);
            writeln!(self.text, "  {name} = range {axis} : {}", self.ty()).expect("a string grows");
        } else {
            let least = if self.elem == "ui8" { 0 } else { -2 };
            let value = self.number(random.within(least, 5));
            writeln!(self.text, "  {name} = const {value} : tensor<[], {}>", self.elem).expect("a string grows");
        }
        match random.within(0, 7) {
            0..=2 => {
                let predicate = random.one_of(&["eq", "ne", "lt", "le", "gt", "ge"]);
                let (a, b) = if random.one_in(2) { ("%x", &*name) } else { (&*name, "%x") };
                self.line(&format!("cmp {predicate} {a}, {b}"));
                self.elem = "i1";
            }
            3 if self.elem == "i32" => {
                let op = random.one_of(&["floordiv", "floormod", "cdiv", "cmod"]);
                self.line(&format!("{op} %x, {name}"));
            }
            4 => self.line(&format!("sub {name}, %x")),
            5 if self.elem == "i32" => {
                self.elem = random.one_of(&["i8", "i64", "f32", "f16"]);
                self.line(&format!("cast %x to {}", self.elem));
            }
            _ => {
                let op = random.one_of(&["add", "add", "mul", "sub"]);
                self.line(&format!("{op} %x, {name}"));
            }
        }
    }

    fn function(&self) -> String {
        format!("tiny.func @f() -> {} {{\n{}  return %v{}\n}}\n", self.ty(), self.text, self.values)
    }
}

#[test]
fn views_and_reductions_of_constants() {
    let (ctx, mut random) = (context(), Random::new(1));
    let (mut closed, mut reduced) = (0, 0);
    for _ in 0..3000 {
        let elem = random.one_of(&["i32", "i32", "i32", "i1", "i8", "ui8", "i64", "f32", "f16"]);
        let shape = (0..random.within(0, 2)).map(|_| random.within(1, 6)).collect();
        let value = if elem == "i1" { random.within(0, 1) } else { random.within(0, 3) };
        let mut program = Program::new(elem, shape, value);
        for _ in 0..random.within(1, 5) {
            program.view(&mut random);
        }
        program.reduce(&mut random);
        for _ in 0..random.within(0, 5) {
            match random.within(0, 3) {
                0 => program.view(&mut random),
                1 if random.one_in(2) => program.reduce(&mut random),
                _ => program.element_wise(&mut random),
            }
        }
        let text = program.function();
        let (found, after) = check(&ctx, &text, &[]);
        closed += found.closed;
        reduced += u64::from(after.contains("reduce"));
    }
    // The random programs are mostly such that the pass knows them.
    assert!(closed > 2000, "{closed} programs were rewritten, {reduced} kept a reduction");
}

/// A tensor with these elements.
fn tensor(ctx: &Context, shape: &[i64], elem: Type, values: Vec<i64>) -> Datum {
    let shape = shape.iter().map(|&size| size as usize).collect();
    let value = match elem.float_kind(ctx) {
        Some(_) => TensorValue::from_f64(ctx, shape, elem, values.into_iter().map(|value| value as f64).collect()),
        None => TensorValue::from_i64(ctx, shape, elem, values),
    };
    Datum::opaque(value.expect("as many as the shape says"))
}

/// A program that sums a table times a one-hot mask: axes in any order, some of them missing from the table or from the
/// indices, indices out of range, masks in each of their spellings.
#[test]
fn gathers() {
    let (ctx, mut random) = (context(), Random::new(2));
    let mut gathered = 0;
    for _ in 0..1000 {
        // Axis 0 is the one that is summed over.
        let rank = random.within(1, 4) as usize;
        let sizes: Vec<i64> = (0..rank).map(|_| random.one_of(&[1, 2, 3, 4])).collect();
        let mut order: Vec<usize> = (0..rank).collect();
        order.sort_by_key(|_| random.bits());
        let full: Vec<i64> = order.iter().map(|&axis| sizes[axis]).collect();
        let mut some = |must: bool| {
            let mut axes: Vec<usize> = (1..rank).filter(|_| random.one_in(2)).collect();
            if must {
                axes.push(0);
            }
            axes.sort_by_key(|_| random.bits());
            axes
        };
        let (table_axes, index_axes) = (some(true), some(false));
        let at = |axis: usize| order.iter().position(|&own| own == axis).expect("every axis is there");
        // The axes put in their places, the others of size 1.
        let place = |name: &str, axes: &[usize]| {
            let mut sorted: Vec<usize> = (0..axes.len()).collect();
            sorted.sort_by_key(|&own| at(axes[own]));
            let shape: Vec<i64> = order.iter().map(|axis| if axes.contains(axis) { sizes[*axis] } else { 1 }).collect();
            format!("  %{name}p = permute %{name} by {sorted:?}\n  %{name}f = reshape %{name}p to {shape:?}\n")
        };
        let elem = random.one_of(&["f32", "i32", "f16"]);
        let integer = elem == "i32";
        let index_elem = random.one_of(&["i32", "i64", "ui8", "i8"]);
        let k = at(0);
        let mut line = vec![1; full.len()];
        line[k] = sizes[0];
        let offset = random.one_of(&[0, 0, 0, 1, -1]);
        let zero = if integer { "0" } else { "0.0" };
        let (yes, no) = ("%tf".to_string(), "%zero".to_string());
        let mask = match random.within(0, if integer { 3 } else { 2 }) {
            0 => format!("  %m = cmp eq %if, %r\n  %s = where %m, {yes}, {no}\n"),
            1 => format!("  %m = cmp ne %r, %if\n  %s = where %m, {no}, {yes}\n"),
            2 => format!("  %n = cmp ne %if, %r\n  %m = cmp ne %n, %true\n  %s = where %m, {yes}, {no}\n"),
            _ => "  %m = cmp eq %if, %r\n  %c = cast %m to i32\n  %s = mul %c, %tf\n".to_string(),
        };
        let shape = |axes: &[usize]| axes.iter().map(|&axis| sizes[axis]).collect::<Vec<_>>();
        let (table_shape, index_shape) = (shape(&table_axes), shape(&index_axes));
        let missing = [&table_axes[..], &index_axes].concat();
        let covered = (0..rank).all(|axis| missing.contains(&axis));
        let expand = if covered { String::new() } else { format!("  %e = expand %s to {full:?}\n") };
        let summed = if covered { "%s" } else { "%e" };
        let result: Vec<i64> = order.iter().filter(|&&axis| axis != 0).map(|&axis| sizes[axis]).collect();
        let wide = if elem == "f16" { "f32" } else { elem };
        // The table may be part of a larger one, and be read backwards.
        let last = table_axes.iter().position(|&axis| axis == 0).expect("the table has it");
        let (before, following) = (random.one_of(&[0, 0, 1, 2]), random.one_of(&[0, 0, 1]));
        let (mut all_shape, mut start, mut stop) =
            (table_shape.clone(), vec![0; table_shape.len()], table_shape.clone());
        all_shape[last] += before + following;
        start[last] += before;
        stop[last] += before;
        let flip = if random.one_in(3) { vec![last] } else { Vec::new() };
        let text = format!(
            "tiny.func @f(%a: tensor<{all_shape:?}, {elem}>, %i: tensor<{index_shape:?}, {index_elem}>) -> \
             tensor<{result:?}, {wide}> {{\n  %cut = shrink %a from {start:?} to {stop:?}\n  \
             %t = flip %cut over {flip:?}\n  %zero = const {zero} : tensor<[], {elem}>\n  \
             %true = const 1 : tensor<[], i1>\n{}{}  %r0 = range {k} : tensor<{line:?}, i32>\n  \
             %o = const {offset} : tensor<[], i32>\n  %r = add %r0, %o\n{mask}{expand}  \
             %y = reduce sum {summed} over [{k}] acc {wide}\n  return %y\n}}",
            place("t", &table_axes),
            place("i", &index_axes),
        );
        let count = |shape: &[i64]| shape.iter().product::<i64>();
        let table = (1..=count(&all_shape)).collect();
        let least = if index_elem == "ui8" { 0 } else { -2 };
        let indices = (0..count(&index_shape)).map(|_| random.within(least, sizes[0] + 1)).collect();
        let ty = |name: &str| match name {
            "f32" => Type::F32,
            "f16" => Type::F16,
            "i64" => Type::I64,
            "ui8" => Type::UI8,
            "i8" => Type::I8,
            _ => Type::I32,
        };
        let args = [tensor(&ctx, &all_shape, ty(elem), table), tensor(&ctx, &index_shape, ty(index_elem), indices)];
        let (found, after) = check(&ctx, &text, &args);
        gathered += found.gathered;
        // Of a table with one row nothing is left to choose from: the mask is a comparison with a number.
        assert!(found.gathered == 1 || sizes[0] == 1, "{text}\n{after}");
    }
    assert!(gathered > 500, "{gathered}");
}

/// Counts over symbolic sizes, run for several of them, zero included where the program allows that.
#[test]
fn symbolic_sizes() {
    let ctx = context();
    let programs = [
        // Positions, from one on.
        (
            "pad %c low [N - 1] high [0]",
            "expand %x to [N + 1, 2*N - 1] dims [1]",
            "reshape %x to [2*N*N + N - 1]",
            "shrink %x from [0] to [2*N*N]",
            "reshape %x to [N, 2*N]",
            "shrink %x from [0, 0] to [N, N]",
            1,
        ),
        // The other triangle: how many follow.
        (
            "pad %c low [0] high [N - 1]",
            "expand %x to [N + 1, 2*N - 1] dims [1]",
            "reshape %x to [2*N*N + N - 1]",
            "shrink %x from [0] to [2*N*N]",
            "reshape %x to [N, 2*N]",
            "shrink %x from [0, 0] to [N, N]",
            1,
        ),
        // Windows of three, so that the ends count less.
        (
            "pad %c low [1] high [1]",
            "expand %x to [3, N + 2] dims [1]",
            "flip %x over [1]",
            "reshape %x to [3, N + 2]",
            "permute %x by [1, 0]",
            "shrink %x from [1, 0] to [N + 1, 3]",
            0,
        ),
    ];
    for (pad, a, b, c, d, e, least) in programs {
        for (combiner, elem) in [("sum", "i32"), ("sum", "i1"), ("sum", "i8"), ("sum", "i64")] {
            let mut text = format!(
                "tiny.func @f<N>(%a: tensor<[N], f32>) -> tensor<[N], {elem}> {{\n  %c = const 1 : tensor<[N], {elem}>\n"
            );
            for (place, line) in [pad, a, b, c, d, e].iter().enumerate() {
                let line = line.replace("%x", &format!("%v{}", place.max(1) - 1));
                writeln!(text, "  %v{place} = {line}").expect("a string grows");
            }
            write!(text, "  %y = reduce {combiner} %v5 over [1]\n  return %y\n}}").expect("a string grows");
            for size in least..6 {
                let args = [tensor(&ctx, &[size], Type::F32, vec![0; size as usize])];
                let (found, after) = check(&ctx, &text, &args);
                assert_eq!(found.closed, 1, "{text}");
                assert!(!after.contains("reduce"), "{after}");
            }
        }
    }
}
