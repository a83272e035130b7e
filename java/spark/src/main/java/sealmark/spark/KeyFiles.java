package sealmark.spark;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;

/** Reads a file of the executor's own file system: never one that the driver would ship. */
record KeyFiles(String path) implements KeyProvider {
    private static final int MOST_BYTES = 16 << 20;

    KeyFiles {
        KeyOptions.requireName(path);
    }

    @Override
    public byte[] keys(Configuration configuration) throws IOException {
        try (InputStream in = Files.newInputStream(Path.of(path))) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException("key file \"" + path + "\" is larger than 16 MiB");
            }
            return bytes;
        } catch (NoSuchFileException e) {
            throw new IOException("there is no key file \"" + path + "\" on " + InetAddress.getLocalHost().getHostName()
                    + "\nhint: put it on each executor, or mount it as a secret", e);
        }
    }
}
