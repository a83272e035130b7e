package sealmark.lab.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConversationTest {
    private static final String NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    @TempDir
    private Path scratch;

    @Test
    void saysWhoItIs() throws Exception {
        Map<String, Object> hello = talk("SunJCE", "{'ask':'hello','protocol':3}").get(0);
        assertEquals("hello", hello.get("answer"));
        assertEquals(3L, hello.get("protocol"));
        assertEquals("SunJCE", hello.get("engine"));
        assertTrue(hello.get("version").toString().contains(System.getProperty("java.version")));
        String runtime = hello.get("version").toString();
        assertTrue(runtime.contains(System.getProperty("java.vm.name") + " "), runtime);
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            assertTrue(runtime.contains(", " + collector.getName()), runtime);
        }
        assertTrue(runtime.contains(" MiB") && !runtime.contains(", -D"), runtime);
        assertEquals("unsupported", talk("SunJCE", "{'ask':'hello','protocol':2}").get(0).get("answer"));
    }

    @Test
    void namesWhatReallyDoesTheWork() throws Exception {
        Map<String, Object> ready = talk("BouncyCastle", prepare("cipher", "DES", "tuned", 49)).get(0);
        assertEquals("ready", ready.get("answer"));
        assertEquals(false, ready.get("authenticated"));
        String code = ready.get("code").toString();
        assertTrue(code.startsWith("DES by org.bouncycastle.jcajce.provider.symmetric.DES$ECB, BC 1.86, "), code);
        assertTrue(code.endsWith(System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version")), code);
    }

    @Test
    void checksAndTimesWithTheSameResult() throws Exception {
        byte[] plain = Recipe.bytes(7, 49);
        Path sealed = Files.write(scratch.resolve("sealed"), Support.once(
                new Support.Pair("SunJCE", true).prepare("cipher", "AES-128-GCM", new Recipe(7)).forward, plain, 8));
        Path input = Files.write(scratch.resolve("plain"), plain);
        List<Map<String, Object>> answers = talk("SunJCE", prepare("cipher", "AES-128-GCM", "as-written", 49),
                check("seal", 8, input), "{'ask':'time','operation':'seal','first':6,'count':3}",
                check("open", 8, sealed), "{'ask':'time','operation':'open','first':8,'count':3}");
        assertEquals(true, answers.get(0).get("authenticated"));
        assertEquals(65L, answers.get(1).get("bytes"));
        assertEquals(answers.get(1).get("sha256"), answers.get(2).get("sha256"));
        assertEquals(49L, answers.get(3).get("bytes"));
        assertEquals(answers.get(3).get("sha256"), answers.get(4).get("sha256"));
    }

    @Test
    void measuresWallCpuAndMemory() throws Exception {
        Map<String, Object> timed = talk("java.util.Base64", prepare("codec", "base64", "as-written", 8404),
                "{'ask':'time','operation':'encode','first':1,'count':1000}").get(1);
        assertEquals("timed", timed.get("answer"));
        assertEquals(1000L, timed.get("count"));
        assertTrue(number(timed, "wall_ns") > 1000);
        assertTrue(number(timed, "cpu_ns") > 1000);
        assertTrue(number(timed, "peak_bytes") > 1 << 20);
        long allocated = number(timed, "allocated_bytes");
        assertTrue(allocated >= 1000 * 11208 && allocated < 1000 * 12000, () -> allocated + " bytes allocated");
        assertTrue(number(timed, "gc_ns") >= 0);
    }

    @Test
    void theEmptyLoopMakesNothing() throws Exception {
        for (String name : Libraries.names()) {
            List<Map<String, Object>> answers = talk(name, prepare("empty", "none", "tuned", 0),
                    "{'ask':'time','operation':'loop','first':1,'count':100}");
            assertEquals("ready", answers.get(0).get("answer"), name);
            assertEquals(NOTHING, answers.get(1).get("sha256"), name);
        }
    }

    @Test
    void goesOnAfterBadNews() throws Exception {
        Path damaged = Files.write(scratch.resolve("damaged"), new byte[65]);
        Path input = Files.write(scratch.resolve("plain"), new byte[49]);
        List<String> answers = kinds(talk("SunJCE", "junk", "{'ask':'time','operation':'seal','first':1,'count':1}",
                "{'ask':'dance'}", "{'ask':'prepare'}", prepare("cipher", "ROT13", "tuned", 49),
                prepare("file", "X25519", "tuned", 49), prepare("cipher", "DES", "sloppy", 49),
                prepare("cipher", "DES", "tuned", 1L << 31), prepare("cipher", "AES-128-GCM", "tuned", 49),
                check("open", 1, damaged), check("encode", 1, input), check("seal", 1, scratch.resolve("absent")),
                check("seal", 1, input)));
        assertEquals(List.of("failed", "failed", "unsupported", "failed", "unsupported", "unsupported", "unsupported",
                "limited", "ready", "refused", "unsupported", "failed", "checked"), answers);
    }

    @Test
    void damagedTextIsRefused() throws Exception {
        Path damaged = Files.write(scratch.resolve("damaged"), Bytes.text("Zm9v!mFy"));
        List<String> names = new ArrayList<>(List.of("java.util.Base64", "BouncyCastle"));
        if (Support.nativeIsBuilt()) {
            names.add("native-jni");
        }
        for (String name : names) {
            List<String> answers = kinds(talk(name, prepare("codec", "base64", "as-written", 49),
                    check("decode", 1, damaged), "{'ask':'time','operation':'decode','first':1,'count':2}"));
            assertEquals(List.of("ready", "refused", "timed"), answers, name);
        }
    }

    @Test
    void whatLeftTheJdkSaysSo() throws Exception {
        List<Map<String, Object>> answers =
                talk("sun.misc", "{'ask':'hello','protocol':3}", prepare("codec", "base64-mime", "as-written", 49));
        assertEquals(List.of("hello", "unsupported"), kinds(answers));
        assertTrue(answers.get(1).get("why").toString().contains("left the JDK in version 9"));
        Map<String, Object> standIn =
                talk("sun.misc-stand-in", prepare("codec", "base64-mime", "as-written", 49)).get(0);
        assertTrue(standIn.get("code").toString().contains("stand-in"));
    }

    private static String prepare(String job, String algorithm, String shape, long bytes) {
        return "{'ask':'prepare','job':'" + job + "','algorithm':'" + algorithm + "','reuse':'" + shape + "','bytes':"
                + bytes + ",'seed':7,'directory':'/nowhere','later':true}";
    }

    private static String check(String operation, long number, Path input) {
        return "{'ask':'check','operation':'" + operation + "','number':" + number + ",'input':'" + input + "'}";
    }

    static List<String> kinds(List<Map<String, Object>> answers) {
        List<String> kinds = new ArrayList<>();
        answers.forEach(answer -> kinds.add(answer.get("answer").toString()));
        return kinds;
    }

    private static long number(Map<String, Object> answer, String key) {
        return (Long) answer.get(key);
    }

    /** A whole conversation; an ask may use the quotes that need no escape in Java. */
    static List<Map<String, Object>> talk(String name, String... asks) throws Exception {
        String lines = String.join("\n", asks).replace('\'', '"') + "\n";
        ByteArrayOutputStream wire = new ByteArrayOutputStream();
        Main.converse(new Conversation(name), new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)),
                new PrintStream(wire, true, StandardCharsets.UTF_8));
        List<Map<String, Object>> answers = new ArrayList<>();
        for (String line : wire.toString(StandardCharsets.UTF_8).split("\n")) {
            answers.add(Line.read(line.getBytes(StandardCharsets.UTF_8)));
        }
        assertEquals(asks.length, answers.size());
        return answers;
    }
}
