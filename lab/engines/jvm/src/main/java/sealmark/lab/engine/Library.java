package sealmark.lab.engine;

import sealmark.lab.engine.tls.Jsse;

/** The code that an engine lends its name to. */
interface Library {
    /** The version of the code that really does the work. */
    String version() throws Exception;

    /** Makes keys and what a user would have ready before the first operation; does none of the operations. */
    Work prepare(Job job) throws Exception;

    /** The library's JSSE provider, for the jobs of TLS. */
    default Jsse tls() throws Exception {
        throw Trouble.unsupported("this engine does no jobs of TLS");
    }

    /** The same for job {@code payload}, which works on files. */
    default Payload prepare(PayloadJob job) throws Exception {
        throw Trouble.unsupported("this engine does no job \"payload\"");
    }

    /** The same for job {@code record}, whose work threads share. */
    default RecordWay prepare(RecordJob job) throws Exception {
        throw Trouble.unsupported("this engine does no job \"record\"");
    }
}
