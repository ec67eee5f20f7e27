//! The page and its engine. Requests and answers are JSON, see [`otrera_requests::request`].
//!
//! The module `module`, built only for WebAssembly, exports the engine to JavaScript. `otrera gui` instead serves
//! [`page`] and answers the requests natively. The page stores the game; the
//! [engine](otrera_requests::engine::Engine) stores the search tree.

#[cfg(target_family = "wasm")]
pub mod module;

/// Returns the page that sends its requests to a server. `server` is JSON that describes the server's engine; `nonce`
/// is a text that nobody can guess: only the page's own scripts have it.
pub fn page(server: &str, nonce: &str) -> String {
    let page = include_str!(concat!(env!("OUT_DIR"), "/page.html"));
    // Escapes `<`, so that the JSON cannot end the script element.
    let server = server.replace('<', "\\u003c");
    page.replace("{{engine}}", "").replace("{{nonce}}", nonce).replace("{{server}}", &server)
}
