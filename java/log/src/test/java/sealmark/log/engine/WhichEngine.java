package sealmark.log.engine;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import sealmark.log.Label;
import sealmark.log.LogSealer;
import sealmark.log.keys.PreSharedKey;
import sealmark.log.wrap.Readers;

/**
 * A process of its own that says which engine it has, once that has sealed a value, and what lies in its temporary
 * folder. With {@code -Dinterrupted=true}, its thread is interrupted before. With {@code -Dvalues}, it seals so many more,
 * and says whether its arrays are used where they lie, which it waits for where that is to be expected.
 */
final class WhichEngine {
    private WhichEngine() {}

    public static void main(String[] arguments) throws Exception {
        boolean interrupted = Boolean.getBoolean("interrupted");
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        Engine engine = Engine.choose(LogSealer.Engine.AUTO);
        Session session = engine.begin(Readers.of(PreSharedKey.generate()), 0, Session.MAX_VALUES, null);
        String token = session.seal(Kind.ANY, Label.of("email"), "a@b.example");
        if (!token.startsWith("~s1a~email~" + session.id() + "~")) {
            throw new AssertionError(token);
        }
        if (Thread.currentThread().isInterrupted() != interrupted) {
            throw new AssertionError("interrupted: " + !interrupted);
        }
        System.out.println(engine.name());
        if (Integer.getInteger("values") != null) {
            System.out.println("linked: " + isLinkedAfter(Integer.getInteger("values"), session));
        }
        Path folder = Path.of(System.getProperty("java.io.tmpdir"));
        try (Stream<Path> files = Files.exists(folder) ? Files.list(folder) : Stream.empty()) {
            List<Path> left = files.toList();
            System.out.println("left: " + left);
        }
    }

    private static boolean isLinkedAfter(int values, Session session) throws Exception {
        for (int value = 0; value < values; value++) {
            session.seal(Kind.ANY, Label.of("email"), "a@b.example");
        }
        boolean isExpected = values >= 20_000 && Runtime.version().feature() >= 24;
        for (int tenth = 0; tenth < (isExpected ? 300 : 10) && !NativeSlot.isLinked(); tenth++) {
            Thread.sleep(100);
        }
        return NativeSlot.isLinked();
    }
}
