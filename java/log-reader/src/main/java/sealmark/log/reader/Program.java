package sealmark.log.reader;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import sealmark.log.reader.Arguments.Option;

/**
 * The program {@code java -jar sealmark-log-reader.jar}: the verbs of {@code sealmark} that make keys and read logs. The word
 * {@code log} before a verb may be there, so that all commands of the documentation work for either program.
 */
final class Program {
    /** The code of a program that a signal ends when nobody reads its output. */
    private static final int BROKEN_PIPE = 128 + 13;

    private enum Verb {
        KEYGEN("keygen", "", "make a key, or print its public key", Keygen.OPTIONS, Keygen::run),
        OPEN("open", " [IN]...", "replace the tokens of logs with their values", OpenVerb.OPTIONS, OpenVerb::run),
        GREP("grep", " PATTERN [IN]...", "print the lines of logs whose opened text matches a pattern",
                GrepVerb.OPTIONS, GrepVerb::run),
        VERIFY("verify", " [IN]...", "check that the values of logs are authentic, in the right place and complete",
                VerifyVerb.OPTIONS, VerifyVerb::run);

        private final String word;
        private final String operands;
        private final String about;
        @SuppressWarnings("ImmutableEnumChecker") // The lists are copies.
        private final List<Option> options;
        @SuppressWarnings("ImmutableEnumChecker") // References to static methods.
        private final Runs runs;

        Verb(String word, String operands, String about, List<Option> options, Runs runs) {
            this.word = word;
            this.operands = operands;
            this.about = about;
            this.options = options;
            this.runs = runs;
        }

        /** The verb as the documentation writes it. */
        String shown() {
            return this == KEYGEN ? word : "log " + word;
        }
    }

    private interface Runs {
        Exit run(Arguments arguments) throws IOException;
    }

    private Program() {}

    /**
     * Runs a verb.
     *
     * @param words the verb and its arguments
     */
    public static void main(String[] words) {
        System.exit(run(new ArrayList<>(List.of(words))));
    }

    private static int run(List<String> words) {
        if (!words.isEmpty() && words.get(0).equals("log")) {
            words.remove(0);
        }
        String first = words.isEmpty() ? "--help" : words.remove(0);
        if (first.equals("--help") || first.equals("-h") || first.equals("help")) {
            return print(overview());
        }
        for (Verb verb : Verb.values()) {
            if (verb.word.equals(first)) {
                return run(verb, words);
            }
        }
        Fault unknown = Fault.usage("unrecognized subcommand '" + first + "'", "see `sealmark --help`; this program has the"
                + " verbs keygen, open, grep and verify");
        return Say.fault(unknown).code(false);
    }

    private static int run(Verb verb, List<String> words) {
        if (words.contains("--help") || words.contains("-h")) {
            return print(help(verb));
        }
        boolean isGrep = verb.word.equals("grep");
        try {
            return verb.runs.run(Arguments.parse(verb.shown(), verb.options, words)).code(isGrep);
        } catch (Fault fault) {
            return fault.isGone() ? BROKEN_PIPE : Say.fault(fault).code(isGrep);
        } catch (IOException error) {
            return Say.fault(Fault.of(error)).code(isGrep);
        }
    }

    private static int print(String text) {
        try {
            Output.standard().write(text.getBytes(StandardCharsets.UTF_8));
            return 0;
        } catch (IOException error) {
            return Say.fault(Fault.of(error).about("standard output")).code(false);
        }
    }

    private static String overview() {
        StringBuilder text = new StringBuilder("Make keys, and read logs that Sealmark sealed\n\nUsage: java -jar"
                + " sealmark-log-reader.jar VERB [OPTIONS] [IN]...\n\n");
        for (Verb verb : Verb.values()) {
            text.append(String.format("  %-8s%s%n", verb.word, verb.about));
        }
        return text + "\nSee VERB --help. Exit codes: 0 done, 1 usage, 2 I/O, 3 no key fits, 4 damaged or tampered.\n";
    }

    private static String help(Verb verb) {
        StringBuilder text = new StringBuilder(
                "Usage: java -jar sealmark-log-reader.jar " + verb.word + " [OPTIONS]" + verb.operands + "\n\n");
        for (Option option : verb.options.stream().filter(Option::isHere).toList()) {
            String letter = option.letter() == 0 ? "    " : "-" + option.letter() + ", ";
            text.append("  ").append(letter).append(option.shown()).append("\n          ").append(option.help()).append('\n');
        }
        return text.toString();
    }
}
