//! Folders: what is read from one, what of an archive is wanted, and where it is put.

mod attributes;
pub mod extract;
mod links;
mod load;
mod loaded;
mod note;
mod pieces;
pub mod place;
pub mod seal;
pub mod select;
pub mod show;
mod walk;
