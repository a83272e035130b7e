package sealmark.lab.engine;

/** The code that an engine lends its name to. */
interface Library {
    /** The version of the code that really does the work. */
    String version() throws Exception;

    /** Makes keys and what a user would have ready before the first operation; does none of the operations. */
    Work prepare(Job job) throws Exception;

    /** The same for job {@code payload}, which works on files. */
    default Payload prepare(PayloadJob job) throws Exception {
        throw Trouble.unsupported("this engine does no job \"payload\"");
    }
}
