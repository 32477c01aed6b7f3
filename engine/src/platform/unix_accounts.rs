//! The accounts of the user who runs this process: with `sudo`, also the account that logged in.

use nix::unistd::{Uid, User};

use super::Account;

/// Reads the accounts of the real user and the effective user of this process, and of the user who logged in.
pub fn accounts() -> Vec<Account> {
    let login = std::fs::read_to_string("/proc/self/loginuid").ok();
    let login = login.and_then(|uid| uid.trim().parse().ok()).filter(|uid| *uid != u32::MAX);
    let mut users = vec![Uid::current()];
    for uid in [Some(Uid::effective()), login.map(Uid::from_raw)].into_iter().flatten() {
        if !users.contains(&uid) {
            users.push(uid);
        }
    }
    users.into_iter().filter_map(|uid| User::from_uid(uid).ok().flatten()).map(account).collect()
}

fn account(user: User) -> Account {
    // The field `gecos` begins with the full name of the user; a comma and a room or a telephone number may follow.
    let person = user.gecos.to_string_lossy().split(',').next().map(|name| name.trim().to_owned());
    let names = std::iter::once(user.name).chain(person).filter(|name| !name.is_empty());
    Account { names: names.collect(), home: user.dir.to_string_lossy().into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_account_of_this_process_is_read_from_the_system() {
        let found = accounts();
        let own = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let uid = Uid::current().to_string();
        let line = own.lines().find(|line| line.split(':').nth(2) == Some(uid.as_str()));
        let Some(line) = line else {
            println!("skipped: the account of this process is in no file");
            return;
        };
        let fields: Vec<&str> = line.split(':').collect();
        assert_eq!(found[0].names[0], fields[0]);
        assert_eq!(found[0].home, fields[5]);
    }
}
