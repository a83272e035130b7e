package sealmark.lab.engine;

/** The common part of libraries for job {@code codec}, which has no keys and authenticates nothing. */
abstract class Codec implements Library {
    @Override
    public Work prepare(Job job) throws Exception {
        if (!job.kind.equals("codec")) {
            throw Trouble.unsupported("this engine does no job \"" + job.kind + "\"");
        }
        return job.tuned ? tuned(job.algorithm) : asWritten(job.algorithm);
    }

    abstract Work asWritten(String algorithm) throws Exception;

    abstract Work tuned(String algorithm) throws Exception;

    static Work work(String code, Operation encode, Operation decode) {
        return new Work(false, code, encode, decode);
    }

    static Trouble unknown(String algorithm) {
        return Trouble.unsupported("this engine has no codec \"" + algorithm + "\"");
    }

    /** The version in the name of the jar that a class came from: some say it nowhere else. */
    static String versionOfJar(Class<?> origin) {
        String place = origin.getProtectionDomain().getCodeSource().getLocation().getPath();
        String version = place.replaceAll(".*-([0-9][^/]*)\\.jar", "$1");
        return version.equals(place) ? "unknown version" : version;
    }

    /** The version in the manifest of the jar that a class came from. */
    static String version(Class<?> origin) {
        String version = origin.getPackage().getImplementationVersion();
        return version == null ? "unknown version" : version;
    }
}
