//! Which fields of a line are to be sealed, as they were typed.

use super::args_seal::LogSeal;
use crate::fault::Fault;
use crate::say;
use sealmark_fields::{Fields, Refused, Selection};

pub fn fields(args: &LogSeal) -> Result<Fields, Fault> {
    let selection = Selection {
        json: args.json.clone(),
        logfmt: args.logfmt.clone(),
        ltsv: args.ltsv.clone(),
        query: args.query.clone(),
        headers: args.headers.clone(),
        patterns: args.patterns.clone(),
        dropped: args.dropped.clone(),
    };
    let fields = Fields::new(&selection).map_err(fault)?;
    for name in selection.dropped_as_parameters() {
        say::note(&format!(
            "--drop {name} takes out query parameters of that name; a further field in quotes is NAME=N"
        ));
    }
    Ok(fields)
}

fn fault(refused: Refused) -> Fault {
    let fault = Fault::usage(refused.to_string());
    match refused {
        Refused::Label(error) => error.into(),
        Refused::Empty => {
            fault.hint("name one with --json, --logfmt, --ltsv, --query, --header or --regex, or try --help")
        }
        Refused::Mixed(..) => fault.hint("seal one kind of lines at a time; all but JSON go with --regex"),
        Refused::DropAlone => {
            fault.hint("name a field to seal as well, with --json, --logfmt, --ltsv, --query or --header")
        }
        Refused::Name(..) => fault.hint("no field is found by such a name, and its values would stay in clear"),
        Refused::Header(_) => fault.hint(
            "name client, user, request, Referer, User-Agent or X-Forwarded-For, or NAME=N for the N-th field in \
             quotes behind the size",
        ),
        Refused::Pattern(_) => fault.hint(
            "the syntax is that of https://docs.rs/regex; it has no look-around and no back-references",
        ),
    }
}
