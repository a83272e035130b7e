package sealmark.log4j2;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.async.AsyncLoggerContext;
import org.apache.logging.log4j.status.StatusData;
import org.apache.logging.log4j.status.StatusListener;
import org.apache.logging.log4j.status.StatusLogger;

/** Log4j, configured by a file as users do. */
final class Running implements AutoCloseable {
    final Path folder;
    private final LoggerContext context;
    private final Complaints complaints = new Complaints();

    /** True if Log4j makes a proxy of each exception, and writes some of them otherwise than new ones do. */
    static boolean isBefore225() {
        return Version.parse(LoggerContext.class.getPackage().getImplementationVersion()).compareTo(Version.parse("2.25")) < 0;
    }

    private Running(LoggerContext context, Path folder) {
        this.context = context;
        this.folder = folder;
        StatusLogger.getLogger().registerListener(complaints);
        context.start();
    }

    /** Elements of {@code <Configuration>}; {@code FOLDER} in them is the folder. */
    static Running of(Path folder, String elements) throws IOException {
        return new Running(new LoggerContext("test", null, file(folder, elements).toUri()), folder);
    }

    /** As before, all loggers asynchronous. */
    static Running asynchronous(Path folder, String elements) throws IOException {
        return new Running(new AsyncLoggerContext("test", null, file(folder, elements).toUri()), folder);
    }

    private static Path file(Path folder, String elements) throws IOException {
        String text = "<Configuration status=\"OFF\">\n" + elements.replace("FOLDER", folder.toString())
                + "</Configuration>\n";
        return Files.writeString(folder.resolve("log4j2.xml"), text);
    }

    /** Reads another configuration, as when the file has changed. */
    void reconfigure(String elements) throws IOException {
        file(folder, elements);
        context.reconfigure();
    }

    Logger logger() {
        return context.getLogger("app");
    }

    /** Warnings and errors of the status logger. */
    String complaints() {
        return String.join("\n", complaints.all);
    }

    @Override
    public void close() {
        context.stop(60, TimeUnit.SECONDS);
        StatusLogger.getLogger().removeListener(complaints);
    }

    /** Files of the folder whose names begin so, by age where names end in numbers. */
    static List<Path> files(Path folder, String begin) throws IOException {
        try (var all = Files.list(folder)) {
            return all.filter(file -> file.getFileName().toString().startsWith(begin))
                    .sorted((one, other) -> one.toString().length() != other.toString().length()
                            ? one.toString().length() - other.toString().length()
                            : one.compareTo(other))
                    .toList();
        }
    }

    private static final class Complaints implements StatusListener {
        final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void log(StatusData data) {
            all.add(data.getFormattedStatus());
        }

        @Override
        public Level getStatusLevel() {
            return Level.WARN;
        }

        @Override
        public void close() {}
    }
}
