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
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
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
    /** The folder that is mounted as {@link #SECRETS}. */
    static final Path VAULT = FOLDER.resolve("vault");
    /** Executors have secrets here; the driver sees an empty folder, as if a cluster manager had mounted it for them alone. */
    static final Path SECRETS = FOLDER.resolve("secrets");

    /** The Java of executors. */
    private static final Path JAVA = FOLDER.resolve("java");

    private static SparkSession session;

    private Cluster() {}

    static synchronized SparkSession session() {
        return session == null ? start(2, Map.of()) : session;
    }

    /** Ends the Spark that runs, and starts one with other settings; ends with {@link #stop}. */
    static synchronized SparkSession restart(int executors, Map<String, String> settings) {
        stop();
        return start(executors, settings);
    }

    /** The next test that needs Spark starts it with the usual settings. */
    static synchronized void stop() {
        if (session != null) {
            session.stop();
            session = null;
        }
    }

    private static SparkSession start(int executors, Map<String, String> settings) {
        try {
            Files.createDirectories(EVENTS);
            Map<String, String> more = new HashMap<>(settings);
            if (canMount()) {
                more.put("spark.executorEnv.JAVA_HOME", JAVA.toString());
            }
            assertTrue(Files.isDirectory(Path.of(System.getProperty("sealmark.spark.home"), "jars")),
                    "no Spark: scripts/spark.sh");
            byte[] secret = new byte[32];
            new SecureRandom().nextBytes(secret);
            SparkSession.Builder builder = SparkSession.builder()
                    .appName("tests of sealmark")
                    .master("local-cluster[" + executors + ",1,2048]")
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
                    .config("spark.sql.warehouse.dir", FOLDER.resolve("warehouse").toUri().toString());
            more.forEach(builder::config);
            session = builder.getOrCreate();
            return session;
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

    /** True if executors run in a mount namespace of their own, which only root can make: Spark starts the Java in this folder. */
    static boolean canMount() throws IOException {
        Path program = JAVA.resolve("bin/java");
        if (!Files.exists(program)) {
            Files.createDirectories(program.getParent());
            Files.createDirectories(VAULT);
            Files.createDirectories(SECRETS);
            Files.writeString(program, """
                    #!/bin/sh
                    exec unshare --mount sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' 'VAULT' 'SECRETS' 'JAVA' "$@"
                    """.replace("VAULT", VAULT.toString()).replace("SECRETS", SECRETS.toString())
                    .replace("JAVA", Path.of(System.getProperty("java.home"), "bin/java").toString()));
            assertTrue(program.toFile().setExecutable(true));
        }
        try {
            return new ProcessBuilder(program.toString(), "-version").redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private static Path folder() {
        try {
            Path folder = Files.createTempDirectory("sealmark-spark");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                stop();
                FileUtils.deleteQuietly(folder.toFile());
            }));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
