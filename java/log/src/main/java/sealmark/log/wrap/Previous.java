package sealmark.log.wrap;

import java.util.OptionalLong;

/**
 * The session before another.
 *
 * @param session its id, as its tokens show it
 * @param count one more than its highest counter; empty if the writer did not know it
 */
public record Previous(String session, OptionalLong count) {}
