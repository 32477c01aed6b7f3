//! Administrator rights through the real pkexec: a system bus, polkitd, and the policy of the package, in a
//! separate mount namespace.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use jitterscope_engine::store;

use super::administrator::{check_rights, is_root};
use super::cli::{SHORT, install, program};

const BUS: &str = "/usr/bin/dbus-daemon";
const POLKITD: &str = "/usr/lib/polkit-1/polkitd";
const PKEXEC: &str = "/usr/bin/pkexec";
/// A polkit rule that permits the user `nobody` the only action of the policy.
const RULE: &str = r#"polkit.addRule(function(action, subject) {
    if (action.id == "org.jitterscope.Jitterscope.measure" && subject.user == "nobody") return polkit.Result.YES;
});"#;
/// A script that sets up the program, the bus, and polkitd, and then runs a command. Its mounts are visible
/// only to the script and its child processes. The first two arguments are a folder and the polkit rule.
const WORLD: &str = r#"
folder=$0; rule=$1; shift
mount --make-rprivate / && mount -t tmpfs -o mode=755 none "$folder/bin" && mkdir "$folder/bin/new" "$folder/bin/work" &&
mount -t overlay -o "lowerdir=/usr/bin,upperdir=$folder/bin/new,workdir=$folder/bin/work" none /usr/bin &&
cp "$folder/program" /usr/bin/jitterscope-cli && chmod 755 /usr/bin/jitterscope-cli && mkdir -p /run/dbus &&
for place in /run/dbus /usr/share/polkit-1/actions /etc/polkit-1/rules.d; do mount -t tmpfs -o mode=755 none "$place"; done &&
cp "$folder/policy" /usr/share/polkit-1/actions/org.jitterscope.Jitterscope.policy &&
printf '%s\n' "$rule" > /etc/polkit-1/rules.d/10-test.rules || exit 70
dbus-daemon --system --nofork --nopidfile --nosyslog 2>/dev/null & bus=$!
until dbus-send --system --dest=org.freedesktop.DBus --print-reply / org.freedesktop.DBus.ListNames >/dev/null 2>&1; do
  kill -0 $bus || exit 71
done
/usr/lib/polkit-1/polkitd --no-debug >/dev/null 2>&1 & polkitd=$!
until dbus-send --system --dest=org.freedesktop.DBus --print-reply / org.freedesktop.DBus.GetNameOwner \
  string:org.freedesktop.PolicyKit1 >/dev/null 2>&1; do kill -0 $polkitd || exit 72; done
setsid setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; code=$?
kill $polkitd $bus; wait; exit $code
"#;

/// Returns whether polkit is installed and this process has the rights to run a second instance of it.
fn has_polkit() -> bool {
    let has_all = [BUS, POLKITD, PKEXEC].iter().all(|path| Path::new(path).is_file());
    if !has_all {
        println!("skipped: dbus, polkitd, or pkexec is not installed");
    }
    has_all && is_root()
}

/// Creates a folder with the program, the policy, and a folder in which the user `nobody` can save runs.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    install(&program(), &path("program"));
    let policy = crate::tidy::root().join("packaging/linux/jitterscope.policy");
    fs::copy(policy, path("policy")).unwrap();
    for name in ["bin", "runs"] {
        fs::create_dir(path(name)).unwrap();
    }
    std::os::unix::fs::chown(path("runs"), Some(65_534), Some(65_534)).unwrap();
    folder
}

/// Runs a command as the user `nobody` under this polkit rule.
fn as_nobody(folder: &tempfile::TempDir, rule: &str, command: &[&str]) -> Output {
    let mut world = Command::new("unshare");
    world.args(["-m", "--", "/bin/sh", "-c", WORLD]).arg(folder.path()).arg(rule).args(command);
    world.env("HOME", folder.path().join("runs")).env("SHELL", "/bin/sh");
    world.output().unwrap()
}

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn nobody_measures_with_rights_through_a_rule_of_polkit() {
    if !has_polkit() {
        return;
    }
    let folder = folder();
    let runs = folder.path().join("runs");
    let command = ["/usr/bin/jitterscope-cli", "--data-dir", runs.to_str().unwrap()];
    let options =
        ["--administrator", "--priority", "fifo:20", "--no-deep-idle", "--load-threads=0"];
    let command = [&command[..], &SHORT[..], &options[..]].concat();
    let denied = as_nobody(&folder, "", &command);
    let expected = "error: administrator rights were not granted: nothing here can ask for the password; run this \
                    in a terminal or a desktop session, or set another command, such as sudo\n";
    assert_eq!((denied.status.code(), error(&denied).as_str()), (Some(1), expected));
    assert_eq!(fs::read_dir(&runs).unwrap().count(), 0);
    let output = as_nobody(&folder, RULE, &command);
    assert_eq!(output.status.code(), Some(0), "{}", error(&output));
    let mut files = fs::read_dir(&runs).unwrap().map(|file| file.unwrap().path());
    let saved = files.find(|path| path.to_string_lossy().ends_with(store::EXTENSION)).unwrap();
    check_rights(&store::load(&saved).unwrap());
}

#[test]
fn a_rule_of_polkit_permits_the_agent_and_nothing_else() {
    if !has_polkit() {
        return;
    }
    let folder = folder();
    let agent = "/usr/bin/jitterscope-cli";
    let copy = folder.path().join("program");
    for (command, is_permitted) in [
        (&["pkexec", agent, "agent"][..], true),
        (&["pkexec", agent, "runs", "list"], false),
        (&["pkexec", agent], false),
        (&["pkexec", "/usr/bin/id"], false),
        (&["pkexec", copy.to_str().unwrap(), "agent"], false),
    ] {
        let output = as_nobody(&folder, RULE, command);
        assert_eq!(output.status.success(), is_permitted, "{command:?}: {}", error(&output));
    }
}
