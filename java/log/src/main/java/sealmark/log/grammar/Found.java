package sealmark.log.grammar;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Optional;
import sealmark.log.wrap.Base64Url;

/** Something in a text that the grammar knows; {@code end} is behind its last tilde. */
public abstract class Found {
    public final byte[] text;
    public final int start;
    public final int end;
    /** The session that it names: 16 characters. */
    public final String session;
    public final int bodyStart;

    private Found(byte[] text, int start, int session, int bodyStart, int end) {
        this.text = text;
        this.start = start;
        this.session = new String(text, session, Grammar.ID, ISO_8859_1);
        this.bodyStart = bodyStart;
        this.end = end;
    }

    /** The bytes that the body stands for; empty where it is no canonical base64url. */
    public Optional<byte[]> body() {
        return Base64Url.decode(text, bodyStart, end - 1);
    }

    /** Everything before the body, which is authenticated with it. */
    public int headLength() {
        return bodyStart - start;
    }

    /** A sealed value. */
    public static final class Token extends Found {
        /** The plaintext is the value and its padding. */
        public final boolean isPadded;
        /** The value is one JSON text. */
        public final boolean isJson;

        Token(byte[] text, int start, int session, int bodyStart, int end) {
            super(text, start, session, bodyStart, end);
            byte suite = text[start + Grammar.SUITE];
            isPadded = suite == 'p' || suite == 'q';
            isJson = suite == 'j' || suite == 'q';
        }

        /** The name of the value, in the clear. */
        public String label() {
            int from = start + Grammar.HEAD;
            return new String(text, from, bodyStart - Grammar.ID - 2 - from, ISO_8859_1);
        }
    }

    /** One of the pieces that a header is cut into. */
    public static final class Part extends Found {
        /** That of the header. */
        public final String digest;
        /** Which piece, from 1. */
        public final int number;
        /** How many there are. */
        public final int of;

        Part(byte[] text, int start, int session, int digest, int bodyStart, int end, int number, int of) {
            super(text, start, session, bodyStart, end);
            this.digest = new String(text, digest, Grammar.DIGEST, ISO_8859_1);
            this.number = number;
            this.of = of;
        }
    }

    /** Says which values a session sealed. */
    public static final class Closing extends Found {
        Closing(byte[] text, int start, int session, int bodyStart, int end) {
            super(text, start, session, bodyStart, end);
        }
    }

    /** Something whose session can be read, and whose rest is none; ends behind the tilde behind the session. */
    public static final class CutOff extends Found {
        public final boolean isToken;

        CutOff(byte[] text, int start, int session, int end) {
            super(text, start, session, end, end);
            isToken = text[start + Grammar.SUITE] != 'h' && text[start + Grammar.SUITE] != 'z';
        }
    }
}
