package sealmark.spark;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The typed arguments of a job. */
final class Arguments {
    static final String HELP = """
            Jobs on sealed logs, for spark-submit --class sealmark.spark.Main

              sessions -o TABLE IN…     collect the headers of all sessions into a table of Parquet files
              open -o FOLDER IN…        open each file into a file of the same name, folder and compression

            IN is a file, a folder, or a pattern of either, in any file system that Spark reads.

            Keys:
              -i, --identity FILE       secret or pre-shared keys in this file of each executor
              --credential ALIAS        keys in a credential provider of Hadoop
              --key-provider CLASS      keys from a class that implements sealmark.spark.KeyProvider

            Other options:
              -o, --output PATH         where the result goes
              --sessions TABLE          take headers from this table, not from the logs
              --force                   replace outputs that exist
              --allow-plaintext-spill   open values even if Spark writes or sends them in the clear
            """;

    private static final Map<String, String> SHORT = Map.of("-i", "--identity", "-o", "--output");
    private static final Set<String> WITH_VALUE = Set.of("--identity", "--credential", "--key-provider", "--output",
            "--sessions");
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
            throw new IllegalArgumentException("the option " + option + " is there twice\nhint: name it once");
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

    String output() {
        String output = options.get("--output");
        if (output == null) {
            throw new IllegalArgumentException("no output given\nhint: name it with -o");
        }
        return output;
    }

    SealedLogs apply(SealedLogs logs) {
        KeyProvider keys = KeyOptions.provider(name -> options.get("--" + name));
        if (keys != null) {
            logs.keys(keys);
        }
        if (options.containsKey("--sessions")) {
            logs.sessions(options.get("--sessions"));
        }
        if (options.containsKey("--force")) {
            logs.force();
        }
        return options.containsKey("--allow-plaintext-spill") ? logs.allowPlaintextSpill() : logs;
    }
}
