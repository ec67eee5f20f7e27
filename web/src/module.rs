//! Functions exported to JavaScript. `page/worker.js` writes a request to the address from [`reserve`], calls
//! [`answer`], and reads the returned number of bytes of JSON at the address from [`answer_at`].

use otrera::{Params, Resources};
use otrera_requests::engine::Engine;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::sync::atomic::AtomicBool;

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::default();
    static REQUEST: RefCell<Vec<u8>> = RefCell::default();
    static ANSWER: RefCell<String> = RefCell::default();
}

// SAFETY: the module can only be instantiated with a function of this signature.
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Reports a panic; its message is the UTF-8 text at this address.
    safe fn panicked(text: *const u8, bytes: usize);
}

#[global_allocator]
static ALLOCATOR: FreshPages = FreshPages;

/// Allocates large blocks (the tree's arena) as new pages of the module's memory, other blocks with the system's
/// allocator. New pages are zero and use no physical memory before they are touched; the system's allocator would fill
/// the block with zeros, which takes 3.3 s and 1 GB. The pages are never freed: the web page keeps one arena.
struct FreshPages;

impl FreshPages {
    const LARGE: usize = 64 << 20;
    const PAGE: usize = 64 << 10;

    fn is_for(layout: Layout) -> bool {
        layout.size() >= Self::LARGE && layout.align() <= Self::PAGE
    }
}

// SAFETY: `memory.grow` returns the number of the first new page, or `usize::MAX` if memory cannot grow. New pages are
// zero, unused and aligned to `PAGE`. All other blocks are allocated and freed by the system's allocator: the layout
// decides which allocator owns a block.
unsafe impl GlobalAlloc for FreshPages {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !Self::is_for(layout) {
            // SAFETY: the caller's contract is the system allocator's.
            return unsafe { System.alloc(layout) };
        }
        match std::arch::wasm32::memory_grow(0, layout.size().div_ceil(Self::PAGE)) {
            usize::MAX => std::ptr::null_mut(),
            page => (page * Self::PAGE) as *mut u8,
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: both functions have the caller's contract; new pages are zero.
        unsafe { if Self::is_for(layout) { self.alloc(layout) } else { System.alloc_zeroed(layout) } }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !Self::is_for(layout) {
            // SAFETY: a block of this layout came from the system's allocator.
            unsafe { System.dealloc(block, layout) }
        }
    }
}

/// Creates an engine with a tree of this size in MB. Call this before the first request.
#[unsafe(no_mangle)]
pub extern "C" fn use_memory(megabytes: usize) {
    let resources = Resources { memory: megabytes << 20, ..Resources::default() };
    ENGINE.set(Engine::new(Params::TOURNAMENT, resources));
}

/// Returns the address of a buffer for a request of this length in bytes.
// SAFETY: the names of the exported functions are unique.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: usize) -> *mut u8 {
    std::panic::set_hook(Box::new(|problem| {
        let text = problem.to_string();
        panicked(text.as_ptr(), text.len());
    }));
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(bytes, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request; returns the length of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let answer = REQUEST.with_borrow(|request| {
        let request = String::from_utf8_lossy(request);
        ENGINE.with_borrow_mut(|engine| engine.answer(&request, &AtomicBool::new(false)))
    });
    let bytes = answer.len();
    ANSWER.set(answer);
    bytes
}

/// Returns the address of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer_at() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}
