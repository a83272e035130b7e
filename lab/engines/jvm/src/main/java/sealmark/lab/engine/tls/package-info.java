/** Jobs {@code tls-connect} and {@code tls-transfer} of spec/engine.md by libraries behind {@code javax.net.ssl}. */
package sealmark.lab.engine.tls;
