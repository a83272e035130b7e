package sealmark.jul;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.FileHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sealmark.log.LogSealer;
import sealmark.log.Sealers;
import sealmark.testing.LogProgram;

/** Web applications with the library in {@code WEB-INF/lib}, which the container undeploys. */
class UndeployedTest {
    @TempDir
    Path folder;

    @Test
    void anApplicationThatRemovesItsSealerLeavesNothing() throws Exception {
        LogProgram program = new LogProgram(folder);
        WeakReference<ClassLoader> first = run(program.recipients, "first.log");
        WeakReference<ClassLoader> second = run(program.recipients, "second.log");
        for (int wait = 0; wait < 100 && (first.get() != null || second.get() != null); wait++) {
            System.gc();
            Thread.sleep(50);
        }
        assertNull(first.get(), "the first application is kept");
        assertNull(second.get(), "the second application is kept");
        assertEquals(Set.of(), sealersInJmx());
        for (String log : List.of("first.log", "second.log")) {
            assertTrue(program.openText(folder.resolve(log)).contains("INFO: undeployed\n"), log);
            program.verifyClosed(folder.resolve(log));
        }
    }

    private static Set<ObjectName> sealersInJmx() throws Exception {
        return ManagementFactory.getPlatformMBeanServer().queryNames(new ObjectName("sealmark:name=\"web\",*"), null);
    }

    /** An application from its deployment to its end, as docs/java.md says. */
    private WeakReference<ClassLoader> run(Path recipients, String log) throws Exception {
        URL[] places = {place(LogSealer.class), place(SealedFormatter.class)};
        try (URLClassLoader application = new URLClassLoader(places, ClassLoader.getPlatformClassLoader())) {
            Class<?> formatters = application.loadClass(SealedFormatter.class.getName());
            Handler handler = new FileHandler(folder.resolve(log).toString());
            handler.setFormatter(new SimpleFormatter());
            formatters.getMethod("seal", Handler.class, Map.class).invoke(null, handler,
                    Map.of("recipientsFile", recipients.toString(), "sealer", "web", "seal", "message"));
            handler.publish(new LogRecord(Level.INFO, "undeployed"));
            assertEquals(1, sealersInJmx().size());
            handler.close();
            application.loadClass(Sealers.class.getName()).getMethod("remove", String.class).invoke(null, "web");
            return new WeakReference<>(application);
        }
    }

    private static URL place(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }
}
