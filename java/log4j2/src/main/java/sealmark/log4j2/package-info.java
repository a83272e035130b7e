/**
 * Plugins that seal values in logs written by Log4j 2. All of them are found by being on the class path or module path.
 *
 * <ul>
 *   <li>{@code <Sealer>}, a child of {@code <Configuration>}: {@link sealmark.log4j2.SealerElement} names the readers.
 *   <li>{@code <SealedLayout>} around an appender's layout: {@link sealmark.log4j2.SealedLayout} writes the lines that
 *       a log with tokens needs. Without it, {@code <Sealer>} needs a side file.
 *   <li>{@code %sealed{pattern}{label}}, {@link sealmark.log4j2.SealedConverter}.
 *   <li>{@code %sealedEx}, {@link sealmark.log4j2.SealedThrowableConverter}, for the messages of exceptions.
 *   <li>{@code <SealingRewritePolicy>}, {@link sealmark.log4j2.SealingRewritePolicy}, for appenders of any layout.
 *   <li>{@code {"$resolver": "sealed", …}}, {@link sealmark.log4j2.SealedResolver}, for JsonTemplateLayout.
 * </ul>
 *
 * <p>{@link sealmark.log.Sealed#of(String, Object)} needs only {@code <Sealer>} and {@code <SealedLayout>}.
 *
 * <p>A value that cannot be sealed becomes {@code ~s1x~label~}, and is counted by the sealer. Log4j's status logger
 * reports errors of the configuration.
 *
 * <p>If formatting a value or the layout inside {@code <SealedLayout>} throws, the classes and frames of the exception are
 * reported, and no messages. <b>Log4j itself reports the message, too,</b> if formatting throws before an appender gets the
 * event, as with {@code logger.printf} or with filters that read the text. (If {@code toString} of a {@code {}} argument
 * throws, the exception becomes a part of the text instead, and is sealed with it.)
 */
package sealmark.log4j2;
