package sealmark.logback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EchoEncoder;
import ch.qos.logback.core.status.Status;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.helpers.BasicMDCAdapter;

/** With logstash-logback-encoder below 9, whose arguments cannot be sealed, nothing is written. */
class OtherEncodersTest {
    private static final String ENCODER = "net.logstash.logback.encoder.LogstashEncoder";

    @TempDir
    Path temporary;

    @ParameterizedTest
    @CsvSource({"7.4, true", "7.4, false", "8.1, true", "8.1, false"})
    void anOldLogstashEncoderIsRefused(String version, boolean hasJackson) throws Exception {
        try (Alone alone = new Alone(temporary, version, hasJackson)) {
            Encoder<ILoggingEvent> encoder = alone.encoder(ENCODER);
            FileAppender<ILoggingEvent> appender = alone.appender(encoder);
            String jar = encoder.getClass().getProtectionDomain().getCodeSource().getLocation().getPath();
            assertTrue(jar.endsWith("logstash-logback-encoder-" + version + ".jar"), jar);
            List<String> errors = LogFolder.statuses((LoggerContext) appender.getContext(), Status.ERROR);
            assertEquals(List.of("this version of logstash-logback-encoder is not supported, so the appender writes"
                    + " nothing\nhint: use 9.0 or later"), errors);
            assertFalse(appender.isStarted());
            log(appender);
            assertFalse(Files.exists(temporary.resolve("sealed.log")));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void encodersOfOthersNeedNone(boolean hasJackson) throws Exception {
        try (Alone alone = new Alone(temporary, "8.1", hasJackson)) {
            FileAppender<ILoggingEvent> appender = alone.appender(new EchoEncoder<>());
            LoggerContext context = (LoggerContext) appender.getContext();
            assertEquals(List.of(), LogFolder.statuses(context, Status.ERROR));
            List<String> warnings = LogFolder.statuses(context, Status.WARN);
            assertEquals(1, warnings.size(), warnings.toString());
            assertTrue(warnings.get(0).startsWith("EchoEncoder writes MDC entries"), warnings.get(0));
            log(appender);
            assertTrue(Files.readString(temporary.resolve("sealed.log")).contains("a text"));
        }
    }

    private static void log(FileAppender<ILoggingEvent> appender) {
        LoggerContext context = (LoggerContext) appender.getContext();
        appender.doAppend(new LoggingEvent("", context.getLogger("a"), Level.INFO, "a text", null, null));
        appender.stop();
    }

    /** Has this library, an old encoder with Jackson 2, and perhaps no Jackson 3. */
    private static final class Alone extends URLClassLoader {
        private final Path folder;
        private final boolean hasJackson;

        Alone(Path folder, String version, boolean hasJackson) throws IOException {
            super(jars(version), Alone.class.getClassLoader());
            this.folder = folder;
            this.hasJackson = hasJackson;
        }

        private static URL[] jars(String version) throws IOException {
            List<URL> jars = new ArrayList<>();
            String names = "{logstash-logback-encoder-" + version + ",jackson-*}.jar";
            try (DirectoryStream<Path> all =
                    Files.newDirectoryStream(Path.of(System.getProperty("sealmark.older.encoders")), names)) {
                for (Path jar : all) {
                    jars.add(jar.toUri().toURL());
                }
            }
            return jars.toArray(URL[]::new);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!hasJackson && name.startsWith("tools.jackson.")) {
                throw new ClassNotFoundException(name);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null && (name.startsWith("net.logstash.") || name.startsWith("com.fasterxml.jackson."))) {
                return findClass(name);
            }
            boolean isOurs = name.startsWith("sealmark.logback.");
            return loaded != null ? loaded : isOurs ? again(name) : super.loadClass(name, resolve);
        }

        private Class<?> again(String name) throws ClassNotFoundException {
            try (InputStream stream = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = stream.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException error) {
                throw new ClassNotFoundException(name, error);
            }
        }

        @SuppressWarnings("unchecked")
        Encoder<ILoggingEvent> encoder(String name) throws ReflectiveOperationException {
            return (Encoder<ILoggingEvent>) loadClass(name).getConstructor().newInstance();
        }

        @SuppressWarnings("unchecked")
        FileAppender<ILoggingEvent> appender(Encoder<ILoggingEvent> encoder) throws ReflectiveOperationException {
            FileAppender<ILoggingEvent> appender = (FileAppender<ILoggingEvent>)
                    loadClass("sealmark.logback.SealedFileAppender").getConstructor().newInstance();
            LoggerContext context = new LoggerContext();
            context.setMDCAdapter(new BasicMDCAdapter());
            appender.setContext(context);
            appender.setFile(folder.resolve("sealed.log").toString());
            encoder.setContext(context);
            encoder.start();
            appender.setEncoder(encoder);
            appender.start();
            return appender;
        }
    }
}
