package sealmark.lab.engine;

import java.util.function.UnaryOperator;
import org.apache.commons.codec.binary.Base64;

/** Apache Commons Codec: no public way into a buffer of the caller's, so {@code tuned} reuses the instance alone. */
final class CommonsCodec extends Codec {
    private static final int LINE = 76;
    private static final byte[] CRLF = {'\r', '\n'};

    @Override
    public String version() {
        return version(Base64.class);
    }

    @Override
    Work asWritten(String algorithm) throws Trouble {
        UnaryOperator<byte[]> encode = encode(algorithm);
        return work(code(algorithm), new EncodeAsWritten(encode, left(algorithm)), new DecodeAsWritten());
    }

    /** The static methods that most code calls; each makes an instance. */
    private static UnaryOperator<byte[]> encode(String algorithm) throws Trouble {
        switch (algorithm) {
            case "base64":
                return Base64::encodeBase64;
            case "base64url":
                return Base64::encodeBase64URLSafe;
            case "base64-mime":
                return Base64::encodeBase64Chunked;
            default:
                throw unknown(algorithm);
        }
    }

    @Override
    Work tuned(String algorithm) throws Trouble {
        Base64 codec = codec(algorithm);
        return work(code(algorithm), new EncodeTuned(codec, left(algorithm)), new DecodeTuned(codec));
    }

    private static Base64 codec(String algorithm) throws Trouble {
        switch (algorithm) {
            case "base64":
                return Base64.builder().setLineLength(0).get();
            case "base64url":
                return Base64.builder().setLineLength(0).setUrlSafe(true).get();
            case "base64-mime":
                return Base64.builder().setLineLength(LINE).setLineSeparator(CRLF).get();
            default:
                throw unknown(algorithm);
        }
    }

    private String code(String algorithm) {
        return "org.apache.commons.codec.binary.Base64 " + version()
                + (left(algorithm) == 0 ? "" : ", the CR LF it writes after the last line left off");
    }

    /** Bytes at the end that RFC 2045's last line has not, and that cost no copy to leave off. */
    private static int left(String algorithm) {
        return algorithm.equals("base64-mime") ? CRLF.length : 0;
    }

    private static final class EncodeAsWritten extends Operation {
        private final UnaryOperator<byte[]> encode;
        private final int left;

        EncodeAsWritten(UnaryOperator<byte[]> encode, int left) {
            this.encode = encode;
            this.left = left;
        }

        @Override
        void once(long number) {
            keep(encode.apply(input));
        }

        @Override
        void end() {
            length = Math.max(0, length - left);
        }
    }

    private static final class DecodeAsWritten extends Operation {
        @Override
        void once(long number) {
            keep(Base64.decodeBase64(input));
        }
    }

    private static final class EncodeTuned extends Operation {
        private final Base64 codec;
        private final int left;

        EncodeTuned(Base64 codec, int left) {
            this.codec = codec;
            this.left = left;
        }

        @Override
        void once(long number) {
            keep(codec.encode(input));
        }

        @Override
        void end() {
            length = Math.max(0, length - left);
        }
    }

    private static final class DecodeTuned extends Operation {
        private final Base64 codec;

        DecodeTuned(Base64 codec) {
            this.codec = codec;
        }

        @Override
        void once(long number) {
            keep(codec.decode(input));
        }
    }
}
