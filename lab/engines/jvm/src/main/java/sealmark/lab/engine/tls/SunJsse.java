package sealmark.lab.engine.tls;

import java.security.Security;
import java.util.Collections;
import java.util.List;
import sealmark.lab.engine.Trouble;

/** The JDK's own TLS. */
public final class SunJsse extends Jsse {
    private static final String[] PROPERTIES = {DISABLED, "jdk.certpath.disabledAlgorithms"};

    private static final int OLDEST_FIELD = 768;

    /** Its table of suites, in every version from 8 to 27, gives this one the key exchange of DH_anon. */
    private static final String NO_EXPORT = "TLS_DH_anon_EXPORT_WITH_RC4_40_MD5";

    private final boolean legacy;

    private SunJsse(boolean legacy) {
        super(Security.getProvider("SunJSSE"), "SunJSSE " + versionOf(Security.getProvider("SunJSSE")));
        this.legacy = legacy;
    }

    /** With what the JDK's security properties allow. */
    public static SunJsse asConfigured() {
        return new SunJsse(false);
    }

    /** With suites and protocols that nobody should use any more, in a process that was started for them. */
    public static SunJsse legacy() {
        return new SunJsse(true);
    }

    @Override
    void mustBeGuarded() throws Trouble {
        if (legacy) {
            mustBeUnlocked();
        } else {
            super.mustBeGuarded();
        }
    }

    @Override
    void mustDo(Terms terms) throws Trouble {
        if (terms.suite.contains("_EXPORT_") && terms.isFiniteField() != terms.suite.equals(NO_EXPORT)) {
            throw Trouble.unsupported("the JDK takes " + NO_EXPORT + " for one of DH-" + OLDEST_FIELD
                    + ", not of 512 bits, and no other");
        }
        if (!legacy && terms.fieldBits() == OLDEST_FIELD) {
            throw Trouble.unsupported("the JDK's security properties forbid fields of " + OLDEST_FIELD + " bits");
        }
        if (!Offer.choosesGroups() && terms.group.equals(Group.X25519_MLKEM768.label)) {
            throw Trouble.unsupported("no JDK before 20 has " + terms.group);
        }
    }

    /** The groups only where nothing better is there. */
    @Override
    void settle(Terms terms) throws Trouble {
        if (!Offer.choosesGroups()) {
            SystemProperties.set("jdk.tls.namedGroups", String.join(",", groups(terms)));
        }
        SystemProperties.set("jdk.tls.ephemeralDHKeySize", fieldSize(terms));
    }

    /** The JDK makes fields of 768 bits only if told "legacy". */
    private String fieldSize(Terms terms) {
        boolean oldest = legacy && !terms.isFiniteField() || terms.fieldBits() == OLDEST_FIELD;
        return oldest ? "legacy" : terms.isFiniteField() ? Integer.toString(terms.fieldBits()) : "";
    }

    /** A server that finds a group of RFC 7919 in the client's list takes it: so the list has none, or the one wanted. */
    @Override
    List<String> groups(Terms terms) {
        return terms.hasNamedGroup() ? super.groups(terms) : Collections.singletonList(Group.P256.javaName);
    }

    private static void mustBeUnlocked() throws Trouble {
        for (String property : PROPERTIES) {
            if (!forbidsNothing(property)) {
                throw Trouble.failed(property + " is in force; hint: java -Djava.security.properties=legacy.security");
            }
        }
    }
}
