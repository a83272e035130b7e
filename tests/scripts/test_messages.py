"""The list of every message equals the sources, so that nobody adds one unread."""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import messages  # noqa: E402


class Messages(unittest.TestCase):
    maxDiff = None

    def test_the_list_is_that_of_the_sources(self):
        listed, now = messages.GOLDEN.read_text().splitlines(), messages.listing().splitlines()
        self.assertGreater(len(now), 1000)
        new = [line for line in now if line not in set(listed)]
        gone = [line for line in listed if line not in set(now)]
        self.assertEqual((new, gone, now == listed), ([], [], True), "run python3 scripts/messages.py, and read its changes")

    def test_a_message_is_found_wherever_it_is_made(self):
        found = messages.messages('''
            /// "not a message at all"
            #[error("no key fits {0}")]
            #[expect(dead_code, reason = "no user reads this")]
            fn why(c: char) -> &'static str { if c == '"' { "the quote is open" } else { "fine" } }
            let _ = Fault::usage("closed").hint(format!("write \\
                to {path:?}"));
            let r = r#"two "words" here"#; // "a comment's words"
            value.expect("a bug of ours");
            #[cfg(test)]
            mod tests { const T: &str = "words of a test"; }
        ''')
        wanted = ["no key fits {0}", "the quote is open", "closed", "write to {path:?}", 'two "words" here']
        self.assertEqual(found, wanted)

    def test_pieces_of_one_java_message_are_joined(self):
        found = messages.messages('throw new IOException("file " + name + " is\\n" + "hint: gone", cause); a("one", "two words");')
        self.assertEqual(found, ["file {} is\\nhint: gone", "two words"])


if __name__ == "__main__":
    unittest.main()
