package sealmark.lab.engine.tls;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import sealmark.lab.engine.Trouble;

/** Which groups and certificates go with a suite, and which suites with a protocol: by the suite's name alone. */
final class KeyExchange {
    private static final List<String> PROTOCOLS = Arrays.asList("TLSv1", "TLSv1.1", "TLSv1.2", Terms.TLS_1_3);
    private static final String RSA = "RSA-1024 RSA-2048";
    private static final String CURVES = "X25519 P-256";
    private static final String FIELDS = "DH-768 DH-1024 DH-2048";

    /** By what is before {@code _WITH_}: the groups, the certificates. */
    private static final Map<String, String[]> WORDS = new HashMap<>();

    static {
        WORDS.put("ECDHE_ECDSA", new String[] {CURVES, "ECDSA-P-256 Ed25519"});
        WORDS.put("ECDHE_RSA", new String[] {CURVES, RSA});
        WORDS.put("ECDH_anon", new String[] {CURVES, Terms.NONE});
        WORDS.put("DHE_RSA", new String[] {FIELDS, RSA});
        WORDS.put("DH_anon", new String[] {FIELDS, Terms.NONE});
        WORDS.put("RSA", new String[] {Terms.NONE, RSA});
        WORDS.put("DHE_RSA_EXPORT", new String[] {Terms.EXPORT, RSA});
        WORDS.put("RSA_EXPORT", new String[] {Terms.EXPORT, RSA});
        // One JDK's table has a field of another length for one of these.
        WORDS.put("DH_anon_EXPORT", new String[] {Terms.EXPORT + " DH-768", Terms.NONE});
    }

    private static final String[] WORDS_OF_TLS_1_3 =
            {CURVES + " X25519MLKEM768 DH-2048", RSA + " ECDSA-P-256 Ed25519"};

    private KeyExchange() {}

    /** Refuses what no library can agree on. */
    static void mustFit(Terms terms) throws Trouble {
        String[] words = words(terms);
        if (!PROTOCOLS.contains(terms.protocol) || words == null || isOfAnotherTime(terms)) {
            throw Trouble.unsupported("this engine knows no suite " + terms.suite + " of a protocol " + terms.protocol);
        }
        mustBeIn(words[0], terms.group, "group", terms);
        mustBeIn(words[1], terms.certificate, "certificate", terms);
    }

    /** Null for a suite that names no key exchange of the protocol's. */
    private static String[] words(Terms terms) {
        int with = terms.suite.indexOf("_WITH_");
        if (!terms.suite.startsWith("TLS_") || terms.isTls13() != with < 0) {
            return null;
        }
        return terms.isTls13() ? WORDS_OF_TLS_1_3 : WORDS.get(terms.suite.substring("TLS_".length(), with));
    }

    /** Suites with a hash of their own begin with TLS 1.2; EXPORT ended with TLS 1.0, DES with 1.1. */
    private static boolean isOfAnotherTime(Terms terms) {
        int version = PROTOCOLS.indexOf(terms.protocol);
        return terms.suite.matches(".*_SHA(256|384)") && version < 2
                || terms.suite.contains("_EXPORT_") && version > 0
                || terms.suite.contains("_DES_CBC_") && version > 1;
    }

    private static void mustBeIn(String words, String word, String what, Terms terms) throws Trouble {
        if (!Arrays.asList(words.split(" ")).contains(word)) {
            throw Trouble.unsupported("no " + what + " \"" + word + "\" goes with " + terms.protocol + " " + terms.suite
                    + ", only " + words);
        }
    }
}
