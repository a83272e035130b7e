/** logback-access with values sealed: {@link sealmark.logback.access.SealedPatternLayoutEncoder}. */
package sealmark.logback.access;
