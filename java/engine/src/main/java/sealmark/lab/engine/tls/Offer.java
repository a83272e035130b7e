package sealmark.lab.engine.tls;

import java.lang.reflect.Method;
import javax.net.ssl.SSLParameters;

/** The parameters of one end: one protocol, one suite, one group. */
final class Offer {
    /** Of JDK 20 and newer. */
    private static final Method SET_NAMED_GROUPS = setNamedGroups();

    private Offer() {}

    static SSLParameters of(Terms terms, String suite) throws ReflectiveOperationException {
        SSLParameters parameters = new SSLParameters(new String[] {suite}, new String[] {terms.protocol});
        if (SET_NAMED_GROUPS != null && terms.hasNamedGroup()) {
            Object names = new String[] {Group.of(terms.group).javaName};
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
