//! HTTP servers on 127.0.0.1 for one user: `otrera gui`, and the question to the operator after a crash.
//!
//! Paths begin with a random token. Requests with another path, host or origin are refused, so no other website can
//! reach the server.

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

/// Default port; fixed, because a browser stores the page's settings per port.
const PORT: u16 = 7264;

/// Time until the next connection is accepted after one that could not be, for example without free file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// HTTP status and text of the answer to a refused request.
pub type Refusal = (StatusCode, &'static str);

/// Answer to a request.
pub type Answer = Response<Full<Bytes>>;

/// Answers the requests of all connections with `respond`, until this future is dropped. The future of an answer is
/// dropped if the client closes its connection. Fails if the listener is unusable.
pub async fn serve<F>(
    listener: TcpListener,
    respond: impl Fn(Request<Incoming>) -> F + Clone + Send + 'static,
) -> io::Result<Infallible>
where
    F: Future<Output = Answer> + Send + 'static,
{
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let respond = respond.clone();
        let service = service_fn(move |request| {
            let answer = respond(request);
            async { Ok::<_, Infallible>(answer.await) }
        });
        let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        // A broken connection concerns only its client.
        tokio::spawn(async { drop(connection.await) });
    }
}

/// The address of a server.
pub struct Address {
    /// Path of the page: `/TOKEN/`.
    root: String,
    /// Valid values of the `Host` header.
    hosts: [String; 2],
}

impl Address {
    /// Listens on `port` of 127.0.0.1. If `port` is `None`, listens on [`PORT`], or on any free port if [`PORT`] is in
    /// use.
    pub fn listen(port: Option<u16>) -> Result<(Self, TcpListener), String> {
        let bind = |port| TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        let listener = match port {
            Some(port) => bind(port).map_err(|error| format!("--port {port}: {error}")),
            None => bind(PORT).or_else(|_| bind(0)).map_err(|error| format!("no free port: {error}")),
        }?;
        listener.set_nonblocking(true).map_err(|error| error.to_string())?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
        Ok((Self { root: format!("/{}/", token()?), hosts }, listener))
    }

    /// Returns the address of the page, like `http://127.0.0.1:7264/TOKEN/`.
    pub fn url(&self) -> String {
        let [host, _] = &self.hosts;
        format!("http://{host}{}", self.root)
    }

    /// Returns the path of a request after the token; refuses requests from other hosts and origins.
    pub fn path_of<'a>(&self, request: &'a request::Parts) -> Result<&'a str, Refusal> {
        if !self.admits(&request.headers) {
            return Err((StatusCode::FORBIDDEN, "request from another host or origin\n"));
        }
        let path = request.uri.path().strip_prefix(&self.root);
        path.ok_or((StatusCode::NOT_FOUND, "open the address that `otrera gui` printed\n"))
    }

    /// True if there is a `Host` header, and all `Host` and `Origin` headers name this server. Prevents DNS rebinding.
    fn admits(&self, headers: &HeaderMap) -> bool {
        let is_ours = |host: &str| self.hosts.iter().any(|ours| ours == host);
        let all = |name, is_valid: &dyn Fn(&str) -> bool| {
            headers.get_all(name).iter().all(|value| value.to_str().is_ok_and(is_valid))
        };
        headers.contains_key(HOST)
            && all(HOST, &is_ours)
            && all(ORIGIN, &|origin| origin.strip_prefix("http://").is_some_and(is_ours))
    }
}

/// Returns 128 random bits as 32 hexadecimal digits.
pub fn token() -> Result<String, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("cannot get random numbers: {error}"))?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}

/// Returns the answer with an HTML page. Other sites get no referrer; with `no-referrer`, Chromium would send a form of
/// the page with `Origin: null`, which is refused.
pub fn answer_page(page: String) -> Answer {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "same-origin"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    answer(StatusCode::OK, page, headers)
}

/// Returns the answer with a JSON text.
pub fn answer_json(text: String) -> Answer {
    answer(StatusCode::OK, text, [(CONTENT_TYPE, "application/json")])
}

/// Returns the answer to a refused request.
pub fn refuse((status, text): Refusal) -> Answer {
    answer(status, text, [(CONTENT_TYPE, "text/plain; charset=utf-8")])
}

fn answer<const N: usize>(
    status: StatusCode,
    text: impl Into<Bytes>,
    headers: [(HeaderName, &'static str); N],
) -> Answer {
    let mut answer = Response::new(Full::new(text.into()));
    *answer.status_mut() = status;
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    answer.headers_mut().extend(headers);
    answer
}

/// Reads a request body, refused above `limit` bytes; invalid UTF-8 becomes U+FFFD.
pub async fn text_of(body: Incoming, limit: usize) -> Result<String, Refusal> {
    let read = Limited::new(body, limit).collect().await;
    let read =
        read.map_err(|_| (StatusCode::PAYLOAD_TOO_LARGE, "the request is too large or was cut off\n"))?;
    Ok(String::from_utf8_lossy(&read.to_bytes()).into_owned())
}
