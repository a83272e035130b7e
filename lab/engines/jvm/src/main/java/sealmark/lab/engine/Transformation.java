package sealmark.lab.engine;

import java.security.Provider;

/** An algorithm under the name that one provider knows it by, and the class that provider answers with. */
final class Transformation {
    final Algorithm algorithm;
    final String name;
    private final Provider.Service service;

    private Transformation(Algorithm algorithm, String name, Provider.Service service) {
        this.algorithm = algorithm;
        this.name = name;
        this.service = service;
    }

    /** Looks the names up without making an instance, which is work of the first operation. */
    static Transformation of(Algorithm algorithm, Provider provider) throws Trouble {
        for (String name : algorithm.transformations) {
            Provider.Service service = service(name, provider);
            if (service != null) {
                return new Transformation(algorithm, name, service);
            }
        }
        throw Trouble.unsupported(provider.getName() + " has no cipher " + algorithm.label);
    }

    private static Provider.Service service(String name, Provider provider) {
        Provider.Service whole = provider.getService("Cipher", name);
        if (whole != null || !name.contains("/")) {
            return whole != null && isWhatTheNameSays(name, whole) ? whole : null;
        }
        String[] parts = name.split("/");
        Provider.Service base = provider.getService("Cipher", parts[0]);
        return base != null && takesMode(base, parts[1]) ? base : null;
    }

    /** ACCP answers to the bare name AES, but with CBC, where the JCA's bare name means ECB. */
    private static boolean isWhatTheNameSays(String name, Provider.Service service) {
        return name.contains("/") || !service.getClassName().contains("Cbc");
    }

    /** Bouncy Castle names no modes beforehand and takes all that are asked of it here. */
    private static boolean takesMode(Provider.Service base, String mode) {
        String modes = base.getAttribute("SupportedModes");
        return modes == null ? base.getProvider().getName().equals("BC") : ("|" + modes + "|").contains("|" + mode + "|");
    }

    @Override
    public String toString() {
        return name + " by " + service.getClassName();
    }
}
