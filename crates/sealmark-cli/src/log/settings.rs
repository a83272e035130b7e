//! The flags of `log seal`, completed by the configuration.

use super::args_seal::LogSeal;
use super::config::Config;
use super::pad::{Pad, Pads};
use super::selection::{self, Naming};
use crate::fault::Fault;
use sealmark_fields::{Fields, Selection};

/// The flags, the configuration, and the fields that either names.
pub struct Settings {
    pub args: LogSeal,
    config: Option<Config>,
    pub selection: Selection,
    pub pads: Pads,
}

impl Settings {
    pub fn naming(&self) -> Naming {
        if self.config.is_some() { Naming::Keys } else { Naming::Flags }
    }

    pub fn read(typed: &LogSeal) -> Result<Self, Fault> {
        let Some(path) = &typed.config else {
            let (selection, pads) = (selection::typed_fields(typed), pads(&typed.pad)?);
            return Ok(Self { args: typed.clone(), config: None, selection, pads });
        };
        let config = Config::read(path)?;
        let (args, selection) = (config.complete(typed.clone())?, config.selection()?);
        let pads = pads(&args.pad)?;
        Ok(Self { args, config: Some(config), selection, pads })
    }

    pub fn fields(&self) -> Result<Fields, Fault> {
        let fields = Fields::new(&self.selection);
        let fields = match &self.config {
            Some(config) => fields
                .map_err(|refused| config.refused(&refused))
                .inspect(|fields| config.warn_of_idle_keeps(fields)),
            None => fields.map_err(selection::fault).inspect(|_| selection::note(&self.selection)),
        }?;
        self.pads.check(&fields).map_err(|(what, known)| {
            let of_file = self.config.as_ref().and_then(|config| config.about_pad(&self.args.pad, &what));
            of_file.unwrap_or_else(|| Fault::usage(what)).hint(format!("the labels are {known}"))
        })?;
        Ok(fields)
    }
}

fn pads(typed: &[Pad]) -> Result<Pads, Fault> {
    Pads::new(typed).map_err(|what| Fault::usage(what).hint("give one number of bytes for each"))
}
