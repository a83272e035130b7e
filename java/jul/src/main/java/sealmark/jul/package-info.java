/** Logs of java.util.logging and of JBoss LogManager with sealed values. */
package sealmark.jul;
