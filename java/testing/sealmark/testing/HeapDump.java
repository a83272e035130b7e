package sealmark.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import javax.management.JMException;
import javax.management.ObjectName;

/** The reachable part of the JVM's memory. Texts to search are turned round, so that a search does not find itself. */
public final class HeapDump implements AutoCloseable {
    private final FileChannel file;
    private final MappedByteBuffer all;

    /** Writes a dump into a folder. */
    public HeapDump(Path folder) throws IOException, JMException {
        Path path = folder.resolve("heap.hprof");
        ObjectName diagnostic = new ObjectName("com.sun.management:type=HotSpotDiagnostic");
        String[] types = {String.class.getName(), boolean.class.getName()};
        ManagementFactory.getPlatformMBeanServer()
                .invoke(diagnostic, "dumpHeap", new Object[] {path.toString(), true}, types);
        file = FileChannel.open(path);
        all = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size());
    }

    /** A text from its end to its beginning. */
    public static byte[] turned(String text) {
        return new StringBuilder(text).reverse().toString().getBytes(ISO_8859_1);
    }

    /** Searches for it as Latin-1, and as characters of two bytes in either order. */
    public boolean has(byte[] turned) {
        String text = new StringBuilder(new String(turned, ISO_8859_1)).reverse().toString();
        return contains(text.getBytes(ISO_8859_1)) || contains(text.getBytes(UTF_16BE))
                || contains(text.getBytes(UTF_16LE));
    }

    private boolean contains(byte[] wanted) {
        byte[] here = new byte[wanted.length];
        for (int at = 0; at <= all.limit() - wanted.length; at++) {
            if (all.get(at) == wanted[0] && all.get(at + 1) == wanted[1]) {
                all.get(at, here);
                if (Arrays.equals(here, wanted)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
