package sealmark.testing;

import java.util.List;
import sealmark.log.SealerSettings;

/** The names of a sealer's settings, each of which an adapter has to take. */
public final class SettingNames {
    private static final String HINT = "hint: use one of ";

    private SettingNames() {}

    /** In the order in which the error message of a wrong name tells them. */
    public static List<String> all() {
        try {
            new SealerSettings().set("none", "");
            throw new AssertionError("there is a setting \"none\"");
        } catch (IllegalArgumentException unknown) {
            String message = unknown.getMessage();
            return List.of(message.substring(message.indexOf(HINT) + HINT.length()).split(", "));
        }
    }

    /** The name in a setter's. */
    public static String capital(String name) {
        return Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }
}
