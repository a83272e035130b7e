package sealmark.lab.engine.tls;

import java.lang.reflect.Method;
import java.util.List;
import javax.net.ssl.SSLParameters;

/** The parameters of one end: one protocol, one suite, one group. */
final class Offer {
    /** The method exists in JDK 20 and newer. */
    private static final Method SET_NAMED_GROUPS = setNamedGroups();

    private Offer() {}

    /** Returns whether parameters can name groups; else groups are a setting of the whole process. */
    static boolean choosesGroups() {
        return SET_NAMED_GROUPS != null;
    }

    /** Without a suite the library chooses. */
    static SSLParameters of(Terms terms, String suite, List<String> groups) throws ReflectiveOperationException {
        String[] suites = suite == null ? null : new String[] {suite};
        SSLParameters parameters = new SSLParameters(suites, new String[] {terms.protocol});
        if (choosesGroups() && !groups.isEmpty()) {
            Object names = groups.toArray(new String[0]);
            SET_NAMED_GROUPS.invoke(parameters, names);
        }
        return parameters;
    }

    private static Method setNamedGroups() {
        try {
            return SSLParameters.class.getMethod("setNamedGroups", String[].class);
        } catch (NoSuchMethodException error) {
            return null;
        }
    }
}
