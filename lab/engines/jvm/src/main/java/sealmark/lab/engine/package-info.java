/**
 * The JVM engine of the lab: {@code Main} reads asks, {@code Conversation} answers them, a {@code Library} does the
 * work in its {@code Operation}s. spec/engine.md is the truth for what is said on the wire.
 */
package sealmark.lab.engine;
