package sealmark.lab.engine;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.RegistryConfiguration;
import com.google.crypto.tink.aead.AeadConfig;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;

/** Google Tink: its primitive {@code Aead}, made once as its users do; it draws the nonces itself. */
final class Tink implements Library {
    private static final byte[] NOTHING = {};

    Tink() throws GeneralSecurityException {
        AeadConfig.register();
    }

    @Override
    public String version() {
        return Codec.versionOfJar(Aead.class);
    }

    @Override
    public Work prepare(Job job) throws Trouble {
        throw Trouble.unsupported("Tink does job \"record\" alone here");
    }

    @Override
    public RecordWay prepare(RecordJob job) throws Exception {
        if (!job.algorithm.equals("AES-256-GCM-base64")) {
            throw Trouble.unsupported("Tink makes no \"" + job.algorithm + "\"");
        }
        KeysetHandle keys = KeysetHandle.generateNew(PredefinedAeadParameters.AES256_GCM);
        Aead aead = keys.getPrimitive(RegistryConfiguration.get(), Aead.class);
        return RecordWay.ofStrings(true, code(), number -> new Sealer(aead));
    }

    private String code() {
        return "Aead of Tink " + version() + " with a key of AES256_GCM, java.util.Base64";
    }

    private static final class Sealer implements StringSealer {
        private final Aead aead;

        Sealer(Aead aead) {
            this.aead = aead;
        }

        @Override
        public String seal(String value) throws GeneralSecurityException {
            byte[] sealed = aead.encrypt(value.getBytes(StandardCharsets.UTF_8), NOTHING);
            return Base64.getUrlEncoder().encodeToString(sealed);
        }

        @Override
        public String open(String text) throws Trouble {
            byte[] sealed = Base64.getUrlDecoder().decode(text);
            try {
                return new String(aead.decrypt(sealed, NOTHING), StandardCharsets.UTF_8);
            } catch (GeneralSecurityException error) {
                // It has no other exception for what it does not open.
                throw Trouble.refused(error.getMessage());
            }
        }

        @Override
        public void look(byte[] text) throws Trouble {
            Base64Text.mustBe(text, "-_");
        }
    }
}
