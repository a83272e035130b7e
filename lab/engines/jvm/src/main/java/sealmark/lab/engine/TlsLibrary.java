package sealmark.lab.engine;

import sealmark.lab.engine.tls.Jsse;

/** A library that is here for TLS alone. */
final class TlsLibrary implements Library {
    private final Jsse jsse;

    TlsLibrary(Jsse jsse) {
        this.jsse = jsse;
    }

    @Override
    public String version() {
        return jsse.version();
    }

    @Override
    public Work prepare(Job job) throws Trouble {
        throw Trouble.unsupported("this engine does no job \"" + job.kind + "\"");
    }

    @Override
    public Jsse tls() {
        return jsse;
    }
}
