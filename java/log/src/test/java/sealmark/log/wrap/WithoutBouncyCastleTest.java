package sealmark.log.wrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sealmark.log.reader.Headers;
import sealmark.log.reader.Identity;

/** Loads the library a second time, alone, because an application may lack Bouncy Castle. */
class WithoutBouncyCastleTest {
    private static final boolean JDK_HAS_ML_KEM = Runtime.version().feature() >= 24;

    /** Classic keys need no further provider, and sealing to the others needs JDK 24. The test's own classes open. */
    @ParameterizedTest
    @EnumSource(Kem.class)
    void sealsByTheJdkAlone(Kem kem) throws Exception {
        try (Identity identity = Identities.of(kem); Alone alone = new Alone()) {
            if (kem.isPostQuantum() && !JDK_HAS_ML_KEM) {
                assertHints(alone, identity, "hint: run on JDK 24 or newer, add org.bouncycastle:bcprov-jdk18on");
            } else {
                byte[] header = alone.header(identity.recipient().toString());
                Headers.open(header, List.of(identity)).close();
            }
        }
    }

    private static void assertHints(Alone alone, Identity identity, String hint) {
        InvocationTargetException thrown = assertThrows(
                InvocationTargetException.class, () -> alone.requireSealing(identity.recipient().toString()));
        IllegalStateException cause = assertInstanceOf(IllegalStateException.class, thrown.getCause());
        assertTrue(cause.getMessage().contains(hint), cause.getMessage());
    }

    @Test
    void openingWithALatticeKeySaysWhatToAdd() throws Exception {
        try (Alone alone = new Alone()) {
            alone.keys(text(Kem.X25519));
            InvocationTargetException thrown = assertThrows(
                    InvocationTargetException.class, () -> alone.keys(text(Kem.MLKEM768X25519)));
            IllegalStateException cause = assertInstanceOf(IllegalStateException.class, thrown.getCause());
            assertTrue(cause.getMessage().contains("hint: add org.bouncycastle:bcprov-jdk18on"), cause.getMessage());
        }
    }

    /** The message says why native code was not used, because a user can mend that: native code needs no further provider. */
    @Test
    @DisabledForJreRange(min = JRE.JAVA_24)
    void whoWantedNativeCodeHearsWhyThereIsNone() throws Exception {
        try (Identity identity = Identities.of(Kem.MLKEM768X25519); Alone alone = new Alone()) {
            InvocationTargetException thrown = assertThrows(InvocationTargetException.class,
                    () -> alone.requireEngine("no native library: /tmp is noexec", identity.recipient().toString()));
            IllegalStateException cause = assertInstanceOf(IllegalStateException.class, thrown.getCause());
            assertTrue(cause.getMessage().startsWith("this Java runtime has no ML-KEM, and native code cannot be used: no"
                    + " native library: /tmp is noexec\nhint: run on JDK 24 or newer"), cause.getMessage());
        }
    }

    private static String text(Kem kem) {
        byte[] secret = Identities.filled(32, 9);
        return String.valueOf(Bech32.encode(kem.identityPrefix(), secret, true));
    }

    /** Loads the library's classes and the JDK's, and no others. */
    private static final class Alone implements AutoCloseable {
        private final URLClassLoader loader;

        Alone() {
            URL library = Kem.class.getProtectionDomain().getCodeSource().getLocation();
            URL reader = Identity.class.getProtectionDomain().getCodeSource().getLocation();
            loader = new URLClassLoader(new URL[] {library, reader}, ClassLoader.getPlatformClassLoader());
            assertThrows(ClassNotFoundException.class, () -> loader.loadClass("org.bouncycastle.util.Arrays"));
        }

        Object readers(String recipient) throws Exception {
            Class<?> readers = loader.loadClass("sealmark.log.wrap.Readers");
            assertEquals(loader, readers.getClassLoader());
            return readers.getMethod("of", List.class).invoke(null, List.of(parsed("sealmark.log.keys.Recipient", recipient)));
        }

        void requireSealing(String recipient) throws Exception {
            Object readers = readers(recipient);
            readers.getClass().getMethod("requireSealing").invoke(readers);
        }

        void requireEngine(String why, String recipient) throws Exception {
            Object readers = readers(recipient);
            Class<?> engine = loader.loadClass("sealmark.log.engine.Engine");
            Constructor<?> constructor = engine.getDeclaredConstructor(String.class);
            constructor.setAccessible(true);
            engine.getMethod("require", readers.getClass()).invoke(constructor.newInstance(why), readers);
        }

        byte[] header(String recipient) throws Exception {
            Object readers = readers(recipient);
            Class<?> secret = loader.loadClass("sealmark.log.wrap.SessionSecret");
            Object generated = secret.getMethod("generate").invoke(null);
            Class<?> previous = loader.loadClass("sealmark.log.wrap.Previous");
            return (byte[]) secret.getMethod("header", readers.getClass(), previous).invoke(generated, readers, null);
        }

        void keys(String identity) throws Exception {
            Class<?> keys = loader.loadClass("sealmark.log.reader.LogKeys");
            Constructor<?> constructor = keys.getDeclaredConstructor(List.class, List.class);
            constructor.setAccessible(true);
            constructor.newInstance(List.of(parsed("sealmark.log.reader.Identity", identity)), List.of());
        }

        private Object parsed(String type, String text) throws Exception {
            Class<?> keys = loader.loadClass(type);
            return keys.getMethod("parse", CharSequence.class).invoke(null, text);
        }

        @Override
        public void close() throws IOException {
            loader.close();
        }
    }
}
