package sealmark.spark;

import java.io.Serializable;

/**
 * A file of a log as it was when the job began.
 *
 * @param path its address, with the scheme of its file system
 * @param name the address below the input that it was found in
 * @param length in bytes; what is appended later is not read
 * @param modified milliseconds since 1970, by the file system's clock
 */
record LogFile(String path, String name, long length, long modified) implements Serializable {}
