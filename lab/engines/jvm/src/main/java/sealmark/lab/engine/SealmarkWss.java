package sealmark.lab.engine;

import java.security.Provider;
import java.security.Security;
import sealmark.lab.engine.tls.Jsse;
import sealmark.wss.AttachmentSource;
import sealmark.wss.SealmarkProvider;

/** This project's streams and provider for attachments, which verify first. A JVM has one of their two engines. */
final class SealmarkWss implements Library {
    private final boolean isNative;

    private SealmarkWss(boolean isNative) {
        this.isNative = isNative;
    }

    static Library overJni() {
        return new SealmarkWss(true);
    }

    static Library inPureJava() {
        return new SealmarkWss(false);
    }

    @Override
    public String version() {
        return Codec.versionOfJar(SealmarkProvider.class);
    }

    @Override
    public Work prepare(Job job) throws Trouble {
        throw Trouble.unsupported("the library for attachments does job \"payload\" alone");
    }

    @Override
    public Payload prepare(PayloadJob job) throws Exception {
        if (!isNative) {
            // The first use decides for the JVM, and not who only asks for names and versions.
            System.setProperty("sealmark.wss.native", "off");
        }
        switch (job.mode) {
            case "stream":
                return new PayloadVerified(job, this);
            case "wss4j":
                return wss4j(job);
            default:
                throw Trouble.unsupported("the library for attachments does no payload in mode \"" + job.mode + "\"");
        }
    }

    /** The next provider seals. Opening spools, because the attachments of a receiver are streams. */
    private Payload wss4j(PayloadJob job) throws Trouble {
        SealmarkProvider.install();
        verify();
        Provider sun = Security.getProvider("SunJCE");
        PayloadCipher sealing = new PayloadCipher(job, sun, Jsse.versionOf(sun));
        PayloadCipher opening = new PayloadCipher(job, Security.getProvider(SealmarkProvider.NAME), version());
        return new PayloadWss4j(this + ", which leaves sealing to SunJCE,", sealing, opening,
                (sealed, output) -> AttachmentSource.spooled(sealed, output.toAbsolutePath().getParent()));
    }

    /** A row must not carry the name of an engine that did not do the work. */
    void verify() throws Trouble {
        if (SealmarkProvider.isNative() != isNative) {
            throw isNative
                    ? Trouble.unsupported("sealmark-wss has no native library for this machine")
                    : Trouble.failed("native code did what pure Java was asked for");
        }
    }

    @Override
    public String toString() {
        return "sealmark-wss " + version() + (isNative ? " over JNI" : " in pure Java");
    }
}
