package sealmark.spark;

/** A file that a task wrote, and that gets its name when the job is done. */
interface Output {
    /** The file that was read. */
    LogFile file();

    /** The address of the output; null if the input is damaged and there is none. */
    String temporary();

    /** The fault of the input; null if there is none. */
    String damage();
}
