package sealmark.lab.engine;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.Provider;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/** The few steps from key bytes to a cipher that is ready; each shape takes those it needs again. */
final class CipherMaker {
    private final Transformation transformation;
    private final Provider provider;
    private final Recipe recipe;
    private final byte[] keyBytes;
    private final Algorithm algorithm;

    CipherMaker(Transformation transformation, Provider provider, Recipe recipe) {
        this.transformation = transformation;
        this.provider = provider;
        this.recipe = recipe;
        this.algorithm = transformation.algorithm;
        this.keyBytes = recipe.key(algorithm.keyBytes);
    }

    Cipher instance() throws GeneralSecurityException {
        return Cipher.getInstance(transformation.name, provider);
    }

    Key key() {
        return new SecretKeySpec(keyBytes, algorithm.keyName);
    }

    /** Exactly the algorithms that authenticate take a nonce. */
    boolean takesNonce() {
        return algorithm.nonce != Algorithm.Nonce.NONE;
    }

    void init(Cipher cipher, int mode, Key key, long number) throws GeneralSecurityException {
        if (takesNonce()) {
            cipher.init(mode, key, algorithm.parameters(recipe.nonce(number)));
        } else {
            cipher.init(mode, key);
        }
    }

    /** A row must not carry the name of a provider that did not do the work. */
    void verify(Cipher cipher) throws Trouble {
        if (cipher.getProvider() != provider) {
            throw Trouble.failed(cipher.getProvider().getName() + " did what " + provider.getName() + " was asked for");
        }
    }
}
