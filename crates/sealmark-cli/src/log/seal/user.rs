//! From root to somebody else, for good.

use crate::fault::Fault;
use nix::unistd::{self, Gid, Group, Uid, User};
use std::ffi::CString;
use std::fs::File;
use std::os::unix::fs::fchown;

/// Whom to become.
#[derive(Debug)]
pub struct Account {
    typed: String,
    /// For the list of further groups.
    name: Option<CString>,
    user: Uid,
    group: Gid,
}

impl Account {
    /// `NAME`, `UID`, either with `:GROUP`.
    pub fn named(typed: &str) -> Result<Self, Fault> {
        let (user, group) = match typed.split_once(':') {
            Some((user, group)) => (user, Some(group)),
            None => (typed, None),
        };
        let known = match user.parse() {
            Ok(number) => User::from_uid(Uid::from_raw(number)),
            Err(_) => User::from_name(user),
        };
        let known = known.map_err(failed)?;
        let uid = known.as_ref().map(|known| known.uid).or(user.parse().ok().map(Uid::from_raw));
        let uid = uid.ok_or_else(|| {
            Fault::usage(format!("there is no user {user:?}")).hint("create it, or pass another --user")
        })?;
        let gid = group.map(group_id).transpose()?.or(known.as_ref().map(|known| known.gid));
        let gid = gid.ok_or_else(|| {
            Fault::usage(format!("user {user} has no group")).hint(format!("name one: --user {user}:GROUP"))
        })?;
        let name = known.and_then(|known| CString::new(known.name).ok());
        Ok(Self { typed: typed.to_owned(), name, user: uid, group: gid })
    }

    /// True where we are somebody else now.
    pub fn is_change(&self) -> bool {
        self.user != unistd::geteuid() || self.group != unistd::getegid()
    }

    pub fn id(&self) -> u32 {
        self.user.as_raw()
    }

    /// Makes a file theirs, so that they can open it again.
    pub fn give(&self, file: &File) -> Result<(), Fault> {
        Ok(fchown(file, Some(self.user.as_raw()), Some(self.group.as_raw()))?)
    }

    /// Becomes them, and makes sure that there is no way back.
    pub fn become_it(&self) -> Result<(), Fault> {
        if !self.is_change() {
            return Ok(());
        }
        if !unistd::geteuid().is_root() {
            return Err(Fault::usage(format!("only root can switch to user {}", self.typed))
                .hint("leave out --user, or start it as root"));
        }
        match &self.name {
            Some(name) => unistd::initgroups(name, self.group).map_err(failed)?,
            None => unistd::setgroups(&[self.group]).map_err(failed)?,
        }
        unistd::setresgid(self.group, self.group, self.group).map_err(failed)?;
        unistd::setresuid(self.user, self.user, self.user).map_err(failed)?;
        if !self.user.is_root() && unistd::setuid(Uid::from_raw(0)).is_ok() {
            Err(Fault::io(format!(
                "cannot give up root: after switching to {}, the program could become root again",
                self.typed
            ))
            .hint("start the program as that user"))
        } else {
            Ok(())
        }
    }
}

fn group_id(typed: &str) -> Result<Gid, Fault> {
    if let Ok(number) = typed.parse() {
        return Ok(Gid::from_raw(number));
    }
    let known = Group::from_name(typed).map_err(failed)?;
    known.map(|known| known.gid).ok_or_else(|| {
        Fault::usage(format!("there is no group {typed:?}"))
            .hint("create it, or pass another --user USER:GROUP")
    })
}

fn failed(error: nix::errno::Errno) -> Fault {
    Fault::from(std::io::Error::from(error))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failed step is a failed test")]
    use super::*;

    #[test]
    fn users_and_groups_have_names_and_numbers() {
        let ids =
            |typed: &str| Account::named(typed).map(|found| (found.user.as_raw(), found.group.as_raw()));
        assert_eq!(ids("root").unwrap(), (0, 0));
        assert_eq!(ids("0:7").unwrap(), (0, 7));
        assert_eq!(ids("4242424:root").unwrap(), (4_242_424, 0));
        for unknown in ["no such user", "root:no such group", "4242424", ":"] {
            assert!(ids(unknown).is_err(), "{unknown}");
        }
    }
}
