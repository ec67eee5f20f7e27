//! SIMD dispatch: detects the processor's instruction sets and runs code compiled for one of them.

use super::lanes::{Lanes, PortableLanes};
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use super::wasm::Simd128Lanes;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use super::x86::{Avx2Lanes, Avx512Lanes, Sse2Lanes};
use std::sync::LazyLock;

/// An instruction set, slowest first. All kernels give the same bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kernel {
    /// Plain 64-bit arithmetic, for every processor.
    Portable,
    /// SSE4.2 and POPCNT, 128-bit registers: Intel since 2008, AMD since 2011.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Sse42,
    /// AVX2, BMI1, BMI2 and LZCNT, 256-bit registers: Intel since 2013, AMD since 2015.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx2,
    /// AVX-512 F, VL, BW, DQ, VBMI2 (funnel shifts) and VPOPCNTDQ (bit counts of lanes), on 256-bit registers: Intel
    /// servers since 2021, AMD since 2022.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx512,
    /// WebAssembly's 128-bit registers, in a module built for them.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
}

/// A computation on any kernel. Functions that `run` calls must be inlined or go through [`Lanes::call`]; otherwise
/// they are not compiled for the kernel.
pub trait SimdTask {
    /// Result of the task.
    type Output;
    /// Runs the task with a kernel's lanes. Mark implementations `#[inline(always)]`.
    fn run<L: Lanes>(self) -> Self::Output;
}

impl Kernel {
    /// Returns the fastest kernel of this processor.
    pub fn fastest() -> Self {
        static FASTEST: LazyLock<Kernel> = LazyLock::new(|| {
            Kernel::ALL.iter().copied().rfind(|kernel| kernel.is_supported()).unwrap_or(Kernel::Portable)
        });
        *FASTEST
    }

    /// True if built with few kernels (`--cfg few_kernels`): the portable one, and AVX2, which nearly all processors
    /// have. Makes the program smaller and faster to build.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    const FEW: bool = cfg!(few_kernels);

    /// Kernels built in for this architecture, slowest first.
    const ALL: &[Self] = &[
        Self::Portable,
        #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), not(few_kernels)))]
        Self::Sse42,
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Self::Avx2,
        #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), not(few_kernels)))]
        Self::Avx512,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Self::Simd128,
    ];

    /// Number of kernels built in for this architecture.
    pub const COUNT: usize = Self::ALL.len();

    /// Returns the kernel's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse42 => "sse4.2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => "avx2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => "avx-512",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => "simd128",
        }
    }

    /// Iterates over the kernels that this processor has, slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|&kernel| kernel <= Self::fastest())
    }

    /// True if this processor has the instructions of the kernel and of all slower ones.
    fn is_supported(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse42 => is_x86_feature_detected!("popcnt") && is_x86_feature_detected!("sse4.2"),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => {
                Self::Sse42.is_supported()
                    && is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
            }
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => {
                Self::Avx2.is_supported()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("avx512vpopcntdq")
            }
            // A host without them refuses the module.
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => true,
        }
    }

    /// Runs a task on this kernel, or on the fastest that this processor has if it lacks this one.
    #[inline]
    pub fn dispatch<T: SimdTask>(self, task: T) -> T::Output {
        match self.min(Self::fastest()) {
            Self::Portable => run_portable(task),
            // Not built in, so never the fastest.
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse42 | Self::Avx512 if Self::FEW => run_portable(task),
            // SAFETY: the processor supports the fastest kernel, hence also every slower one.
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Sse42 => unsafe { run_sse42(task) },
            // SAFETY: see above.
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx2 => unsafe { run_avx2(task) },
            // SAFETY: see above.
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Self::Avx512 => unsafe { run_avx512(task) },
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => run_simd128(task),
        }
    }
}

/// Out of line, like the other kernels: inlining would copy the task into every caller.
#[inline(never)]
pub(super) fn run_portable<T: SimdTask>(task: T) -> T::Output {
    task.run::<PortableLanes>()
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[target_feature(enable = "sse4.2,popcnt")]
pub(super) fn run_sse42<T: SimdTask>(task: T) -> T::Output {
    task.run::<Sse2Lanes>()
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn run_avx2<T: SimdTask>(task: T) -> T::Output {
    task.run::<Avx2Lanes>()
}

/// The lanes are written for AVX2 except for bit counts; the compiler itself uses the AVX-512 instructions that
/// replace several others.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi2,avx512vpopcntdq")]
pub(super) fn run_avx512<T: SimdTask>(task: T) -> T::Output {
    task.run::<Avx512Lanes>()
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[inline(never)]
pub(super) fn run_simd128<T: SimdTask>(task: T) -> T::Output {
    task.run::<Simd128Lanes>()
}
