package sealmark.lab.engine.tls;

import sealmark.lab.engine.Trouble;

/** The only choices that both ends offer and accept. */
final class Terms {
    static final String TLS_1_3 = "TLSv1.3";
    static final String NONE = "none";
    static final String EXPORT = "export";

    final String protocol;

    /** By its name in the IANA registry. */
    final String suite;

    final String group;
    final String certificate;

    Terms(String protocol, String suite, String group, String certificate) throws Trouble {
        this.protocol = protocol;
        this.suite = suite;
        this.group = group;
        this.certificate = certificate;
        KeyExchange.mustFit(this);
    }

    boolean isAnonymous() {
        return certificate.equals(NONE);
    }

    /** In TLS 1.3 the client knows a resumption by a ticket under a key of its own, not by an id it has seen before. */
    boolean isTls13() {
        return protocol.equals(TLS_1_3);
    }

    /** The length of the prime, where the group is a finite field. */
    int fieldBits() {
        return isFiniteField() ? Integer.parseInt(group.substring(3)) : 0;
    }

    boolean isFiniteField() {
        return group.startsWith("DH-");
    }

    /** Returns whether the key exchange is over a group that has a name on the wire. */
    boolean hasNamedGroup() {
        return Group.isNamed(group);
    }

    @Override
    public String toString() {
        return String.join(" ", protocol, suite, group, certificate);
    }
}
