package sealmark.lab.engine.tls;

/** Groups with a number in the IANA registry of TLS supported groups. */
enum Group {
    X25519("X25519", 29, "x25519"),
    P256("P-256", 23, "secp256r1"),
    X25519_MLKEM768("X25519MLKEM768", 4588, "X25519MLKEM768"),
    FFDHE2048("DH-2048", 256, "ffdhe2048");

    /** The name in spec/engine.md. */
    final String label;

    final int number;

    /** The name in javax.net.ssl. */
    final String javaName;

    Group(String label, int number, String javaName) {
        this.label = label;
        this.number = number;
        this.javaName = javaName;
    }

    static boolean isNamed(String label) {
        return of(label) != null;
    }

    /** Null where the name is none of these. */
    static Group of(String label) {
        for (Group group : values()) {
            if (group.label.equals(label)) {
                return group;
            }
        }
        return null;
    }

    /** The name of a group's number on the wire. */
    static String label(int number) {
        for (Group group : values()) {
            if (group.number == number) {
                return group.label;
            }
        }
        return "group " + number;
    }
}
