//! SIMD dispatch: detects the processor's instruction sets and runs code compiled for one of them.

use super::lanes::Lanes;
use std::sync::LazyLock;

/// A SIMD instruction set; the variants are in order of speed, slowest first. All kernels give identical results.
///
/// `--cfg few_kernels` builds only the portable kernel and AVX2, for a smaller program and a faster build.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kernel {
    /// Plain 64-bit arithmetic, for every processor. A WebAssembly module for 128-bit registers runs nowhere else.
    #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
    Portable,
    /// SSE4.2 and POPCNT, 128-bit registers: Intel since 2008, AMD since 2011.
    #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), not(few_kernels)))]
    Sse42,
    /// AVX2, BMI1, BMI2 and LZCNT, 256-bit registers: Intel since 2013, AMD since 2015.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    Avx2,
    /// AVX-512 F, VL, BW, DQ, VBMI2 (funnel shifts) and VPOPCNTDQ (popcounts per lane), on 256-bit registers: Intel
    /// servers since 2021, AMD since 2022.
    #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), not(few_kernels)))]
    Avx512,
    /// WebAssembly's 128-bit registers, in a module built for them.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(few_kernels)))]
    Simd128,
    /// NEON, 128-bit registers: every AArch64 processor.
    #[cfg(all(target_arch = "aarch64", not(few_kernels)))]
    Neon,
}

/// Evaluates `$result`, an expression in which `$lanes` names the [`Lanes`] type of `$kernel`.
macro_rules! with_lanes {
    (@ $lanes:ident = $type:ident, $result:expr) => {{
        type $lanes = $crate::simd::$type;
        $result
    }};
    ($kernel:expr, $lanes:ident => $result:expr) => {{
        use $crate::simd::Kernel;
        match $kernel {
            #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
            Kernel::Portable => $crate::simd::with_lanes!(@ $lanes = PortableLanes, $result),
            #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), not(few_kernels)))]
            Kernel::Sse42 => $crate::simd::with_lanes!(@ $lanes = Sse42Lanes, $result),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Kernel::Avx2 => $crate::simd::with_lanes!(@ $lanes = Avx2Lanes, $result),
            #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), not(few_kernels)))]
            Kernel::Avx512 => $crate::simd::with_lanes!(@ $lanes = Avx512Lanes, $result),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(few_kernels)))]
            Kernel::Simd128 => $crate::simd::with_lanes!(@ $lanes = Simd128Lanes, $result),
            #[cfg(all(target_arch = "aarch64", not(few_kernels)))]
            Kernel::Neon => $crate::simd::with_lanes!(@ $lanes = NeonLanes, $result),
        }
    }};
}

/// Evaluates an expression compiled for a kernel: `dispatch!(kernel, L => f::<L>(position))`, where `L` names the
/// kernel's lane type. Falls back to the fastest kernel that the processor supports. Functions in the expression must
/// be `#[inline(always)]` or go through [`Lanes::call`]; otherwise they are not compiled for the kernel.
///
/// A function that only other programs than the bot call, such as the laboratory, is `#[inline]`: then these programs
/// compile it for all kernels, and a build of the bot does not.
macro_rules! dispatch {
    ($kernel:expr, $lanes:ident => $result:expr) => {
        $crate::simd::with_lanes!($kernel.min($crate::simd::Kernel::fastest()), $lanes => {
            <$lanes as $crate::simd::Lanes>::call(#[inline(always)] move || $result)
        })
    };
}

pub(crate) use {dispatch, with_lanes};

impl Kernel {
    /// Kernels in this build, slowest first.
    const ALL: &[Self] = &[
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        Self::Portable,
        #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), not(few_kernels)))]
        Self::Sse42,
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        Self::Avx2,
        #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), not(few_kernels)))]
        Self::Avx512,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128", not(few_kernels)))]
        Self::Simd128,
        #[cfg(all(target_arch = "aarch64", not(few_kernels)))]
        Self::Neon,
    ];

    /// Number of kernels in this build, whether or not the processor supports them.
    pub const COUNT: usize = Self::ALL.len();

    /// Returns the fastest kernel that this processor supports.
    pub fn fastest() -> Self {
        static FASTEST: LazyLock<Kernel> = LazyLock::new(|| {
            let is_supported = |kernel: &Kernel| with_lanes!(*kernel, L => L::is_supported());
            Kernel::ALL.iter().copied().rfind(is_supported).unwrap_or(Kernel::ALL[0])
        });
        *FASTEST
    }

    /// Returns the name of the instruction set, such as `avx2`.
    pub fn name(self) -> &'static str {
        with_lanes!(self, L => L::NAME)
    }

    /// Iterates over the kernels that this processor supports, slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|&kernel| kernel <= Self::fastest())
    }
}
