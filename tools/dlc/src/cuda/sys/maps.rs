//! Tensor maps, as the driver makes them.

use std::ffi::{c_int, c_void};

use cudarc::driver::sys;
use dlc_translate::manifest::numbers::Map;
use dlc_translate::manifest::schema::Elem;

use super::super::driver::{Address, Done, TensorMap};
use super::{Cuda, other};

/// Tensors of fewer bytes are smaller than the window of addresses that TMA looks at.
const SMALL: u64 = 128 << 10;
/// The last version of CUDA whose drivers may mark all tensors as larger than that.
const MARKS_ALL: u32 = 13010;

impl Cuda {
    /// The map of a tensor at an address.
    pub(super) fn make_map(&mut self, map: &Map, at: Address) -> Done<TensorMap> {
        use sys::{CUtensorMapDataType as T, CUtensorMapSwizzle as S};
        let elem = match map.elem {
            Elem::F16 => T::CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
            Elem::BF16 => T::CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
            Elem::F32 => T::CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
            Elem::F64 => T::CU_TENSOR_MAP_DATA_TYPE_FLOAT64,
            Elem::I32 => T::CU_TENSOR_MAP_DATA_TYPE_INT32,
            Elem::I64 | Elem::Index => T::CU_TENSOR_MAP_DATA_TYPE_INT64,
            Elem::UI64 => T::CU_TENSOR_MAP_DATA_TYPE_UINT64,
            Elem::UI32 => T::CU_TENSOR_MAP_DATA_TYPE_UINT32,
            Elem::I16 | Elem::UI16 => T::CU_TENSOR_MAP_DATA_TYPE_UINT16,
            Elem::F8E4M3FN | Elem::F8E5M2 | Elem::I1 | Elem::I8 | Elem::UI8 => T::CU_TENSOR_MAP_DATA_TYPE_UINT8,
        };
        let swizzle = match map.swizzle {
            128 => S::CU_TENSOR_MAP_SWIZZLE_128B,
            64 => S::CU_TENSOR_MAP_SWIZZLE_64B,
            32 => S::CU_TENSOR_MAP_SWIZZLE_32B,
            _ => S::CU_TENSOR_MAP_SWIZZLE_NONE,
        };
        let interleave = sys::CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE;
        // With 256 bytes, rows that do not begin at a multiple of 128 bytes make a product a fifth slower, and others no faster.
        let promotion = sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
        let outside = sys::CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
        let rank = map.dims.len();
        let mut steps = vec![1u32; rank];
        let mut made = sys::CUtensorMap_st { opaque: [0; 16] };
        let (dims, strides, at) = (map.dims.as_ptr(), map.strides.as_ptr(), at as *mut c_void);
        let status = match &map.im2col {
            // SAFETY: there are as many sizes and steps as axes, one stride less, and the map is aligned as it must be.
            None => unsafe {
                let (tile, steps) = (map.tile.as_ptr(), steps.as_ptr());
                let call = self.call.map_tiled;
                call(
                    &mut made,
                    elem,
                    rank as u32,
                    at,
                    dims,
                    strides,
                    tile,
                    steps,
                    interleave,
                    swizzle,
                    promotion,
                    outside,
                )
            },
            Some(window) => {
                let corner = |corner: &[i32]| corner.iter().rev().copied().collect::<Vec<c_int>>();
                let (lower, upper) = (corner(&window.lower), corner(&window.upper));
                // Channels, then the spatial axes from the fastest on, then images.
                for (step, &wanted) in steps.iter_mut().skip(1).zip(window.strides.iter().rev()) {
                    *step = wanted;
                }
                let [pixels, channels] = map.tile[..] else { return Err(other("a window has pixels and channels")) };
                // SAFETY: as above; the corners have a number for each spatial axis.
                unsafe {
                    let (lower, upper, steps) = (lower.as_ptr(), upper.as_ptr(), steps.as_ptr());
                    let call = self.call.map_im2col;
                    call(
                        &mut made,
                        elem,
                        rank as u32,
                        at,
                        dims,
                        strides,
                        lower,
                        upper,
                        channels,
                        pixels,
                        steps,
                        interleave,
                        swizzle,
                        promotion,
                        outside,
                    )
                }
            }
        };
        self.done(status)?;
        let bytes = map.dims.iter().product::<u64>() * map.elem.size();
        // Drivers that know of tensors which are smaller than the window of addresses that is looked at mark those
        // that are not; older ones mark all, which is wrong for a small tensor at the end of memory.
        if bytes < SMALL && self.info.driver <= MARKS_ALL {
            made.opaque[1] &= !(1 << 21);
        }
        Ok(TensorMap(made.opaque))
    }
}
