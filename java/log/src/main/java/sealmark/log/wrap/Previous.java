package sealmark.log.wrap;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

/**
 * The session before another one in the same log (spec/record.md, "Header").
 *
 * @param session as tokens write it
 * @param count how many values it sealed, where no further one can be and no counter below is unused; else negative
 */
public record Previous(String session, long count) {
    /** True if the count is told. */
    public boolean isCounted() {
        return count >= 0;
    }

    byte[] id() {
        return Base64Url.decode(session.getBytes(ISO_8859_1), 0, session.length()).orElseThrow();
    }
}
