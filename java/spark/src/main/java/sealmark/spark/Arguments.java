package sealmark.spark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import sealmark.log.keys.Recipient;

/** The typed arguments of a job. */
final class Arguments {
    static final String HELP = """
            Jobs on sealed logs, for spark-submit --class sealmark.spark.Main

              sessions -o TABLE IN…     collect the headers of all sessions into a table of Parquet files
              open -o FOLDER IN…        open each file into a file of the same name, folder and compression
              grep PATTERN IN…          print opened lines that match a regular expression of Java; with -o, write JSON
              verify IN…                find values that are altered, missing, repeated or moved, in all files of a session
              rekey -R FILE -o TABLE IN…  write a table of new headers, which the public keys in FILE of the driver can open

            IN is a file, a folder, or a pattern of either, in any file system that Spark reads.

            Keys:
              -i, --identity FILE       secret or pre-shared keys in this file of each executor
              --credential ALIAS        keys in a credential provider of Hadoop
              --key-provider CLASS      keys from a class that implements sealmark.spark.KeyProvider

            Other options:
              -o, --output PATH         where the result goes
              --sessions TABLE          take headers from this table, not from the logs
              --checkpoint FOLDER       with open: open files as they are moved into IN, until it is stopped
              --rewrite FOLDER          with rekey: also copy the files, with the new headers in place of the old ones
              --force                   replace outputs that exist
              --allow-plaintext-spill   open values even if Spark writes or sends them in the clear
            """;

    private static final Map<String, String> SHORT = Map.of("-i", "--identity", "-o", "--output", "-R", "--recipients-file");
    private static final Set<String> WITH_VALUE = Set.of("--identity", "--credential", "--key-provider", "--output",
            "--recipients-file", "--sessions", "--checkpoint", "--rewrite");
    private static final Set<String> FLAGS = Set.of("--force", "--allow-plaintext-spill");

    private final Map<String, String> options = new HashMap<>();
    private final List<String> rest = new ArrayList<>();

    private Arguments() {}

    static Arguments parse(List<String> typed) {
        Arguments arguments = new Arguments();
        Deque<String> left = new ArrayDeque<>(typed);
        while (!left.isEmpty()) {
            String next = left.pop();
            String option = SHORT.getOrDefault(next, next);
            if (option.equals("--help")) {
                arguments.rest.clear();
                return arguments;
            } else if (WITH_VALUE.contains(option)) {
                arguments.put(option, left);
            } else if (FLAGS.contains(option)) {
                arguments.options.put(option, "");
            } else if (option.startsWith("-") && option.length() > 1) {
                throw new IllegalArgumentException("unknown option \"" + next + "\"\nhint: see --help");
            } else {
                arguments.rest.add(next);
            }
        }
        return arguments;
    }

    private void put(String option, Deque<String> left) {
        if (left.isEmpty()) {
            throw new IllegalArgumentException("the option " + option + " needs a value\nhint: see --help");
        }
        if (options.put(option, left.pop()) != null) {
            throw new IllegalArgumentException("the option " + option + " is given twice\nhint: give it once");
        }
    }

    /** Null if help is wanted. */
    String verb() {
        return rest.isEmpty() ? null : rest.get(0);
    }

    List<String> inputs() {
        if (rest.size() < 2) {
            throw new IllegalArgumentException("no input given\nhint: name logs, or a folder of logs");
        }
        return rest.subList(1, rest.size());
    }

    /** The inputs of grep. */
    List<String> afterPattern() {
        if (rest.size() < 3) {
            throw new IllegalArgumentException("no pattern or no input given\nhint: grep PATTERN logs/");
        }
        return rest.subList(2, rest.size());
    }

    Pattern pattern() {
        try {
            return Pattern.compile(rest.get(1));
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("the pattern \"" + rest.get(1) + "\" is not a regular expression: "
                    + e.getDescription() + "\nhint: write \\ before characters such as ( [ * +", e);
        }
    }

    List<Recipient> recipients() throws IOException {
        String file = options.get("--recipients-file");
        if (file == null) {
            throw new IllegalArgumentException("no recipient given\nhint: name a file of public keys with -R");
        }
        return Recipient.readAll(Path.of(file));
    }

    /** Null unless files are to be opened as they come. */
    String checkpoint() {
        return options.get("--checkpoint");
    }

    /** Null unless files are to get new headers, too. */
    String rewrite() {
        return options.get("--rewrite");
    }

    boolean hasOutput() {
        return options.containsKey("--output");
    }

    String output() {
        String output = options.get("--output");
        if (output == null) {
            throw new IllegalArgumentException("no output given\nhint: name it with -o");
        }
        return output;
    }

    boolean isForced() {
        return options.containsKey("--force");
    }

    SealedLogs apply(SealedLogs logs) {
        KeyProvider keys = KeyOptions.provider(name -> options.get("--" + name));
        if (keys != null) {
            logs.keys(keys);
        }
        if (options.containsKey("--sessions")) {
            logs.sessions(options.get("--sessions"));
        }
        if (isForced()) {
            logs.force();
        }
        return options.containsKey("--allow-plaintext-spill") ? logs.allowPlaintextSpill() : logs;
    }
}
