/**
 * Plugins that seal values in logs written by Log4j 2. All of them are found by being on the class path or module path.
 *
 * <ul>
 *   <li>{@code <Sealer>}, a child of {@code <Configuration>}: {@link sealmark.log4j2.SealerElement} says for whom.
 *   <li>{@code <SealedLayout>} around an appender's layout: {@link sealmark.log4j2.SealedLayout} writes the lines that
 *       a log with tokens needs. Without it, name a side file in {@code <Sealer>}.
 *   <li>{@code %sealed{pattern}{label}}, {@link sealmark.log4j2.SealedConverter}.
 *   <li>{@code %sealedEx}, {@link sealmark.log4j2.SealedThrowableConverter}, for the messages of exceptions.
 *   <li>{@code <SealingRewritePolicy>}, {@link sealmark.log4j2.SealingRewritePolicy}, for appenders of any layout.
 *   <li>{@code {"$resolver": "sealed", …}}, {@link sealmark.log4j2.SealedResolver}, for JsonTemplateLayout.
 * </ul>
 *
 * <p>{@link sealmark.log.Sealed#of(String, Object)} needs none of them but {@code <Sealer>} and {@code <SealedLayout>}.
 *
 * <p>What cannot be sealed becomes {@code ~s1x~label~}, and is counted by the sealer. What is wrong in the
 * configuration is told by Log4j's status logger.
 */
package sealmark.log4j2;
