package sealmark.spark;

import java.io.IOException;
import java.io.Serializable;
import org.apache.hadoop.conf.Configuration;

/**
 * Gets the secret keys on an executor. The provider travels with each task, so it knows where the keys are, and never has them
 * as a field. A class with a public constructor without parameters can be named to {@link Main}.
 */
@FunctionalInterface
public interface KeyProvider extends Serializable {
    /**
     * The content of a key file as {@code sealmark keygen} writes it: secret keys and pre-shared keys, one a line.
     *
     * @param configuration Hadoop's, as the executor has it
     * @return UTF-8, which the caller wipes
     * @throws IOException if the keys cannot be had here; the message says where they were looked for
     */
    byte[] keys(Configuration configuration) throws IOException;

    /**
     * Keys in a file on each executor, such as a secret that the cluster manager mounts.
     *
     * @param path an absolute path of the executor's own file system
     * @return a provider that reads the file once for each task
     */
    static KeyProvider file(String path) {
        return new KeyFiles(path);
    }

    /**
     * Keys in a credential provider of Hadoop ({@code hadoop.security.credential.provider.path}).
     *
     * @param alias the name under which the content of the key file was stored
     * @return a provider that asks once for each task
     */
    static KeyProvider credential(String alias) {
        return new HadoopKeys(alias);
    }
}
