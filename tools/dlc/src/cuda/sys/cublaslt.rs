//! The library cublasLt, if it is installed: products of matrices to measure ours against. It is looked for when it is
//! wanted, and nothing is linked.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use cudarc::driver::sys::CUstream;
use dlc_translate::manifest::schema::Elem;
use libloading::Library;

use super::super::driver::{Address, ArgSlots, Done, Epilogue, Failure, Kind, Product};

/// What the library is called, the newest first.
const NAMES: [&str; 4] = ["libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "libcublasLt.so"];
/// The memory that an algorithm may have besides the matrices.
pub(super) const WORKSPACE: u64 = 64 << 20;
/// How many algorithms are asked for.
const ALGORITHMS: usize = 8;

// Numbers of the header.
const COMPUTE_32F: c_int = 68;
const R_32F: c_int = 0;
const R_16F: c_int = 2;
const R_16BF: c_int = 14;
const DESC_TRANSA: c_int = 3;
const DESC_TRANSB: c_int = 4;
const DESC_EPILOGUE: c_int = 7;
const DESC_BIAS: c_int = 8;
const PREFERENCE_WORKSPACE: c_int = 1;
const OP_N: c_int = 0;
const OP_T: c_int = 1;
const ALLOC_FAILED: c_int = 3;

/// Something of the library that only it looks into.
type Opaque = *mut c_void;

/// An algorithm, as the library proposes it.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Proposed {
    algorithm: [u64; 8],
    workspace: usize,
    state: c_int,
    waves: f32,
    reserved: [c_int; 4],
}

/// Declares the functions that are called: `field = "symbol" (types of the parameters)`.
macro_rules! functions {
    ($($field:ident = $symbol:literal ($($param:ty),*);)*) => {
        struct Functions {
            $($field: unsafe extern "C" fn($($param),*) -> c_int,)*
            version: unsafe extern "C" fn() -> usize,
        }

        impl Functions {
            fn of(library: &Library) -> Done<Functions> {
                let lacks = |symbol: &str| Failure {
                    kind: Kind::NoLibrary,
                    message: format!("the library has no function {symbol}"),
                };
                Ok(Functions {
                    $($field: {
                        // SAFETY: the types are those of the header of the library, the same in all versions that are
                        // looked for.
                        let found = unsafe { library.get($symbol.as_bytes()) };
                        *found.map_err(|_| lacks($symbol))?
                    },)*
                    version: {
                        // SAFETY: as above.
                        let found = unsafe { library.get(b"cublasLtGetVersion") };
                        *found.map_err(|_| lacks("cublasLtGetVersion"))?
                    },
                })
            }
        }
    };
}

functions! {
    create = "cublasLtCreate" (*mut Opaque);
    destroy = "cublasLtDestroy" (Opaque);
    desc_create = "cublasLtMatmulDescCreate" (*mut Opaque, c_int, c_int);
    desc_set = "cublasLtMatmulDescSetAttribute" (Opaque, c_int, *const c_void, usize);
    desc_destroy = "cublasLtMatmulDescDestroy" (Opaque);
    layout_create = "cublasLtMatrixLayoutCreate" (*mut Opaque, c_int, u64, u64, i64);
    layout_destroy = "cublasLtMatrixLayoutDestroy" (Opaque);
    preference_create = "cublasLtMatmulPreferenceCreate" (*mut Opaque);
    preference_set = "cublasLtMatmulPreferenceSetAttribute" (Opaque, c_int, *const c_void, usize);
    preference_destroy = "cublasLtMatmulPreferenceDestroy" (Opaque);
    propose = "cublasLtMatmulAlgoGetHeuristic" (
        Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, Opaque, c_int, *mut Proposed, *mut c_int
    );
    multiply = "cublasLtMatmul" (
        Opaque,
        Opaque,
        *const c_void,
        *const c_void,
        Opaque,
        *const c_void,
        Opaque,
        *const c_void,
        *const c_void,
        Opaque,
        *mut c_void,
        Opaque,
        *const c_void,
        *mut c_void,
        usize,
        CUstream
    );
}

/// The library with a handle of it.
pub(super) struct CublasLt {
    call: Functions,
    handle: Opaque,
    /// What was made for products, to be destroyed with it.
    descs: Vec<Opaque>,
    layouts: Vec<Opaque>,
    /// The functions are in it.
    _library: Library,
}

/// A product made ready, with one algorithm.
#[derive(Clone, Copy)]
pub(super) struct Multiply {
    desc: Opaque,
    /// Of the left and right factor and of the result, as the library sees them.
    layouts: [Opaque; 3],
    places: ArgSlots,
    algorithm: [u64; 8],
}

/// How the library names a type.
fn number(elem: Elem) -> Done<c_int> {
    match elem {
        Elem::F16 => Ok(R_16F),
        Elem::BF16 => Ok(R_16BF),
        Elem::F32 => Ok(R_32F),
        other => {
            let message = format!("no product of elements of the type {} is asked of it", other.name());
            Err(Failure { kind: Kind::Other, message })
        }
    }
}

/// How the library names an epilogue.
fn epilogue(is: Epilogue) -> c_int {
    match is {
        Epilogue::None => 1,
        Epilogue::Relu => 2,
        Epilogue::Bias => 4,
        Epilogue::BiasRelu => 6,
    }
}

fn check(status: c_int) -> Done {
    let name = match status {
        0 => return Ok(()),
        1 => "NOT_INITIALIZED",
        ALLOC_FAILED => "ALLOC_FAILED",
        7 => "INVALID_VALUE",
        8 => "ARCH_MISMATCH",
        11 => "MAPPING_ERROR",
        13 => "EXECUTION_FAILED",
        14 => "INTERNAL_ERROR",
        15 => "NOT_SUPPORTED",
        _ => "an error",
    };
    let kind = if status == ALLOC_FAILED { Kind::OutOfMemory } else { Kind::Other };
    Err(Failure { kind, message: format!("{name} ({status})") })
}

impl CublasLt {
    /// Looks for the library. The context of the device is current on this thread.
    pub(super) fn open() -> Done<CublasLt> {
        let mut why = String::new();
        for name in NAMES {
            // SAFETY: opening the library runs its initializers, as every program does that is linked with it.
            let library = match unsafe { Library::new(name) } {
                Ok(library) => library,
                Err(_) => {
                    why = format!("{why}{}{name}", if why.is_empty() { "" } else { ", " });
                    continue;
                }
            };
            let call = Functions::of(&library)?;
            let mut handle = null_mut();
            // SAFETY: it writes a handle, which is destroyed in `drop`.
            check(unsafe { (call.create)(&mut handle) })?;
            return Ok(CublasLt { call, handle, descs: Vec::new(), layouts: Vec::new(), _library: library });
        }
        Err(Failure { kind: Kind::NoLibrary, message: format!("none of {why} can be opened") })
    }

    /// `cublasLt 13.1.0`
    pub(super) fn name(&self) -> String {
        // SAFETY: it takes nothing and gives a number.
        let version = unsafe { (self.call.version)() };
        format!("cublasLt {}.{}.{}", version / 10000, version / 100 % 100, version % 100)
    }

    fn layout(&mut self, elem: c_int, rows: u64, columns: u64) -> Done<Opaque> {
        let mut layout = null_mut();
        // SAFETY: it writes a layout, which is destroyed in `drop`. Columns follow each other without gaps.
        check(unsafe { (self.call.layout_create)(&mut layout, elem, rows, columns, rows as i64) })?;
        self.layouts.push(layout);
        Ok(layout)
    }

    fn set<T: Copy>(&self, desc: Opaque, which: c_int, value: T) -> Done {
        // SAFETY: the attribute has the type of the value, and is copied.
        check(unsafe { (self.call.desc_set)(desc, which, (&raw const value).cast(), size_of::<T>()) })
    }

    /// Makes a product ready, once for each algorithm that the library proposes, the best first.
    pub(super) fn prepare(&mut self, product: &Product, places: &ArgSlots) -> Done<Vec<Multiply>> {
        let Product { m, n, k, trans_a, trans_b, .. } = *product;
        let (elem, out) = (number(product.elem)?, number(product.out)?);
        let mut desc = null_mut();
        // SAFETY: it writes a description, which is destroyed in `drop`.
        check(unsafe { (self.call.desc_create)(&mut desc, COMPUTE_32F, R_32F) })?;
        self.descs.push(desc);
        // For the library matrices lie column by column, so ours are transposed, and so is their product: the factors
        // change places, and the bias goes along what it calls rows.
        let op = |is_transposed: bool| if is_transposed { OP_T } else { OP_N };
        self.set(desc, DESC_TRANSA, op(trans_b))?;
        self.set(desc, DESC_TRANSB, op(trans_a))?;
        self.set(desc, DESC_EPILOGUE, epilogue(product.epilogue))?;
        if matches!(product.epilogue, Epilogue::Bias | Epilogue::BiasRelu) {
            self.set::<Address>(desc, DESC_BIAS, places.bias)?;
        }
        let first = if trans_b { self.layout(elem, k, n)? } else { self.layout(elem, n, k)? };
        let second = if trans_a { self.layout(elem, m, k)? } else { self.layout(elem, k, m)? };
        let layouts = [first, second, self.layout(out, n, m)?];
        let mut preference = null_mut();
        // SAFETY: it writes preferences, which are destroyed below.
        check(unsafe { (self.call.preference_create)(&mut preference) })?;
        let mut proposed = [Proposed::default(); ALGORITHMS];
        let mut count = 0;
        // SAFETY: everything was made just now by this library; there is room for as many algorithms as are asked for;
        // the number of bytes has the type that its attribute takes.
        let status = unsafe {
            let bytes = WORKSPACE as usize;
            let set = self.call.preference_set;
            let mut status = set(preference, PREFERENCE_WORKSPACE, (&raw const bytes).cast(), size_of::<usize>());
            if status == 0 {
                let [first, second, result] = layouts;
                status = (self.call.propose)(
                    self.handle,
                    desc,
                    first,
                    second,
                    result,
                    result,
                    preference,
                    ALGORITHMS as c_int,
                    proposed.as_mut_ptr(),
                    &mut count,
                );
            }
            (self.call.preference_destroy)(preference);
            status
        };
        check(status)?;
        let usable = proposed.iter().take(count.max(0) as usize).filter(|one| one.state == 0);
        Ok(usable.map(|one| Multiply { desc, layouts, places: *places, algorithm: one.algorithm }).collect())
    }

    /// Multiplies, in a sequence of work.
    pub(super) fn multiply(&self, of: &Multiply, workspace: Address, stream: CUstream) -> Done {
        let (one, zero) = (1f32, 0f32);
        let [first, second, result] = of.layouts;
        let ArgSlots { a, b, d, .. } = of.places;
        // SAFETY: descriptions and layouts are destroyed with this; both factors are copied in the call; the addresses are
        // memory of the device, as large as the layouts say: who asks for a product takes care of that.
        check(unsafe {
            (self.call.multiply)(
                self.handle,
                of.desc,
                (&raw const one).cast(),
                b as *const c_void,
                first,
                a as *const c_void,
                second,
                (&raw const zero).cast(),
                d as *const c_void,
                result,
                d as *mut c_void,
                result,
                of.algorithm.as_ptr().cast(),
                workspace as *mut c_void,
                WORKSPACE as usize,
                stream,
            )
        })
    }
}

impl Drop for CublasLt {
    fn drop(&mut self) {
        // SAFETY: each was made by this library and is destroyed once.
        unsafe {
            for &layout in &self.layouts {
                (self.call.layout_destroy)(layout);
            }
            for &desc in &self.descs {
                (self.call.desc_destroy)(desc);
            }
            (self.call.destroy)(self.handle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The library writes into it.
    #[test]
    fn what_is_proposed_has_96_bytes() {
        assert_eq!((size_of::<Proposed>(), align_of::<Proposed>()), (96, 8));
    }

    /// Where the library is installed it can be opened or says why not; elsewhere an error says that there is none.
    #[test]
    fn this_machine_has_the_library_or_says_why_not() {
        match CublasLt::open() {
            Ok(library) => assert!(library.name().starts_with("cublasLt ")),
            Err(failure) => assert!([Kind::NoLibrary, Kind::Other, Kind::OutOfMemory].contains(&failure.kind)),
        }
    }
}
