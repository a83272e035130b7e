package sealmark.lab.engine;

import javax.crypto.Cipher;

/** A new instance, key object, key schedule and output for each operation. */
abstract class CipherAsWritten extends Operation {
    final CipherMaker maker;

    /** The last instance used, for a look at it after the span. */
    Cipher last;

    private CipherAsWritten(CipherMaker maker) {
        this.maker = maker;
    }

    @Override
    void end() throws Trouble {
        maker.verify(last);
    }

    static final class Seal extends CipherAsWritten {
        Seal(CipherMaker maker) {
            super(maker);
        }

        @Override
        void once(long number) throws Exception {
            Cipher cipher = maker.instance();
            maker.init(cipher, Cipher.ENCRYPT_MODE, maker.key(), number);
            keep(cipher.doFinal(input));
            last = cipher;
        }
    }

    static final class Open extends CipherAsWritten {
        Open(CipherMaker maker) {
            super(maker);
        }

        @Override
        void once(long number) throws Exception {
            Cipher cipher = maker.instance();
            maker.init(cipher, Cipher.DECRYPT_MODE, maker.key(), number);
            keep(cipher.doFinal(input));
            last = cipher;
        }
    }
}
