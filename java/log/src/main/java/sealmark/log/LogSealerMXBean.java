package sealmark.log;

/** The attributes of a sealer in JMX. */
public interface LogSealerMXBean {
    /**
     * Which engine runs.
     *
     * @return as {@link LogSealer#engine}
     */
    String getEngine();

    /**
     * How many values were sealed.
     *
     * @return as {@link LogSealer#sealed}
     */
    long getSealed();

    /**
     * How many values were replaced by a marker because they could not be sealed.
     *
     * @return as {@link LogSealer#failed}; watch that it stays 0
     */
    long getFailed();

    /**
     * How many log sessions no log had the header of in time.
     *
     * @return as {@link LogSealer#sessionsWithoutHeader}; watch that it stays 0
     */
    long getSessionsWithoutHeader();

    /**
     * The reason why the last value could not be sealed.
     *
     * @return as {@link LogSealer#lastFailure}; null where nothing did
     */
    String getLastFailure();
}
