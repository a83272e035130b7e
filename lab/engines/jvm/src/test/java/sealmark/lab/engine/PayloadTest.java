package sealmark.lab.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import sealmark.wss.SealmarkProvider;

/** Every library seals payloads that every other opens, in every shape, and opens nothing that was altered. */
class PayloadTest {
    private static final int[] LENGTHS = {0, 1, 15, 16, 17, 8191, 8192, 8193, 100_000};
    private static final int LONG = (1 << 20) + 1;

    @TempDir
    private Path scratch;

    @AfterEach
    void unlistProviders() {
        Payloads.unlistProviders();
    }

    @TestFactory
    List<DynamicTest> sealsAndOpensAsTheJdkDoesInOneCall() {
        List<DynamicTest> tests = Payloads.each(way -> {
            for (int length : LENGTHS) {
                sealsAndOpens(way, length);
            }
        });
        assertEquals(36, tests.size());
        return tests;
    }

    /** One algorithm only: on JDK 17 this is where the streams of three libraries fill the heap again and again. */
    @TestFactory
    List<DynamicTest> sealsAndOpensMoreThanAMebibyte() {
        List<DynamicTest> tests = new ArrayList<>();
        Payloads.ways("AES-256-GCM").forEach(way ->
                tests.add(DynamicTest.dynamicTest(way.toString(), () -> sealsAndOpens(way, LONG))));
        return tests;
    }

    private void sealsAndOpens(Payloads.Way way, int length) throws Exception {
        byte[] plain = Recipe.bytes(7, length);
        byte[] sealed = way.seal(scratch, plain);
        assertEquals(length + Payloads.OVERHEAD, sealed.length);
        assertArrayEquals(plain, Payloads.open(way.algorithm, sealed), () -> "sealed " + length);
        byte[] other = Payloads.seal(way.algorithm, plain);
        assertArrayEquals(plain, way.open(scratch, other), () -> "opened " + length);
    }

    @TestFactory
    List<DynamicTest> opensWhatEveryOtherSealed() {
        return Payloads.each(way -> {
            byte[] plain = Recipe.bytes(7, 8193);
            byte[] sealed = way.seal(scratch, plain);
            for (Payloads.Way other : Payloads.ways(way.algorithm)) {
                assertArrayEquals(plain, other.open(scratch, sealed), other::toString);
            }
        });
    }

    @TestFactory
    List<DynamicTest> drawsANewVectorForEachPayload() {
        return Payloads.each(way -> {
            byte[] plain = new byte[17];
            byte[] first = Arrays.copyOf(way.seal(scratch, plain), Payload.VECTOR);
            byte[] second = Arrays.copyOf(way.seal(scratch, plain), Payload.VECTOR);
            assertFalse(Arrays.equals(first, second) || Arrays.equals(first, new byte[Payload.VECTOR]));
        });
    }

    @TestFactory
    List<DynamicTest> refusesWhatWasAlteredOrCut() {
        return Payloads.each(way -> {
            byte[] sealed = Payloads.seal(way.algorithm, Recipe.bytes(7, 20_000));
            for (int at : new int[] {0, 11, 12, 10_000, 20_011, 20_012, 20_027}) {
                refuses(way, Bytes.withFlippedBit(sealed, at));
            }
            for (int length : new int[] {20_027, 20_012, 20_011, 10_000, 8192, 28, 27, 16, 13, 12, 11, 5, 1, 0}) {
                refuses(way, Arrays.copyOf(sealed, length));
            }
            refuses(way, Arrays.copyOf(sealed, sealed.length + 1));
            for (int length = 0; length < Payloads.OVERHEAD; length++) {
                refuses(way, Arrays.copyOf(Payloads.seal(way.algorithm, new byte[0]), length));
            }
        });
    }

    private void refuses(Payloads.Way way, byte[] sealed) {
        Exception error = assertThrows(Exception.class, () -> way.open(scratch, sealed), () -> sealed.length + " bytes");
        assertEquals(Trouble.Kind.REFUSED, Trouble.of(error, true).kind, () -> sealed.length + " bytes: " + error);
    }

    /** A payload's tag is wrong: Bouncy Castle hands out all of the text before it says so, the others nothing. */
    @TestFactory
    List<DynamicTest> leavesWhatItReleasedBeforeTheTagWasSeen() {
        return Payloads.each(way -> {
            byte[] plain = Recipe.bytes(7, 100_000);
            byte[] sealed = Payloads.seal(way.algorithm, plain);
            refuses(way, Bytes.withFlippedBit(sealed, sealed.length - 1));
            Path opened = scratch.resolve("opened");
            if (way.shape.equals("one-shot")) {
                assertFalse(Files.exists(opened));
            } else {
                byte[] released = way.library.equals("BouncyCastle") ? plain : new byte[0];
                assertArrayEquals(released, Files.readAllBytes(opened));
            }
        });
    }

    @TestFactory
    List<DynamicTest> overwritesNothingAndMissesNoInputInSilence() {
        return Payloads.each(way -> {
            Path input = Files.write(scratch.resolve("input"), Payloads.seal(way.algorithm, new byte[17]));
            Path there = Files.write(scratch.resolve("there"), new byte[3]);
            Payload payload = way.prepare();
            fails(false, () -> payload.seal(input, there));
            fails(true, () -> payload.open(input, there));
            assertArrayEquals(new byte[3], Files.readAllBytes(there));
            fails(false, () -> payload.seal(scratch.resolve("absent"), scratch.resolve("output")));
            fails(true, () -> payload.open(scratch.resolve("absent"), scratch.resolve("output")));
        });
    }

    private static void fails(boolean back, Executable step) {
        Exception error = assertThrows(Exception.class, step);
        assertEquals(Trouble.Kind.FAILED, Trouble.of(error, back).kind, error::toString);
    }

    @Test
    void aProviderThatPushedInIsNoticed() throws Exception {
        Payload payload = new Payloads.Way("SunJCE", "AES-128-GCM", "wss4j").prepare();
        Path plain = Files.write(scratch.resolve("plain"), new byte[17]);
        Path sealed = Files.write(scratch.resolve("sealed"), Payloads.seal("AES-128-GCM", new byte[17]));
        Security.insertProviderAt(new BouncyCastleProvider(), 1);
        Trouble sealing = assertThrows(Trouble.class, () -> payload.seal(plain, scratch.resolve("first")));
        Trouble opening = assertThrows(Trouble.class, () -> payload.open(sealed, scratch.resolve("second")));
        for (Trouble trouble : List.of(sealing, opening)) {
            assertEquals(Trouble.Kind.FAILED, trouble.kind);
            assertTrue(trouble.getMessage().startsWith("BC did what SunJCE was asked for"), trouble.getMessage());
        }
    }

    @Test
    void anEngineThatTheJvmHasNotChosenIsNoticed() throws Exception {
        assertTrue(SealmarkProvider.isNative());
        Path plain = Files.write(scratch.resolve("plain"), new byte[17]);
        Path sealed = Files.write(scratch.resolve("sealed"), Payloads.seal("AES-128-GCM", new byte[17]));
        Payload payload = new Payloads.Way("sealmark-wss-pure", "AES-128-GCM", "stream").prepare();
        Trouble sealing = assertThrows(Trouble.class, () -> payload.seal(plain, scratch.resolve("first")));
        Trouble opening = assertThrows(Trouble.class, () -> payload.open(sealed, scratch.resolve("second")));
        Trouble preparing = assertThrows(Trouble.class,
                new Payloads.Way("sealmark-wss-pure", "AES-128-GCM", "wss4j")::prepare);
        for (Trouble trouble : List.of(sealing, opening, preparing)) {
            assertEquals(Trouble.Kind.FAILED, trouble.kind);
            assertEquals("native code did what pure Java was asked for", trouble.getMessage());
        }
    }

    @Test
    void everythingElseIsUnsupported() {
        Payloads.SHAPES.subList(0, 2).forEach(shape -> unsupported("sealmark-wss", "AES-128-GCM", shape));
        for (String shape : List.of("tuned", "as-written", "chunked", "verify-then-release")) {
            Payloads.LIBRARIES.forEach(library -> unsupported(library, "AES-128-GCM", shape));
        }
        for (String algorithm : List.of("AES", "AES-256-GCM-SIV", "ChaCha20-Poly1305", "none")) {
            Payloads.LIBRARIES.forEach(library -> unsupported(library, algorithm, "update"));
        }
        for (String library : List.of("commons-codec", "java.util.Base64", "sun.misc-stand-in")) {
            Payloads.SHAPES.forEach(shape -> unsupported(library, "AES-128-GCM", shape));
        }
    }

    private static void unsupported(String library, String algorithm, String shape) {
        Trouble trouble = assertThrows(Trouble.class, new Payloads.Way(library, algorithm, shape)::prepare);
        assertEquals(Trouble.Kind.UNSUPPORTED, trouble.kind);
    }
}
