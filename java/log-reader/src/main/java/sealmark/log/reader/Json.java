package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import sealmark.log.json.JsonText;

/** JSON that is read and written here. */
final class Json {
    private static final String NAMED = "\"\\/bfnrt";
    private static final String NAMES = "\"\\/\b\f\n\r\t";

    private Json() {}

    /** The text that the content of a string stands for; null if an escape is none. */
    static String unescaped(String content) {
        StringBuilder text = new StringBuilder();
        int at = 0;
        while (at < content.length()) {
            char letter = content.charAt(at++);
            if (letter != '\\') {
                text.append(letter);
                continue;
            }
            int name = at < content.length() ? NAMED.indexOf(content.charAt(at)) : -1;
            if (name >= 0) {
                text.append(NAMES.charAt(name));
                at++;
            } else if (at + 4 < content.length() && content.substring(at, at + 5).matches("u[0-9a-fA-F]{4}")) {
                text.append((char) Integer.parseInt(content.substring(at + 1, at + 5), 16));
                at += 5;
            } else {
                return null;
            }
        }
        return text.toString();
    }

    /** The text of a JSON string with its quotes; null if a text is something else. */
    static byte[] string(byte[] text, int length) {
        String json = new String(text, 0, length, UTF_8).strip();
        boolean isString = json.length() > 1 && json.startsWith("\"") && json.endsWith("\"") && JsonText.is(text, 0, length);
        String content = isString ? unescaped(json.substring(1, json.length() - 1)) : null;
        return content == null ? null : content.getBytes(UTF_8);
    }

    /** Maps, lists, texts, numbers, booleans and null as JSON on one line. */
    static String written(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream().map(entry -> quoted((String) entry.getKey()) + ":" + written(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Json::written).collect(Collectors.joining(",", "[", "]"));
        }
        return value instanceof String text ? quoted(text) : String.valueOf(value);
    }

    /** A string in its quotes. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int at = 0; at < text.length(); at++) {
            char letter = text.charAt(at);
            int name = letter == '/' ? -1 : NAMES.indexOf(letter);
            if (name >= 0) {
                quoted.append('\\').append(NAMED.charAt(name));
            } else if (letter < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) letter));
            } else {
                quoted.append(letter);
            }
        }
        return quoted.append('"').toString();
    }
}
