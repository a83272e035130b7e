package sealmark.receivers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.LoggerContext;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.instrumentation.logback.appender.v1_0.OpenTelemetryAppender;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.logs.LogRecordProcessor;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import sealmark.logback.SealedRecordAppender;

/** OpenTelemetry's appender for Logback exports by OTLP to a collector, which writes JSON, as its parts are. */
class OpenTelemetryTest {
    private static final String SENDER = """
            <appender name="SENDER" class="io.opentelemetry.instrumentation.logback.appender.v1_0.OpenTelemetryAppender">
              <captureMdcAttributes>*</captureMdcAttributes>
            </appender>
            """;

    @TempDir
    Path folder;

    /** A line has the records of a batch, all of which are lost if its export fails. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16})
    void noSessionIsLostInACollector(int recordsInABatch) throws Exception {
        Path program = Programs.installed("bin/collector");
        Received.makeKeys(folder);
        Path stored = folder.resolve("stored.json");
        Path output = Files.createFile(folder.resolve("output.txt"));
        int port = Programs.freeTcpPort();
        Files.writeString(folder.resolve("collector.yaml"), """
                receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:%d"}}}}
                exporters: {file: {path: "%s"}}
                service:
                  telemetry: {metrics: {level: none}}
                  pipelines: {logs: {receivers: [otlp], exporters: [file]}}
                """.formatted(port, stored));
        Process collector = Programs.start(output, Map.of(),
                List.of(program.toString(), "--config", "file:" + folder.resolve("collector.yaml")));
        try {
            Programs.await(output, () -> text(output).contains("Everything is ready"), "the collector did not start");
            export(port, recordsInABatch);
        } finally {
            // It writes what it holds.
            Programs.end(collector);
        }
        Received received = new Received(folder, Files.readAllLines(stored, UTF_8));
        received.assertAll(Shop.VALUES, Shop.SESSIONS);
        received.assertNoSessionIsLost();
    }

    private void export(int port, int recordsInABatch) throws Exception {
        OtlpHttpLogRecordExporter exporter = OtlpHttpLogRecordExporter.builder()
                .setEndpoint("http://127.0.0.1:" + port + "/v1/logs").build();
        // A batch that is exported because of its age would differ from run to run, and so would the lost ones.
        LogRecordProcessor processor = BatchLogRecordProcessor.builder(exporter).setMaxQueueSize(1 << 16)
                .setMaxExportBatchSize(recordsInABatch).setScheduleDelay(Duration.ofHours(1)).build();
        try (OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
                .setLoggerProvider(SdkLoggerProvider.builder().addLogRecordProcessor(processor).build()).build()) {
            Shop.run(folder, SENDER, logback -> install(sdk, logback));
            assertTrue(sdk.getSdkLoggerProvider().forceFlush().join(20, TimeUnit.SECONDS).isSuccess());
        }
    }

    /** In an application, OpenTelemetryAppender.install does this for the Logback that SLF4J has found. */
    private static void install(OpenTelemetrySdk sdk, LoggerContext logback) {
        SealedRecordAppender sealed =
                (SealedRecordAppender) logback.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("SEALED");
        ((OpenTelemetryAppender) sealed.getAppender("SENDER")).setOpenTelemetry(sdk);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException error) {
            throw new AssertionError(error);
        }
    }
}
