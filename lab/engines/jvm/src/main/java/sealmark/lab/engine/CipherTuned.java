package sealmark.lab.engine;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import javax.crypto.Cipher;

/** One instance, key object and output buffer for all operations; ciphers without a nonce keep their key schedule. */
abstract class CipherTuned extends Operation {
    /** Room for a tag or a block of padding, whichever way it goes. */
    private static final int ROOM = 32;

    final CipherMaker maker;
    final Key key;
    Cipher cipher;
    private final int mode;
    private byte[] buffer = new byte[0];

    private CipherTuned(CipherMaker maker, int mode) throws GeneralSecurityException {
        this.maker = maker;
        this.mode = mode;
        this.key = maker.key();
        renew();
    }

    /** Every cipher without a nonce stays initialised from here on: the JCA resets it after each {@code doFinal}. */
    private void renew() throws GeneralSecurityException {
        cipher = maker.instance();
        if (!maker.takesNonce()) {
            cipher.init(mode, key);
        }
    }

    @Override
    void begin(byte[] bytes, long first) throws Exception {
        super.begin(bytes, first);
        if (cipher == null) {
            renew();
        }
        long room = (long) bytes.length + ROOM;
        if (buffer.length < room) {
            buffer = new byte[(int) Math.min(room, Integer.MAX_VALUE)];
        }
        output = buffer;
    }

    @Override
    void end() throws Trouble {
        maker.verify(cipher);
    }

    @Override
    void recover() {
        cipher = null;
    }

    static final class Seal extends CipherTuned {
        private long last = -1;

        Seal(CipherMaker maker) throws GeneralSecurityException {
            super(maker, Cipher.ENCRYPT_MODE);
        }

        /** Asked for the same operation twice, a library rightly sees a nonce used twice: it gets a new instance. */
        @Override
        void begin(byte[] bytes, long first) throws Exception {
            if (first == last) {
                recover();
            }
            super.begin(bytes, first);
        }

        @Override
        void once(long number) throws Exception {
            if (maker.takesNonce()) {
                maker.init(cipher, Cipher.ENCRYPT_MODE, key, number);
                last = number;
            }
            length = cipher.doFinal(input, 0, input.length, output, 0);
        }
    }

    static final class Open extends CipherTuned {
        /** SunJCE of JDK 17 and before takes no nonce twice in a row for ChaCha20, not even to decrypt. */
        final boolean wantsNewInstances;

        Open(CipherMaker maker) throws GeneralSecurityException {
            super(maker, Cipher.DECRYPT_MODE);
            wantsNewInstances = maker.takesNonce() && refusesTheSameNonce();
        }

        private boolean refusesTheSameNonce() throws GeneralSecurityException {
            maker.init(cipher, Cipher.DECRYPT_MODE, key, 0);
            try {
                maker.init(cipher, Cipher.DECRYPT_MODE, key, 0);
                return false;
            } catch (InvalidKeyException error) {
                return true;
            }
        }

        @Override
        void once(long number) throws Exception {
            if (wantsNewInstances) {
                cipher = maker.instance();
            }
            if (maker.takesNonce()) {
                maker.init(cipher, Cipher.DECRYPT_MODE, key, number);
            }
            length = cipher.doFinal(input, 0, input.length, output, 0);
        }
    }
}
