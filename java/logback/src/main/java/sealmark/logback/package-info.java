/**
 * Logback with sealed values. {@link sealmark.logback.SealerConfig} installs the sealer out of {@code logback.xml};
 * {@link sealmark.logback.SealedConverter}, {@link sealmark.logback.SealedKeyValuePairConverter}, {@link
 * sealmark.logback.SealedThrowableConverter} and {@link sealmark.logback.SealedFields} say which values are sealed; and
 * one of the appenders writes the lines, with what readers need to open them.
 */
package sealmark.logback;
