package sealmark.spark;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.alias.CredentialProvider;
import org.apache.hadoop.security.alias.CredentialProviderFactory;

/** Asks the credential providers that Hadoop's configuration names; a key in the configuration itself is not looked for. */
record HadoopKeys(String alias) implements KeyProvider {
    HadoopKeys {
        KeyOptions.requireName(alias);
    }

    @Override
    public byte[] keys(Configuration configuration) throws IOException {
        for (CredentialProvider provider : CredentialProviderFactory.getProviders(configuration)) {
            CredentialProvider.CredentialEntry entry = provider.getCredentialEntry(alias);
            if (entry != null) {
                return bytes(entry.getCredential());
            }
        }
        throw new IOException("no credential provider has \"" + alias + "\"\nhint: name the provider in"
                + " spark.hadoop.hadoop.security.credential.provider.path");
    }

    private static byte[] bytes(char[] credential) {
        // Keys are ASCII: any other character becomes one that is in no key.
        byte[] bytes = new byte[credential.length];
        for (int at = 0; at < bytes.length; at++) {
            bytes[at] = (byte) (credential[at] < 0x80 ? credential[at] : '?');
        }
        Arrays.fill(credential, '\0');
        return bytes;
    }
}
