package sealmark.receivers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.Configurator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.Sealed;

/** Log4j's Kafka appender sends to a broker of one node; a consumer reads the partitions one after the other. */
class KafkaTest {
    private static final int PARTITIONS = 3;
    @TempDir
    Path folder;

    @Test
    void noSessionIsLostInKafka() throws Exception {
        Received.makeKeys(folder);
        Path output = Files.createFile(folder.resolve("output.txt"));
        int port = Programs.freeTcpPort();
        Path properties = Files.writeString(folder.resolve("broker.properties"), """
                process.roles=broker,controller
                node.id=1
                listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d
                controller.listener.names=CONTROLLER
                controller.quorum.voters=1@127.0.0.1:%2$d
                log.dirs=%s
                offsets.topic.replication.factor=1
                transaction.state.log.replication.factor=1
                group.initial.rebalance.delay.ms=0
                """.formatted(port, Programs.freeTcpPort(), folder.resolve("data")));
        Process format = java(output, "kafka.tools.StorageTool", "format", "-t", "7u2WzZK4Tn2k0hZl0m1gZg",
                "-c", properties.toString());
        assertTrue(format.waitFor(60, TimeUnit.SECONDS) && format.exitValue() == 0, () -> "not formatted");
        Process broker = java(output, "kafka.Kafka", properties.toString());
        List<String> lines;
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + port))) {
            admin.createTopics(List.of(new NewTopic("logs", PARTITIONS, (short) 1))).all().get(60, TimeUnit.SECONDS);
            logEverything(port);
            lines = consumed(port);
        } finally {
            Programs.end(broker);
        }
        Received received = new Received(folder, lines);
        received.assertAll(Shop.VALUES, Shop.SESSIONS);
        received.assertNoSessionIsLost();
    }

    private static Process java(Path output, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(words));
        return Programs.start(output, Map.of(), command);
    }

    private void logEverything(int port) throws Exception {
        String xml = Programs.text("kafka-log4j2.xml").replace("FOLDER", folder.toString()).replace(":9092", ":" + port);
        LoggerContext context = Configurator.initialize(getClass().getClassLoader(), new ConfigurationSource(
                new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8))), null);
        Logger logger = context.getLogger("shop");
        for (int number = 0; number < Shop.VALUES; number++) {
            String value = Received.SECRET + number + ".";
            switch (number % 4) {
                case 0 -> logger.info(Shop.MESSAGE + " {}", Sealed.of("email", value));
                case 1 -> logger.info(Shop.MESSAGE + " somebody", new IllegalStateException(value));
                case 2 -> {
                    ThreadContext.put("user", value);
                    logger.info(Shop.MESSAGE + " somebody");
                    ThreadContext.remove("user");
                }
                default -> {
                    ThreadContext.put("card", value);
                    logger.info(Shop.MESSAGE + " somebody");
                    ThreadContext.remove("card");
                }
            }
        }
        assertTrue(context.stop(20, TimeUnit.SECONDS));
    }

    private static List<String> consumed(int port) {
        List<String> lines = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", "127.0.0.1:" + port), new StringDeserializer(), new StringDeserializer())) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                TopicPartition one = new TopicPartition("logs", partition);
                consumer.assign(List.of(one));
                consumer.seekToBeginning(List.of(one));
                long end = consumer.endOffsets(List.of(one)).get(one);
                for (int tries = 0; consumer.position(one) < end && tries < 100; tries++) {
                    for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(100))) {
                        lines.add(record.value());
                    }
                }
                assertEquals(end, consumer.position(one));
            }
        }
        return lines;
    }
}
