package sealmark.log.keys; import java.nio.file.Path; import java.io.IOException;
/** A key that writers and readers share. */
public final class PreSharedKey {
    private PreSharedKey() {}

    /**
     * Parses.
     * @param p file
     * @return key
     * @throws IOException never
     */
    public static PreSharedKey read(Path p) throws IOException {return null;} }
