package sealmark.log.reader;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The arguments of a verb. No library of the registries parses and refuses them as the program {@code sealmark} does, whose
 * golden cases this program passes.
 */
final class Arguments {
    private final String verb;
    private final List<Option> options;
    private final Map<Option, List<String>> given = new LinkedHashMap<>();
    private final List<String> rest = new ArrayList<>();

    private enum Kind {
        FLAG,
        VALUE,
        /** May be given several times. */
        VALUES,
        /** Only the program {@code sealmark} has it. */
        ELSEWHERE,
    }

    /**
     * An option.
     *
     * @param name with its two dashes
     * @param letter its short form; 0 if it has none
     * @param value the name of its value; null if it has none
     * @param help one sentence; if the option is elsewhere, the hint to type
     */
    record Option(String name, char letter, String value, Kind kind, String help) {
        static Option flag(String name, int letter, String help) {
            return new Option(name, (char) letter, null, Kind.FLAG, help);
        }

        static Option value(String name, int letter, String value, String help) {
            return new Option(name, (char) letter, value, Kind.VALUE, help);
        }

        static Option values(String name, int letter, String value, String help) {
            return new Option(name, (char) letter, value, Kind.VALUES, help);
        }

        static Option elsewhere(String name, int letter, String hint) {
            return new Option(name, (char) letter, null, Kind.ELSEWHERE, hint);
        }

        boolean isHere() {
            return kind != Kind.ELSEWHERE;
        }

        /** The option as messages show it. */
        String shown() {
            return name + (value == null ? "" : " <" + value + ">");
        }
    }

    private Arguments(String verb, List<Option> options) {
        this.verb = verb;
        this.options = options;
    }

    /** Parses the words after a verb. */
    static Arguments parse(String verb, List<Option> options, List<String> words) throws Fault {
        Arguments arguments = new Arguments(verb, options);
        List<String> left = new ArrayList<>(words);
        while (!left.isEmpty()) {
            String word = left.remove(0);
            if (word.equals("--")) {
                arguments.rest.addAll(left);
                break;
            } else if (word.startsWith("--")) {
                arguments.longOption(word, left);
            } else if (word.startsWith("-") && word.length() > 1) {
                arguments.letters(word, left);
            } else {
                arguments.rest.add(word);
            }
        }
        return arguments;
    }

    /** The verb as messages show it. */
    String verb() {
        return verb;
    }

    boolean has(String name) {
        return given.containsKey(option(name));
    }

    /** All values of an option. */
    List<String> all(String name) {
        return given.getOrDefault(option(name), List.of());
    }

    /** The value of an option. */
    Optional<String> one(String name) {
        return all(name).stream().findFirst();
    }

    /** The number that is the value of an option. */
    Optional<Long> number(String name) throws Fault {
        Optional<String> text = one(name);
        try {
            return text.map(Long::parseUnsignedLong);
        } catch (NumberFormatException invalid) {
            throw invalid(name, text.orElseThrow(), "invalid digit found in string");
        }
    }

    /** The path of a name that was typed. */
    static Path path(String name) throws Fault {
        try {
            return Path.of(name);
        } catch (InvalidPathException unknown) {
            throw Fault.usage(Say.quoted(name) + " is not a file name here: the locale cannot encode a character of it",
                    "run it with the locale of the file names: LC_ALL=C.UTF-8 java -jar sealmark-log-reader.jar …");
        }
    }

    /** The words that belong to no option. */
    List<String> rest() {
        return rest;
    }

    /** Refuses two options together. */
    void refuse(String name, String other) throws Fault {
        if (has(name) && has(other)) {
            throw usage("the argument '" + option(name).shown() + "' cannot be used with '" + option(other).shown() + "'");
        }
    }

    Fault invalid(String name, String value, String why) {
        return usage("invalid value '" + value + "' for '" + option(name).shown() + "': " + why);
    }

    Fault usage(String message) {
        return Fault.usage(message, "see `sealmark " + verb + " --help`");
    }

    private void longOption(String word, List<String> left) throws Fault {
        int equals = word.indexOf('=');
        String name = equals < 0 ? word : word.substring(0, equals);
        Option option = found(name, one -> one.name.equals(name));
        if (option.value != null) {
            add(option, equals < 0 ? next(option, left) : word.substring(equals + 1));
        } else if (equals < 0) {
            add(option, "");
        } else {
            String value = word.substring(equals + 1);
            throw usage("unexpected value '" + value + "' for '" + name + "' found; no more were expected");
        }
    }

    /** Some letters may stand together, and a value may follow the last one. */
    private void letters(String word, List<String> left) throws Fault {
        for (int at = 1; at < word.length(); at++) {
            char letter = word.charAt(at);
            Option option = found("-" + letter, one -> one.letter == letter);
            if (option.value != null) {
                String value = word.substring(at + 1);
                add(option, value.isEmpty() ? next(option, left) : value.startsWith("=") ? value.substring(1) : value);
                return;
            }
            add(option, "");
        }
    }

    private Option found(String typed, Predicate<Option> is) throws Fault {
        Option option = options.stream().filter(is).findFirst()
                .orElseThrow(() -> usage("unexpected argument '" + typed + "' found"));
        if (!option.isHere()) {
            throw Fault.usage("only the program `sealmark` has '" + typed + "'", option.help);
        }
        return option;
    }

    private String next(Option option, List<String> left) throws Fault {
        if (left.isEmpty()) {
            throw usage("a value is required for '" + option.shown() + "' but none was supplied");
        }
        return left.remove(0);
    }

    private void add(Option option, String value) throws Fault {
        List<String> values = given.computeIfAbsent(option, any -> new ArrayList<>());
        if (!values.isEmpty() && option.kind != Kind.VALUES) {
            throw usage("the argument '" + option.shown() + "' cannot be used multiple times");
        }
        values.add(value);
    }

    private Option option(String name) {
        return options.stream().filter(one -> one.name.equals(name)).findFirst().orElseThrow();
    }
}
