package sealmark.lab.engine;

/**
 * A stand-in for {@code sun.misc.BASE64Encoder}: the MIME coder of {@link java.util.Base64}, which breaks lines at 76
 * columns as that did. It is decades younger and faster; the row must not be read as the old class's speed.
 */
final class SunMiscStandIn extends Codec {
    private static final String LABEL = "java.util.Base64's MIME coder, a stand-in for sun.misc.BASE64Encoder";

    @Override
    public String version() {
        return "java.util.Base64 as a stand-in";
    }

    @Override
    Work asWritten(String algorithm) throws Trouble {
        if (!algorithm.equals("base64-mime")) {
            throw Trouble.unsupported("sun.misc.BASE64Encoder broke lines at 76 columns: base64-mime alone");
        }
        return work(LABEL, new JavaBase64.EncodeAsWritten(JavaBase64.encoder(algorithm)),
                new JavaBase64.DecodeAsWritten(JavaBase64.decoder(algorithm)));
    }

    @Override
    Work tuned(String algorithm) throws Trouble {
        throw Trouble.unsupported("sun.misc.BASE64Encoder had no way into a buffer and nothing worth keeping");
    }
}
