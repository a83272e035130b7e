package sealmark.log;

/** The attributes of a sealer in JMX. */
public interface LogSealerMXBean {
    /**
     * Names the engine in use.
     *
     * @return as {@link LogSealer#engine}
     */
    String getEngine();

    /**
     * Counts the values that were sealed.
     *
     * @return as {@link LogSealer#sealed}
     */
    long getSealed();

    /**
     * Counts the values that were replaced with a marker because they could not be sealed.
     *
     * @return as {@link LogSealer#failed}; watch that it stays 0
     */
    long getFailed();

    /**
     * Counts the sessions whose header was not written to any log in time.
     *
     * @return as {@link LogSealer#sessionsWithoutHeader}; watch that it stays 0
     */
    long getSessionsWithoutHeader();

    /**
     * The reason why the last value could not be sealed.
     *
     * @return as {@link LogSealer#lastFailure}; null if no value failed
     */
    String getLastFailure();
}
