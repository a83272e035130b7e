package sealmark.lab.engine;

/** {@code sun.misc.BASE64Encoder}, of the published figures: asked for by reflection, should any JDK still have it. */
final class SunMisc extends Codec {
    private static final String ENCODER = "sun.misc.BASE64Encoder";

    @Override
    public String version() {
        return ENCODER;
    }

    @Override
    Work asWritten(String algorithm) throws Trouble {
        throw absent();
    }

    @Override
    Work tuned(String algorithm) throws Trouble {
        throw absent();
    }

    private static Trouble absent() {
        try {
            Class.forName(ENCODER);
            return Trouble.unsupported(ENCODER + " is in this JDK, but this engine has no code that calls it");
        } catch (ClassNotFoundException error) {
            return Trouble.unsupported(ENCODER + " left the JDK in version 9; sun.misc-stand-in does similar work");
        }
    }
}
