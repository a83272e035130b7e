package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.InflaterInputStream;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.wrap.Base64Url;
import sealmark.log.wrap.Bytes;

/** A file of spec/vectors/record: its keys, and the one header that its parts make, each part a line. */
final class Vector {
    private static final Path FOLDER = Path.of(System.getProperty("sealmark.root"), "spec/vectors/record");
    private static final Pattern PART = Pattern.compile("~s1h~([^~]*)~[^~]*~([0-9]+)\\.[0-9]+~([^~]*)~");

    private final List<Identity> identities = new ArrayList<>();
    private final List<PreSharedKey> preShared = new ArrayList<>();
    private final String log;

    private Vector(List<String> head, String log) {
        this.log = log;
        for (String line : head) {
            String key = line.startsWith("key: ") ? line.substring("key: ".length()) : "";
            if (key.startsWith("SEALMARK-SECRET-KEY-PSK-")) {
                preShared.add(PreSharedKey.parse(key));
            } else if (!key.isEmpty()) {
                identities.add(Identity.parse(key));
            }
        }
    }

    static Vector read(String name) throws IOException {
        byte[] all = Files.readAllBytes(FOLDER.resolve(name));
        String text = new String(all, ISO_8859_1);
        int end = text.indexOf("\n\n");
        List<String> head = text.substring(0, end).lines().toList();
        byte[] log = Arrays.copyOfRange(all, end + 2, all.length);
        boolean isCompressed = head.contains("compressed: zlib");
        return new Vector(head, new String(isCompressed ? inflated(log) : log, ISO_8859_1));
    }

    List<Identity> identities() {
        return identities;
    }

    LogKeys keys() {
        return new LogKeys(identities, preShared);
    }

    byte[] log() {
        return log.getBytes(ISO_8859_1);
    }

    /** The session that the parts name. */
    byte[] session() {
        Matcher part = PART.matcher(log);
        if (!part.find()) {
            throw new IllegalStateException("a vector without parts");
        }
        return decoded(part.group(1));
    }

    byte[] header() {
        Map<Integer, byte[]> parts = new TreeMap<>();
        PART.matcher(log).results().forEach(part -> parts.put(Integer.valueOf(part.group(2)), decoded(part.group(3))));
        return Bytes.concat(parts.values().toArray(byte[][]::new));
    }

    private static byte[] decoded(String text) {
        return Base64Url.decode(text.getBytes(ISO_8859_1), 0, text.length()).orElseThrow();
    }

    private static byte[] inflated(byte[] compressed) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new InflaterInputStream(new ByteArrayInputStream(compressed)).transferTo(out);
        return out.toByteArray();
    }
}
