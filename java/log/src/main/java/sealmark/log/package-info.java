/**
 * Seals values inside log records (spec/record.md).
 *
 * <p>A service holds a {@link sealmark.log.LogSealer}, which knows only public keys, and replaces each private value with
 * a token. {@link sealmark.log.SessionLines} puts the header of its session into each log; holders of the secret key open the
 * log with the program {@code sealmark log open} or the library {@code sealmark-log-reader}.
 */
package sealmark.log;
