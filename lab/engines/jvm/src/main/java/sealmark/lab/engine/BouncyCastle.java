package sealmark.lab.engine;

import java.io.InputStream;
import java.io.OutputStream;
import java.security.Provider;
import javax.crypto.Cipher;
import org.bouncycastle.jcajce.io.CipherInputStream;
import org.bouncycastle.jcajce.io.CipherOutputStream;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.util.encoders.Base64;
import org.bouncycastle.util.encoders.Base64Encoder;
import sealmark.lab.engine.tls.Jsse;

/** Bouncy Castle: its provider for ciphers; for streams and codecs its own classes, which are no part of the JCA. */
final class BouncyCastle implements Library {
    private final Provider provider = new BouncyCastleProvider();

    @Override
    public String version() {
        return Jsse.versionOf(provider);
    }

    @Override
    public Work prepare(Job job) throws Exception {
        return job.kind.equals("codec") ? new Encoders().prepare(job) : new Ciphers(provider, version()).prepare(job);
    }

    @Override
    public Payload prepare(PayloadJob job) throws Exception {
        return new Ciphers(provider, version()).prepare(job, new Streams());
    }

    @Override
    public RecordWay prepare(RecordJob job) throws Exception {
        return new Ciphers(provider, version()).prepare(job);
    }

    /** Its own stream classes, of the names of the JCA's. */
    private static final class Streams implements PayloadStream.Streams {
        @Override
        public OutputStream sealing(OutputStream sealed, Cipher cipher) {
            return new CipherOutputStream(sealed, cipher);
        }

        @Override
        public InputStream opening(InputStream sealed, Cipher cipher) {
            return new CipherInputStream(sealed, cipher);
        }
    }

    private final class Encoders extends Codec {
        @Override
        public String version() {
            return BouncyCastle.this.version();
        }

        @Override
        Work asWritten(String algorithm) throws Trouble {
            mustKnow(algorithm);
            return work("org.bouncycastle.util.encoders.Base64 " + version(), new EncodeAsWritten(), new Decode());
        }

        /** Only encoding has a way into the caller's buffer. */
        @Override
        Work tuned(String algorithm) throws Trouble {
            mustKnow(algorithm);
            return work("org.bouncycastle.util.encoders.Base64Encoder " + version() + ", decoding as written",
                    new EncodeTuned(), new Decode());
        }

        private void mustKnow(String algorithm) throws Trouble {
            if (algorithm.equals("base64url")) {
                throw Trouble.unsupported("Bouncy Castle's UrlBase64 pads with full stops, which RFC 4648 does not know");
            }
            if (!algorithm.equals("base64")) {
                throw Trouble.unsupported("Bouncy Castle has no codec \"" + algorithm + "\"");
            }
        }
    }

    private static final class EncodeAsWritten extends Operation {
        @Override
        void once(long number) {
            keep(Base64.encode(input));
        }
    }

    private static final class Decode extends Operation {
        @Override
        void once(long number) {
            keep(Base64.decode(input));
        }
    }

    private static final class EncodeTuned extends Operation {
        private final Base64Encoder encoder = new Base64Encoder();

        @Override
        void begin(byte[] bytes, long first) throws Exception {
            super.begin(bytes, first);
            output = new byte[encoder.getEncodedLength(bytes.length)];
        }

        @Override
        void once(long number) throws Exception {
            length = encoder.encode(input, 0, input.length, output, 0);
        }
    }
}
