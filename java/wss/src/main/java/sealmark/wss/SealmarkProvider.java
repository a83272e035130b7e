package sealmark.wss;

import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.Security;
import javax.crypto.Cipher;

/**
 * A JCA provider whose cipher {@code AES/GCM/NoPadding} decrypts only an {@link AttachmentSource}, unless it is installed for
 * all. It has to come before the JVM's other providers of that cipher; all other users of the cipher get their next provider,
 * as if this one were not installed.
 */
public final class SealmarkProvider extends Provider {
    /** The name by which JCA finds it. */
    public static final String NAME = "Sealmark";

    private static final long serialVersionUID = 1;

    /** True if {@code Cipher} gets this provider without naming it, too. */
    private final boolean servesAll;

    /** A provider that {@link #install} would put first; applications call that. */
    public SealmarkProvider() {
        this(false);
    }

    @SuppressWarnings("deprecation") // The constructor with a text for the version came with JDK 9.
    private SealmarkProvider(boolean servesAll) {
        super(NAME, 0.1, "AES-GCM attachments of WS-Security, verified before they are released");
        this.servesAll = servesAll;
        putService(new GcmService(this, servesAll));
    }

    /** JCE asks for the service each time that somebody makes a cipher; JDK 8 makes no instance of it then. */
    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // The lock is the method's own in JDK 8, and gone since.
    public Service getService(String type, String algorithm) {
        if (type.equals("Cipher")) {
            Threads.cipherMade(algorithm);
        }
        return super.getService(type, algorithm);
    }

    /**
     * Puts the provider first in this JVM's list, unless it is in it, and loads the native library, if there is one.
     *
     * @throws IllegalStateException if JCE would still take another provider's cipher, or if the system property
     *         {@code sealmark.wss.native} names a library that cannot be loaded
     */
    public static void install() {
        install(false);
    }

    /**
     * Does what {@link #install} does, and lets the provider serve all users of {@code AES/GCM/NoPadding} in this JVM, whatever
     * provider they would have got. The time to decrypt a message then grows with its length on every JDK, and none of its
     * plaintext is released before its tag is verified. Its ciphertext is held in memory until then, and is less than 2 GiB;
     * the caller's output comes on top.
     *
     * <p>The next provider still serves initialization vectors that have not 12 bytes, tags that have not 16, keys that do not
     * export their bytes, and the wrapping of keys.
     *
     * @throws IllegalStateException as {@link #install}
     */
    public static void installForAll() {
        install(true);
    }

    private static void install(boolean forAll) {
        // An application learns of a wrong path when it starts, and its first message does not wait for the library.
        isNative();
        Provider installed = Security.getProvider(NAME);
        if (installed != null && !(installed instanceof SealmarkProvider)) {
            throw new IllegalStateException("the provider Sealmark was installed by another class loader of this JVM: put"
                    + " sealmark-wss where all applications share it, or call SealmarkProvider.uninstall() in the other one");
        }
        if (installed == null || (forAll && !((SealmarkProvider) installed).servesAll)) {
            uninstall();
            Security.insertProviderAt(new SealmarkProvider(forAll), 1);
        }
        demandFirst();
    }

    /** Takes the provider away again; a web application that installed it does so when it ends. */
    public static void uninstall() {
        Security.removeProvider(NAME);
    }

    /**
     * Tells which engine opens and seals, the Rust library or pure Java. Both give the same bytes.
     *
     * @return true for the Rust library
     * @throws IllegalStateException if the system property {@code sealmark.wss.native} names a library that cannot be loaded
     */
    public static boolean isNative() {
        return NativeGcm.isThere();
    }

    static void demandFirst() {
        String first;
        try {
            first = Cipher.getInstance(GcmSpi.TRANSFORMATION).getProvider().getName();
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException("no provider of this JVM has a cipher " + GcmSpi.TRANSFORMATION, error);
        }
        if (!first.equals(NAME)) {
            throw new IllegalStateException("the first provider of AES/GCM/NoPadding is " + first + ", not Sealmark: call"
                    + " SealmarkProvider.install() last, and do not set jdk.security.provider.preferred for AES");
        }
    }

    /** JCE asks {@link #supportsParameter} before it offers a key to a cipher for which nobody has named a provider. */
    private static final class GcmService extends Provider.Service {
        private final boolean servesAll;

        GcmService(Provider provider, boolean servesAll) {
            super(provider, "Cipher", GcmSpi.TRANSFORMATION, GcmSpi.class.getName(), null, null);
            this.servesAll = servesAll;
        }

        @Override
        public Object newInstance(Object parameter) {
            return servesAll ? new GcmForAllSpi() : new GcmSpi();
        }

        @Override
        public boolean supportsParameter(Object key) {
            Threads.cipherHasKey();
            return Threads.offersKey(servesAll);
        }
    }
}
