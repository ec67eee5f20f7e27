//! The site's requests over HTTP: poll, start a match, abort a match.

use crate::address::Address;
use crate::reply::{self, Reply};
use otrera_front::session::in_one_line;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;
use ureq::http::Response;
use ureq::{Agent, Body, Error};

/// Maximum size of an answer of the site, in bytes.
const MAX_BYTES: u64 = 4 << 20;

/// Maximum time for an answer to other requests than polls.
const SHORT: Duration = Duration::from_secs(30);

/// Reason why a request failed. No text contains the address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequestError {
    /// The site was not reached, so that it does not know of the request.
    NotReached(String),
    /// The site may know of the request: the answer is missing, unusable or a server error.
    Unclear(String),
    /// The site refuses the request: HTTP status 4xx, or an answer in words.
    Refused(String),
}

impl RequestError {
    /// Returns the reason, for people.
    pub fn reason(&self) -> &str {
        let (Self::NotReached(reason) | Self::Unclear(reason) | Self::Refused(reason)) = self;
        reason
    }
}

/// The site's interface for one user.
#[derive(Clone)]
pub struct Site {
    agent: Agent,
    address: Arc<Address>,
    poll_time: Duration,
}

impl Site {
    /// Creates the interface. A poll that the site holds longer than `poll_time` fails.
    pub fn new(address: Arc<Address>, poll_time: Duration) -> Self {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect would send the secret elsewhere.
            .max_redirects(0)
            .max_redirects_will_error(false)
            // The site may close a connection that waits; a request on such a connection fails.
            .max_idle_connections(0)
            .timeout_connect(Some(SHORT.min(poll_time)))
            .user_agent(concat!("otrera-local/", env!("CARGO_PKG_VERSION")));
        if address.is_on_this_machine() {
            config = config.proxy(None);
        }
        Self { agent: config.build().into(), address, poll_time }
    }

    /// Returns the name of the site.
    pub fn host(&self) -> &str {
        self.address.host()
    }

    /// Sends answers, as pairs of match and move, and waits for the next requests and results.
    pub fn poll(&self, answers: &[(String, String)]) -> Result<Reply, RequestError> {
        let headers = answers.iter().map(|(name, answer)| (format!("X-Match-{name}"), answer.clone()));
        let (text, is_whole) = self.get("localai", headers.collect(), self.poll_time)?;
        let reply = Reply::parse(&text, is_whole);
        reply.ok_or_else(|| RequestError::Unclear("the answer does not have the documented form".into()))
    }

    /// Starts a match against a bot; returns its name. `seconds` is the time limit for each move.
    pub fn start(&self, bot: &str, as_white: bool, seconds: u64) -> Result<String, RequestError> {
        let players = if as_white { [bot, "me"] } else { ["me", bot] };
        let headers = [
            ("X-Game", "Amazons"),
            ("X-Player-0", players[0]),
            ("X-Player-1", players[1]),
            ("X-Initdata", ""),
            ("X-UseSimpleIO", "true"),
            ("X-Timelimit", &seconds.to_string()),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let (text, is_whole) = self.get("runmatch", headers.into(), SHORT)?;
        if !is_whole {
            return Err(RequestError::Unclear("the connection broke during the answer".into()));
        }
        reply::name(&text).ok_or_else(|| RequestError::Refused(first_line(&text, &self.address)))
    }

    /// Aborts a match.
    pub fn abort(&self, name: &str) -> Result<(), RequestError> {
        let headers = vec![("X-Matchid".to_owned(), name.to_owned())];
        self.get("abortmatch", headers, SHORT).map(|_| ())
    }

    /// Sends a request; returns the text of the answer, and false if the connection broke before its end.
    fn get(
        &self,
        name: &str,
        headers: Vec<(String, String)>,
        time: Duration,
    ) -> Result<(String, bool), RequestError> {
        let mut request = self.agent.get(self.address.of_request(name));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let response = request.config().timeout_global(Some(time)).build().call();
        text_of(response.map_err(|error| failure(&error))?, &self.address)
    }
}

/// Reads the text of an answer, and returns false with it if the connection broke before its end.
fn text_of(response: Response<Body>, address: &Address) -> Result<(String, bool), RequestError> {
    let status = response.status().as_u16();
    let mut bytes = Vec::new();
    let read = response.into_body().into_reader().take(MAX_BYTES + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > MAX_BYTES {
        return Err(RequestError::Unclear(format!("the answer is larger than {} MB", MAX_BYTES >> 20)));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match status {
        200..=299 => Ok((text, read.is_ok())),
        // Too many requests, or a request that came too slowly.
        408 | 425 | 429 => Err(RequestError::Unclear(format!("the site answers with status {status}"))),
        400..=499 => Err(RequestError::Refused(format!("status {status}: {}", first_line(&text, address)))),
        _ => Err(RequestError::Unclear(format!("the site answers with status {status}"))),
    }
}

/// Returns the first line of an answer that is not HTML, cut to 200 characters. An error of the site can repeat the
/// address, whose secret is hidden.
fn first_line(text: &str, address: &Address) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("an empty answer");
    let line = if line.trim_start().starts_with('<') { "a web page" } else { line };
    in_one_line(&address.hide(line))
}

/// Describes an error. The texts of the library can contain the address and are not used.
fn failure(error: &Error) -> RequestError {
    let not_reached = |text: &str| RequestError::NotReached(text.into());
    let unknown = || not_reached("the site's name is unknown; is this machine online?");
    match error {
        Error::HostNotFound => unknown(),
        Error::Tls(_) | Error::Rustls(_) => not_reached("no secure connection (TLS)"),
        Error::ConnectionFailed => not_reached("no connection"),
        Error::InvalidProxyUrl | Error::ConnectProxyFailed(_) => not_reached("the proxy does not work"),
        Error::Timeout(ureq::Timeout::Resolve | ureq::Timeout::Connect) => {
            not_reached("no connection in time")
        }
        Error::Timeout(_) => RequestError::Unclear("no answer in time".into()),
        Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            not_reached("the connection is refused")
        }
        // So the library reports a certificate that is not accepted.
        Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            not_reached("no secure connection (TLS): the certificate is not accepted")
        }
        // The standard library gives a failed look-up of a name no kind.
        Error::Io(error) if error.to_string().starts_with("failed to lookup address information") => {
            unknown()
        }
        Error::Io(error) => RequestError::Unclear(format!("the connection broke ({})", error.kind())),
        _ => RequestError::Unclear("the connection broke (HTTP)".into()),
    }
}
