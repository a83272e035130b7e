package sealmark.spark;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.apache.commons.io.FileUtils;
import org.apache.spark.sql.SparkSession;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import sealmark.log.LogSealer;
import sealmark.log.reader.LogOpener;

/**
 * One Spark for all tests: two executors in JVMs of their own, which get this library as users ship it. A Spark within the JVM
 * of the tests would find every class and file whether it was shipped or not.
 */
final class Cluster {
    /** Everything that Spark writes, except for the outputs of jobs. */
    static final Path FOLDER = folder();
    static final Path EVENTS = FOLDER.resolve("events");
    static final Path LOCAL = FOLDER.resolve("local");

    private static SparkSession session;

    private Cluster() {}

    static synchronized SparkSession session() {
        if (session == null) {
            session = start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                session.stop();
                FileUtils.deleteQuietly(FOLDER.toFile());
            }));
        }
        return session;
    }

    private static SparkSession start() {
        try {
            Files.createDirectories(EVENTS);
            assertTrue(Files.isDirectory(Path.of(System.getProperty("sealmark.spark.home"), "jars")),
                    "no Spark: scripts/spark.sh");
            byte[] secret = new byte[32];
            new SecureRandom().nextBytes(secret);
            return SparkSession.builder()
                    .appName("tests of sealmark")
                    .master("local-cluster[2,1,2048]")
                    .config("spark.executor.memory", "1g")
                    .config("spark.driver.host", "127.0.0.1")
                    .config("spark.driver.bindAddress", "127.0.0.1")
                    .config("spark.jars", String.join(",", jars()))
                    .config("spark.ui.port", "0")
                    .config("spark.local.dir", LOCAL.toString())
                    .config("spark.eventLog.enabled", "true")
                    .config("spark.eventLog.dir", EVENTS.toUri().toString())
                    .config("spark.eventLog.compress", "false")
                    .config("spark.io.encryption.enabled", "true")
                    .config("spark.authenticate", "true")
                    .config("spark.authenticate.secret", HexFormat.of().formatHex(secret))
                    .config("spark.network.crypto.enabled", "true")
                    .config("spark.sql.shuffle.partitions", "4")
                    .config("spark.sql.warehouse.dir", FOLDER.resolve("warehouse").toUri().toString())
                    .getOrCreate();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The jars that {@code --packages} would bring, and one with a provider of keys. */
    private static List<String> jars() throws IOException {
        List<String> jars = new ArrayList<>();
        for (Class<?> one : List.of(SealedLogs.class, LogOpener.class, LogSealer.class, BouncyCastleProvider.class,
                FoundKeys.class)) {
            try {
                Path source = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
                jars.add((Files.isDirectory(source) ? jar(source, one.getSimpleName()) : source).toString());
            } catch (URISyntaxException e) {
                throw new IOException(e);
            }
        }
        return jars;
    }

    /** Maven tests classes before it packs them. */
    private static Path jar(Path classes, String name) throws IOException {
        Path jar = FOLDER.resolve(name + ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar)); Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                copy(file, out);
            }
        }
        return jar;
    }

    private static void copy(Path file, OutputStream out) throws IOException {
        Files.copy(file, out);
    }

    private static Path folder() {
        try {
            return Files.createTempDirectory("sealmark-spark");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
