package sealmark.log.reader;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import sealmark.log.grammar.Found;
import sealmark.log.grammar.Grammar;

/** Searches lines once their tokens are opened. One thread at a time. */
final class Searcher {
    private final Settings settings;
    private final LineOpener search;
    /** Opens lines as they are printed. */
    private final LineOpener print;
    private final List<String> labels = new ArrayList<>();
    private final Room searched = new Room();
    private final Room printed = new Room();
    private Findings found = new Findings();

    /** The part of a line that is printed. */
    enum Show {
        NOTHING,
        OPENED,
        SEALED,
        MATCHES,
        JSON
    }

    /** How lines are searched; {@code hasContext} if lines around the selected ones may be printed. */
    record Settings(Patterns patterns, Labels labels, boolean isInverted, Show show, boolean hasContext) {}

    /**
     * A line, the {@code end} of its text in what is printed, and its place among the lines that are not the log's own. Lines
     * and places are counted from 0 in the block.
     */
    record Row(long line, long place, boolean isSelected, int end) {}

    /** The findings of a block. */
    record Searched(Room text, List<Row> rows, Findings found, long lines, long places) implements Lanes.Result {
        @Override
        public void wipe() {
            text.clear();
        }
    }

    Searcher(Sessions sessions, Settings settings) {
        this.settings = settings;
        search = new LineOpener(sessions, Context.SEARCH, settings.labels);
        print = new LineOpener(sessions, Context.ESCAPED, Labels.ALL) {
            @Override
            void openedLabel(String label) {
                labels.add(label);
            }
        };
    }

    Searched search(Block block) throws IOException {
        Room text = new Room();
        List<Row> rows = new ArrayList<>();
        found = new Findings();
        byte[] bytes = block.text();
        long line = 0;
        long places = 0;
        int start = block.isLines() ? block.from() : block.to();
        for (; start < block.to(); line++) {
            int end = Block.lineEnd(bytes, start, block.to());
            Boolean isSelected = selects(bytes, start, end);
            if (isSelected != null) {
                if (isSelected || settings.hasContext) {
                    show(bytes, start, end, isSelected, text);
                    rows.add(new Row(line, places, isSelected, text.length()));
                }
                places++;
            }
            start = end;
        }
        found.add(search.findings());
        return new Searched(text, rows, found, line, places);
    }

    /** Null for the log's own lines. */
    private Boolean selects(byte[] text, int from, int to) throws IOException {
        searched.clear();
        if (settings.labels.isAll()) {
            boolean isTokens = Grammar.start(text, from, to) < to;
            if (!isTokens) {
                Patterns.Text content = Patterns.Text.of(text, from, Block.contentEnd(text, from, to));
                return settings.patterns.isMatch(content) != settings.isInverted;
            }
            search.openLine(text, from, to, searched);
            return searched.length() == 0 ? null : settings.patterns.isMatch(content(searched)) != settings.isInverted;
        }
        if (LineOpener.isOwn(text, from, Block.contentEnd(text, from, to))) {
            return null;
        }
        boolean isMatch = values(text, from, to).stream().anyMatch(value -> settings.patterns.isMatch(value.text));
        return isMatch != settings.isInverted;
    }

    private static Patterns.Text content(Room line) {
        return Patterns.Text.of(line.bytes(), 0, Block.contentEnd(line.bytes(), 0, line.length()));
    }

    /** A value with its label; null for the text of the whole line. */
    private record Labelled(String label, Patterns.Text text) {}

    /** The values with the labels that were named, as they were before they were sealed: a JSON string without its escapes. */
    private List<Labelled> values(byte[] text, int from, int to) {
        List<Labelled> values = new ArrayList<>();
        Grammar grammar = new Grammar(text, from, to);
        for (Found next = grammar.next(); next != null; next = grammar.next()) {
            if (next instanceof Found.Token token) {
                byte[] value = search.openWanted(token);
                if (value != null) {
                    byte[] string = token.isJson ? Json.string(value, value.length) : null;
                    byte[] shown = string == null ? value : string;
                    values.add(new Labelled(token.label(), Patterns.Text.of(shown, 0, shown.length)));
                }
            }
        }
        return values;
    }

    private List<Labelled> texts(byte[] text, int from, int to) {
        if (!settings.labels.isAll()) {
            // They were counted when the line was selected.
            Findings before = search.findings();
            List<Labelled> values = values(text, from, to);
            search.findings();
            found.add(before);
            return values;
        }
        boolean isTokens = searched.length() > 0;
        return List.of(new Labelled(null, isTokens ? content(searched)
                : Patterns.Text.of(text, from, Block.contentEnd(text, from, to))));
    }

    private void show(byte[] text, int from, int to, boolean isSelected, Room out) throws IOException {
        printed.clear();
        labels.clear();
        print.openLine(text, from, to, printed);
        Findings whole = print.findings();
        boolean printsAll = settings.show == Show.OPENED || settings.show == Show.JSON;
        if (!settings.labels.isAll() && printsAll) {
            // Values of all labels are printed, so those that stay closed are told; those that were searched count already.
            found.add(whole.without(search.seen()));
            found.add(search.findings());
        }
        switch (settings.show) {
            case NOTHING -> {}
            case OPENED -> ended(printed.bytes(), 0, printed.length(), out);
            case SEALED -> ended(text, from, to, out);
            case MATCHES -> {
                if (isSelected && !settings.isInverted) {
                    matches(text, from, to, out);
                }
            }
            case JSON -> ended(json(text, from, to).getBytes(UTF_8), out);
        }
    }

    private static void ended(byte[] line, Room out) {
        ended(line, 0, line.length, out);
    }

    private static void ended(byte[] line, int from, int to, Room out) {
        out.write(line, from, to - from);
        if (to == from || line[to - 1] != '\n') {
            out.write('\n');
        }
    }

    private void matches(byte[] text, int from, int to, Room out) throws IOException {
        for (Labelled one : texts(text, from, to)) {
            for (MatchResult match : settings.patterns.matches(one.text)) {
                byte[] bytes = one.text.bytes(match.start(), match.end());
                Escape.breaks(out).write(bytes, 0, bytes.length);
                out.write('\n');
            }
        }
    }

    /** All of an object but its file and line. */
    private String json(byte[] text, int from, int to) {
        Patterns.Text shown = content(printed);
        Map<String, Object> keys = new LinkedHashMap<>();
        keys.putAll(json(shown, 0, shown.text().length()));
        List<Labelled> texts = texts(text, from, to);
        if (settings.labels.isAll() && !texts.get(0).text.equals(shown)) {
            keys.put("searched", json(texts.get(0).text, 0, texts.get(0).text.text().length()));
        }
        List<Object> matches = new ArrayList<>();
        for (Labelled one : settings.isInverted ? List.<Labelled>of() : texts) {
            for (MatchResult match : settings.patterns.matches(one.text)) {
                Map<String, Object> of = new LinkedHashMap<>();
                if (one.label != null) {
                    of.put("label", one.label);
                }
                of.putAll(json(one.text, match.start(), match.end()));
                int start = one.text.bytes(0, match.start()).length;
                of.put("start", start);
                of.put("end", start + one.text.bytes(match.start(), match.end()).length);
                matches.add(of);
            }
        }
        keys.put("matches", matches);
        keys.put("labels", List.copyOf(labels));
        return Json.written(keys).substring(1);
    }

    private static Map<String, Object> json(Patterns.Text text, int from, int to) {
        byte[] bytes = text.bytes(from, to);
        Patterns.Text part = Patterns.Text.of(bytes, 0, bytes.length);
        return part.isUtf8() ? Map.of("text", part.text()) : Map.of("base64", Base64.getEncoder().encodeToString(bytes));
    }
}
