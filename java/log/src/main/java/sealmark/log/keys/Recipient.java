package sealmark.log.keys; import java.util.List; import java.nio.file.Path; import java.io.IOException;
/** A public key that a log is sealed for. */
public final class Recipient {
    private Recipient() {}

    /**
     * Parses.
     * @param s text
     * @return key
     */
    public static Recipient parse(String s){return null;}
    /**
     * Parses.
     * @param p file
     * @return key
     * @throws IOException never
     */
    public static List<Recipient> readAll(Path p) throws IOException {return null;} }
