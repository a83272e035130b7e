package sealmark.spark;

import java.io.IOException;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQueryException;

/**
 * The jobs for {@code spark-submit}; exit codes and messages are those of {@code sealmark log}.
 *
 * <pre>{@code
 * spark-submit --packages sealmark:sealmark-spark_2.13:0.1.0 --class sealmark.spark.Main "" \
 *     open -i /etc/sealmark/ops.key -o opened/ logs/
 * }</pre>
 */
public final class Main {
    private Main() {}

    /**
     * Runs a job and ends the JVM with its exit code.
     *
     * @param arguments a verb, its options and its inputs
     */
    public static void main(String[] arguments) {
        int code = run(arguments);
        // Threads of Spark may still run, and a cluster manager takes the code of the JVM for that of the application.
        System.exit(code);
    }

    /** Runs a job on the application's session, and returns the exit code. */
    static int run(String... arguments) {
        try {
            Arguments typed = Arguments.parse(List.of(arguments));
            if (typed.verb() == null) {
                System.out.print(Arguments.HELP);
                return Exit.DONE;
            }
            return run(typed, SparkSession.builder().appName("sealmark " + typed.verb()).getOrCreate());
        } catch (IllegalArgumentException | IllegalStateException | FileAlreadyExistsException e) {
            return fail(e.getMessage(), Exit.USAGE);
        } catch (IOException e) {
            return fail(e.getMessage(), Exit.IO);
        } catch (Exception e) {
            if (e instanceof SparkThrowable || e.getCause() instanceof IOException) {
                return fail(Causes.words(e), Exit.IO);
            }
            throw e;
        }
    }

    private static int run(Arguments typed, SparkSession spark) throws IOException {
        SealedLogs logs = typed.apply(SealedLogs.on(spark));
        switch (typed.verb()) {
            case "sessions" -> {
                logs.sessions(typed.inputs()).distinct().write()
                        .mode(typed.isForced() ? SaveMode.Overwrite : SaveMode.ErrorIfExists).parquet(typed.output());
                return told(logs.unread());
            }
            case "open" -> {
                if (typed.checkpoint() != null) {
                    return stream(typed, logs);
                }
                return told(logs.open(typed.inputs(), typed.output()));
            }
            case "verify" -> {
                Verification verification = logs.verify(typed.inputs());
                verification.lines().forEach(System.out::println);
                warn(verification.counts().warnings());
                return verification.exitCode();
            }
            case "grep" -> {
                return grep(typed, logs);
            }
            case "rekey" -> {
                return rekey(typed, logs);
            }
            default -> throw new IllegalArgumentException("unknown verb \"" + typed.verb() + "\"\nhint: name sessions, open,"
                    + " grep, verify or rekey");
        }
    }

    private static int rekey(Arguments typed, SealedLogs logs) throws IOException {
        long left = logs.rekey(typed.inputs(), typed.recipients(), typed.output());
        int code = told(logs.unread());
        if (left > 0) {
            code = Math.max(code, Exit.NO_KEY);
            warn(List.of(Counts.many(left, "header") + " not re-keyed: none of the keys opens the session"
                    + "\nhint: pass another key with -i"));
        }
        List<RewriteTask.Rewritten> files = typed.rewrite() == null ? List.of()
                : logs.rewritten(typed.inputs(), typed.output(), typed.rewrite());
        warn(SealedLogs.warnings(files));
        return files.stream().mapToInt(RewriteTask.Rewritten::exit).reduce(code, Math::max);
    }

    private static int stream(Arguments typed, SealedLogs logs) throws IOException {
        if (typed.inputs().size() > 1) {
            throw new IllegalArgumentException("--checkpoint needs one folder, but there are several inputs\nhint: name the"
                    + " folder that files are moved into");
        }
        try {
            logs.openStream(typed.inputs().get(0), typed.output(), typed.checkpoint()).start().awaitTermination();
        } catch (StreamingQueryException | TimeoutException e) {
            throw new IOException(Causes.words(e), e);
        }
        return Exit.DONE;
    }

    /** Prints what was found, or writes it as JSON where there may be much; exit codes are those of grep. */
    private static int grep(Arguments typed, SealedLogs logs) throws IOException {
        Search search = logs.grep(typed.afterPattern(), typed.pattern());
        boolean isFound;
        if (typed.hasOutput()) {
            search.lines().write().json(typed.output());
            isFound = !search.lines().sparkSession().read().schema(Search.SCHEMA).json(typed.output()).isEmpty();
        } else {
            Iterator<Row> lines = search.lines().toLocalIterator();
            isFound = lines.hasNext();
            lines.forEachRemaining(
                    line -> System.out.println(line.getString(0) + ":" + line.getLong(2) + ":" + line.getString(3)));
        }
        int code = told(search.unopened());
        return code > Exit.DONE || isFound ? code : Exit.USAGE;
    }

    private static int told(Opening result) {
        warn(result.warnings());
        return result.exitCode();
    }

    private static void warn(List<String> warnings) {
        warnings.forEach(warning -> System.err.println("warning: " + warning));
    }

    private static int fail(String message, int code) {
        System.err.println("error: " + message);
        return code;
    }
}
