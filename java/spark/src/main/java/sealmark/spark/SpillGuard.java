package sealmark.spark;

import org.apache.spark.SparkConf;

/** Refuses to open anything where Spark would write values in the clear to disks, or send them over the network so. */
final class SpillGuard {
    private SpillGuard() {}

    /** Throws where the configuration lacks encryption; says which settings to add. */
    static void require(SparkConf conf, String otherwise) {
        StringBuilder missing = new StringBuilder();
        if (!conf.getBoolean("spark.io.encryption.enabled", false)) {
            missing.append(" --conf spark.io.encryption.enabled=true");
        }
        boolean isNetworkUsed = !conf.get("spark.master", "").matches("local(\\[.*])?");
        if (isNetworkUsed && !encryptsNetwork(conf)) {
            missing.append(" --conf spark.authenticate=true --conf spark.network.crypto.enabled=true");
        }
        if (!missing.isEmpty()) {
            throw new IllegalStateException("Spark would write or send opened values in the clear\nhint: add" + missing
                    + ", or allow it with " + otherwise);
        }
    }

    private static boolean encryptsNetwork(SparkConf conf) {
        boolean isAuthenticated = conf.getBoolean("spark.authenticate", false);
        return conf.getBoolean("spark.ssl.rpc.enabled", false)
                || (isAuthenticated && (conf.getBoolean("spark.network.crypto.enabled", false)
                        || conf.getBoolean("spark.authenticate.enableSaslEncryption", false)));
    }
}
