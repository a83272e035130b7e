package sealmark.lab.engine;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.SessionLines;
import sealmark.log.Shape;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.reader.LogOpener;

/** This project's library for logs: tokens of one session, which all threads share. It needs Java 17. */
final class SealmarkLog implements Library {
    private static final Label LABEL = Label.of("value");

    /** More than cores; one for each of thousands of threads would take gigabytes. */
    private static final int OPENERS = 16;

    private final PreSharedKey key = PreSharedKey.generate();
    private final LogSealer.Engine engine;
    private final Tokens[] tokens = new Tokens[OPENERS];

    private SealmarkLog(LogSealer.Engine engine) {
        this.engine = engine;
        for (int number = 0; number < OPENERS; number++) {
            tokens[number] = new Tokens(key);
        }
    }

    static Library overJni() {
        return new SealmarkLog(LogSealer.Engine.NATIVE);
    }

    static Library inPureJava() {
        return new SealmarkLog(LogSealer.Engine.PURE_JAVA);
    }

    @Override
    public String version() {
        return Codec.versionOfJar(LogSealer.class);
    }

    @Override
    public Work prepare(Job job) throws Trouble {
        throw Trouble.unsupported("the library for logs does job \"record\" alone");
    }

    @Override
    public RecordWay prepare(RecordJob job) throws Trouble {
        switch (job.algorithm) {
            case "token":
                LogSealer strings = sealer();
                return RecordWay.ofStrings(true, code(strings), number -> new Strings(strings, tokens[number % OPENERS]));
            case "token-bytes":
                LogSealer bytes = sealer();
                return RecordWay.ofBytes(true, code(bytes), number -> new Bytes(bytes, tokens[number % OPENERS]));
            default:
                throw Trouble.unsupported("the library for logs makes no \"" + job.algorithm + "\"");
        }
    }

    private LogSealer sealer() throws Trouble {
        try {
            return LogSealer.builder().preSharedKey(key).engine(engine).build();
        } catch (IllegalStateException error) {
            throw Trouble.unsupported(error.getMessage());
        }
    }

    private String code(LogSealer sealer) {
        return "sealmark-log " + version() + ", " + sealer.engine();
    }

    /** Calls the library as libraries that write logs do. */
    private static final class Strings implements StringSealer {
        private final LogSealer sealer;
        private final Tokens tokens;

        Strings(LogSealer sealer, Tokens tokens) {
            this.sealer = sealer;
            this.tokens = tokens;
        }

        @Override
        public String seal(String value) {
            return sealer.seal(LABEL, value);
        }

        @Override
        public String open(String text) throws Trouble {
            return new String(tokens.open(text), StandardCharsets.UTF_8);
        }
    }

    private static final class Bytes implements BytesSealer {
        private final LogSealer sealer;
        private final Tokens tokens;

        Bytes(LogSealer sealer, Tokens tokens) {
            this.sealer = sealer;
            this.tokens = tokens;
        }

        @Override
        public int longest(int bytes) {
            return sealer.tokenLength(LABEL, bytes);
        }

        @Override
        public int seal(byte[] value, byte[] text) {
            return sealer.seal(LABEL, value, 0, value.length, text, 0);
        }

        @Override
        public int open(byte[] text, byte[] value) throws Trouble {
            byte[] opened = tokens.open(new String(text, StandardCharsets.ISO_8859_1));
            System.arraycopy(opened, 0, value, 0, opened.length);
            return opened.length;
        }
    }

    /** Opens tokens for some of the threads, one after the other. */
    private static final class Tokens {
        private final LogOpener opener;

        Tokens(PreSharedKey key) {
            opener = LogOpener.builder().preSharedKey(key).build();
        }

        byte[] open(String token) throws Trouble {
            Optional<byte[]> value = opener.openToken(token);
            if (!value.isPresent() && opener.learn(header(token)) > 0) {
                value = opener.openToken(token);
            }
            return value.orElseThrow(() -> Trouble.refused("the token does not open"));
        }

        /** The header of the token's session, as far as this process knows it. */
        private static byte[] header(String token) {
            String lines = new SessionLines(Shape.PLAIN).before(token);
            return lines.getBytes(StandardCharsets.ISO_8859_1);
        }
    }
}
