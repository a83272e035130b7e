package sealmark.lab.engine;

import java.util.Base64;
import java.util.function.Supplier;

/** {@link java.util.Base64}. */
final class JavaBase64 extends Codec {
    @Override
    public String version() {
        return "java.util.Base64";
    }

    @Override
    Work asWritten(String algorithm) throws Trouble {
        return work("java.util.Base64", new EncodeAsWritten(encoder(algorithm)), new DecodeAsWritten(decoder(algorithm)));
    }

    @Override
    Work tuned(String algorithm) throws Trouble {
        return work("java.util.Base64 into one buffer",
                new EncodeTuned(encoder(algorithm)), new DecodeTuned(decoder(algorithm)));
    }

    static Supplier<Base64.Encoder> encoder(String algorithm) throws Trouble {
        switch (algorithm) {
            case "base64":
                return Base64::getEncoder;
            case "base64url":
                return () -> Base64.getUrlEncoder().withoutPadding();
            case "base64-mime":
                return Base64::getMimeEncoder;
            default:
                throw unknown(algorithm);
        }
    }

    static Supplier<Base64.Decoder> decoder(String algorithm) throws Trouble {
        switch (algorithm) {
            case "base64":
                return Base64::getDecoder;
            case "base64url":
                return Base64::getUrlDecoder;
            case "base64-mime":
                return Base64::getMimeDecoder;
            default:
                throw unknown(algorithm);
        }
    }

    static final class EncodeAsWritten extends Operation {
        private final Supplier<Base64.Encoder> encoder;

        EncodeAsWritten(Supplier<Base64.Encoder> encoder) {
            this.encoder = encoder;
        }

        @Override
        void once(long number) {
            keep(encoder.get().encode(input));
        }
    }

    static final class DecodeAsWritten extends Operation {
        private final Supplier<Base64.Decoder> decoder;

        DecodeAsWritten(Supplier<Base64.Decoder> decoder) {
            this.decoder = decoder;
        }

        @Override
        void once(long number) {
            keep(decoder.get().decode(input));
        }
    }

    private static final class EncodeTuned extends Operation {
        private final Base64.Encoder encoder;

        EncodeTuned(Supplier<Base64.Encoder> encoder) {
            this.encoder = encoder.get();
        }

        /** Makes the buffer by encoding once: the public interface tells the exact length in no other way. */
        @Override
        void begin(byte[] bytes, long first) throws Exception {
            super.begin(bytes, first);
            output = encoder.encode(bytes);
        }

        @Override
        void once(long number) {
            length = encoder.encode(input, output);
        }
    }

    private static final class DecodeTuned extends Operation {
        private final Base64.Decoder decoder;

        DecodeTuned(Supplier<Base64.Decoder> decoder) {
            this.decoder = decoder.get();
        }

        /** Decoding never lengthens its input, so an output of the same length is enough. */
        @Override
        void begin(byte[] bytes, long first) throws Exception {
            super.begin(bytes, first);
            output = new byte[bytes.length];
        }

        @Override
        void once(long number) {
            length = decoder.decode(input, output);
        }
    }
}
