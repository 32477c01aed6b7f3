//! Desktop services for the test: a bus with a portal that grants or declines shortcuts, and an X server.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use zbus::message::Header;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, connection, interface};

const DESKTOP: &str = "/org/freedesktop/portal/desktop";

type Options = HashMap<String, OwnedValue>;
type Calls = Arc<Mutex<Vec<String>>>;

/// A running program, which is ended when this value is dropped, and the first line of its output.
struct Server(Child, String);

impl Server {
    /// Starts a program; `None` if it is not installed.
    fn start(program: &str, arguments: &[&str]) -> Option<Self> {
        let mut command = Command::new(program);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else {
            println!("{program} is not installed: not tested");
            return None;
        };
        let mut line = String::new();
        let out: ChildStdout = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        Some(Self(child, line.trim().to_owned()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Calls `act` every 0.1 s until a process has ended; returns its exit status.
fn until_the_end_of(child: &mut Child, mut act: impl FnMut()) -> ExitStatus {
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        act();
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The answer of the portal to a request for a shortcut.
#[derive(Clone, Copy)]
pub(super) enum Answer {
    Grants,
    Declines,
}

/// A message bus with the portal.
pub(super) struct Bus {
    pub(super) address: String,
    calls: Calls,
    bound: Arc<Mutex<Option<OwnedObjectPath>>>,
    connection: Connection,
    _server: Server,
}

impl Bus {
    pub(super) fn start(answer: Answer) -> Option<Self> {
        let arguments = ["--session", "--nofork", "--nopidfile", "--print-address=1"];
        let server = Server::start("dbus-daemon", &arguments)?;
        let address = server.1.clone();
        let (calls, bound) = (Calls::default(), Arc::default());
        let registry = Registry::default();
        let registered = Arc::clone(&registry.0);
        let (heard, held) = (Arc::clone(&calls), Arc::clone(&bound));
        let portal = Portal { answer, registered, calls: heard, bound: held };
        let connection = pollster::block_on(async {
            let builder = connection::Builder::address(address.as_str())?;
            let builder = builder.name("org.freedesktop.portal.Desktop")?;
            builder.serve_at(DESKTOP, registry)?.serve_at(DESKTOP, portal)?.build().await
        });
        Some(Self { address, calls, bound, connection: connection.unwrap(), _server: server })
    }

    /// Returns the names of the calls that the portal has received so far.
    pub(super) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }

    /// Sends the signal that the shortcut was pressed, as long as a shortcut is bound, until a process has
    /// ended.
    pub(super) fn press_until_the_end_of(&self, child: &mut Child) -> ExitStatus {
        until_the_end_of(child, || {
            let Some(session) = self.bound.lock().unwrap().clone() else { return };
            let none: HashMap<&str, Value<'_>> = HashMap::new();
            let body = (session, "mark", 0_u64, none);
            let name = "org.freedesktop.portal.GlobalShortcuts";
            let sent = self.connection.emit_signal(None::<&str>, DESKTOP, name, "Activated", &body);
            pollster::block_on(sent).unwrap();
        })
    }
}

/// The callers that have registered the ID of their program.
#[derive(Default)]
struct Registry(Arc<Mutex<Vec<String>>>);

#[interface(name = "org.freedesktop.host.portal.Registry")]
impl Registry {
    fn register(&self, id: &str, _options: Options, #[zbus(header)] header: Header<'_>) {
        assert_eq!(id, "jitterscope");
        self.0.lock().unwrap().push(header.sender().unwrap().to_string());
    }
}

struct Portal {
    answer: Answer,
    registered: Arc<Mutex<Vec<String>>>,
    calls: Calls,
    bound: Arc<Mutex<Option<OwnedObjectPath>>>,
}

fn text(options: &Options, name: &str) -> String {
    options.get(name).map(|value| value.downcast_ref::<String>().unwrap()).unwrap_or_default()
}

/// Returns the path of the object of a request or session: `folder`, then the name of the caller, then its
/// token.
fn object(header: &Header<'_>, folder: &str, token: &str) -> OwnedObjectPath {
    let caller = header.sender().unwrap().trim_start_matches(':').replace('.', "_");
    ObjectPath::try_from(format!("{DESKTOP}/{folder}/{caller}/{token}")).unwrap().into()
}

async fn respond(
    connection: &Connection,
    request: &OwnedObjectPath,
    code: u32,
    results: HashMap<&str, Value<'_>>,
) {
    let name = "org.freedesktop.portal.Request";
    let body = (code, results);
    connection.emit_signal(None::<&str>, request, name, "Response", &body).await.unwrap();
}

#[interface(name = "org.freedesktop.portal.GlobalShortcuts")]
impl Portal {
    #[zbus(property, name = "version")]
    fn version(&self) -> u32 {
        1
    }

    async fn create_session(
        &self,
        options: Options,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> zbus::fdo::Result<OwnedObjectPath> {
        let caller = header.sender().unwrap().to_string();
        if !self.registered.lock().unwrap().contains(&caller) {
            return Err(zbus::fdo::Error::AccessDenied("An app id is required".to_owned()));
        }
        self.calls.lock().unwrap().push("create".to_owned());
        let session = object(&header, "session", &text(&options, "session_handle_token"));
        let served = Session { calls: Arc::clone(&self.calls), bound: Arc::clone(&self.bound) };
        connection.object_server().at(&session, served).await.unwrap();
        let request = object(&header, "request", &text(&options, "handle_token"));
        let results = HashMap::from([("session_handle", Value::from(session.as_str()))]);
        respond(connection, &request, 0, results).await;
        Ok(request)
    }

    async fn bind_shortcuts(
        &self,
        session: OwnedObjectPath,
        shortcuts: Vec<(String, Options)>,
        _parent_window: String,
        options: Options,
        #[zbus(header)] header: Header<'_>,
        #[zbus(connection)] connection: &Connection,
    ) -> OwnedObjectPath {
        let request = object(&header, "request", &text(&options, "handle_token"));
        let mut granted: Vec<(&str, HashMap<&str, Value<'_>>)> = Vec::new();
        for (id, shortcut) in &shortcuts {
            let keys = text(shortcut, "preferred_trigger");
            self.calls.lock().unwrap().push(format!("bind {id} {keys}"));
            let described = [("description", "A mark"), ("trigger_description", "Press Alt+X")];
            let described = described.into_iter().map(|(name, text)| (name, Value::from(text)));
            granted.push((id, described.collect()));
        }
        match self.answer {
            Answer::Grants => {
                let results = HashMap::from([("shortcuts", Value::from(granted))]);
                respond(connection, &request, 0, results).await;
                *self.bound.lock().unwrap() = Some(session);
            }
            Answer::Declines => respond(connection, &request, 1, HashMap::new()).await,
        }
        request
    }
}

struct Session {
    calls: Calls,
    bound: Arc<Mutex<Option<OwnedObjectPath>>>,
}

#[interface(name = "org.freedesktop.portal.Session")]
impl Session {
    fn close(&self) {
        *self.bound.lock().unwrap() = None;
        self.calls.lock().unwrap().push("close".to_owned());
    }
}

/// A virtual X server.
pub(super) struct Screen {
    pub(super) display: String,
    _server: Server,
}

impl Screen {
    pub(super) fn start() -> Option<Self> {
        let server = Server::start("Xvfb", &["-displayfd", "1", "-nolisten", "tcp"])?;
        Command::new("xdotool").arg("version").output().ok()?;
        Some(Self { display: format!(":{}", server.1), _server: server })
    }

    /// Presses the keys of the shortcut repeatedly until a process has ended.
    pub(super) fn press_until_the_end_of(&self, child: &mut Child) -> ExitStatus {
        until_the_end_of(child, || {
            let mut press = Command::new("xdotool");
            press.args(["key", "ctrl+alt+m"]).env("DISPLAY", &self.display);
            press.output().unwrap();
        })
    }
}
