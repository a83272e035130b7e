package sealmark.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** A mark that stands in every value to be sealed, and a search for it in all that a process has written. */
public final class Canary {
    /** Is in no file, class or message of anybody else's. */
    public static final String MARK = "kanarienvogel7Q";

    private static final Pattern UNICODE = Pattern.compile("\\\\u+([0-9a-fA-F]{4})");
    private static final int BASE64_BYTES = 3;
    private static final List<String> ENCODED = base64();

    private Canary() {}

    /** A value with the mark, and with what JSON escapes. */
    public static String value() {
        return "a \"" + MARK + "\" \u00e9";
    }

    /** At whatever byte of a base64 text the mark begins: the characters that no neighbour changes. */
    private static List<String> base64() {
        List<String> all = new ArrayList<>();
        for (int before = 0; before < BASE64_BYTES; before++) {
            byte[] bytes = ("x".repeat(before) + MARK).getBytes(UTF_8);
            int whole = bytes.length / BASE64_BYTES * BASE64_BYTES;
            String text = Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(bytes, whole));
            all.add(before == 0 ? text : text.substring(4));
        }
        return all;
    }

    /** Asserts that the mark is not there: as it is, escaped as in JSON or a URL, or in base64. */
    public static void assertNone(String where, byte[] written) {
        String text = new String(written, ISO_8859_1);
        String folded = text.replaceAll("=?\r?\n", "");
        for (String form : List.of(text, folded, unescaped(text), unescaped(unescaped(text)), decoded(text))) {
            if (form.contains(MARK) || ENCODED.stream().anyMatch(form::contains)) {
                fail(where + " has the mark in clear: " + around(form));
            }
        }
    }

    private static String around(String text) {
        int at = text.indexOf(MARK);
        return at < 0 ? "in base64" : text.substring(Math.max(0, at - 300), Math.min(text.length(), at + 300));
    }

    private static String unescaped(String text) {
        return UNICODE.matcher(text).replaceAll(
                found -> java.util.regex.Matcher.quoteReplacement(
                        String.valueOf((char) Integer.parseInt(found.group(1), 16))));
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, ISO_8859_1);
        } catch (IllegalArgumentException noUrl) {
            return "";
        }
    }

    /** Asserts that no file of a folder has the mark. */
    public static void assertNoneIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertNone(file.getFileName().toString(), Files.readAllBytes(file));
            }
        }
    }

    /** Asserts that no attribute of a sealer's MBean has the mark. */
    public static void assertNoneInJmx() throws JMException {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (ObjectName name : server.queryNames(new ObjectName("sealmark:*"), null)) {
            try {
                for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
                    Object value = server.getAttribute(name, attribute.getName());
                    assertNone(name + " " + attribute.getName(), String.valueOf(value).getBytes(UTF_8));
                }
            } catch (InstanceNotFoundException gone) {
                assertNone("the name of a sealer that ended meanwhile", name.toString().getBytes(UTF_8));
            }
        }
    }
}
