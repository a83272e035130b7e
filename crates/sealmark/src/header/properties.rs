//! Malleability: there is one way to write a header, so whatever parses is written back to the same bytes.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use zeroize::Zeroizing;

/// Bytes that mean something in a header come more often than others.
const TELLING: &[u8] = b"\n\n\n \r\t->=AB/+\0\x7f\xff";

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_blow_leaves_a_header_as_written_or_none(
        stanzas in vec(stanza(), 1..4),
        content in prop_oneof![Just(Content::File), Just(Content::Archive)],
        signed in any::<bool>(),
        blows in vec((any::<prop::sample::Index>(), blow()), 0..3),
    ) {
        let mut text = Header::write(&file_key(), &stanzas, content, signed);
        let whole = text.clone();
        blows.iter().for_each(|(at, blow)| blow.strike(&mut text, *at));
        let mut input = &text[..];
        match Header::read(&mut input) {
            Ok(header) => {
                let length = text.len() - input.len();
                prop_assert_eq!(rewritten(&header).into_bytes(), &text[..length]);
                prop_assert_eq!(header.len() as usize, length);
                // The payload begins after the header's last line.
                prop_assert_eq!(header.verify(&file_key()).is_ok(), text[..length] == whole);
            }
            Err(error) => prop_assert!(matches!(error, Error::Malformed(_)), "{:?}", error),
        }
    }

    #[test]
    fn anything_at_all_is_refused_or_written_back(
        lines in vec(
            prop_oneof![Just("-> a b".to_owned()), Just("AAAA".to_owned()), "[-> A-B/+=]{0,70}", "[A ]{1,9}\r"],
            0..6,
        ),
        mac in "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]",
    ) {
        let text = format!("sealmark/1\n-> a\n\n{}\n--- {mac}\n", lines.join("\n"));
        if let Ok(header) = Header::read(&mut text.as_bytes()) {
            prop_assert_eq!(rewritten(&header), text);
        }
    }
}

/// One alteration of a text.
#[derive(Debug, Clone)]
enum Blow {
    Replace(u8),
    Insert(u8),
    Remove,
    Repeat(usize),
    /// Before a line feed, where readers like to trim.
    EndLine(u8),
}

impl Blow {
    fn strike(&self, text: &mut Vec<u8>, at: prop::sample::Index) {
        let at = at.index(text.len());
        match *self {
            Self::Replace(byte) => text[at] = byte,
            Self::Insert(byte) => text.insert(at, byte),
            Self::Remove => drop(text.remove(at)),
            Self::EndLine(byte) => {
                let rest = text[at..].iter().position(|found| *found == b'\n');
                text.insert(at + rest.unwrap_or_default(), byte);
            }
            Self::Repeat(length) => {
                let piece = text[at..text.len().min(at + length)].to_vec();
                text.splice(at..at, piece);
            }
        }
    }
}

fn blow() -> impl Strategy<Value = Blow> {
    let byte = prop_oneof![prop::sample::select(TELLING), any::<u8>()].boxed();
    prop_oneof![
        byte.clone().prop_map(Blow::Replace),
        byte.clone().prop_map(Blow::Insert),
        byte.prop_map(Blow::EndLine),
        Just(Blow::Remove),
        (1usize..80).prop_map(Blow::Repeat),
    ]
}

fn stanza() -> impl Strategy<Value = Stanza> {
    ("[!-~]{1,9}", vec("[!-~]{1,20}", 0..3), vec(any::<u8>(), 0..100)).prop_map(|(kind, args, body)| Stanza {
        kind,
        args,
        body,
    })
}

fn file_key() -> FileKey {
    FileKey::from_bytes(Format::Sealmark, Zeroizing::new(vec![7; 32])).unwrap()
}

/// Writes the header like [`Header::write`], with the MAC that was read.
fn rewritten(header: &Header) -> String {
    let mut text = format!("{}\n", header.format);
    header.stanzas.iter().for_each(|stanza| text += &stanza.to_string());
    text += match (header.content, header.signed) {
        (Content::File, false) => "",
        (Content::File, true) => "-> content signed\n\n",
        (Content::Archive, false) => "-> content tar\n\n",
        (Content::Archive, true) => "-> content tar signed\n\n",
    };
    format!("{text}--- {}\n", encode(&header.mac))
}
