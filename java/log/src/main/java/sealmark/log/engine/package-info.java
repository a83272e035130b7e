/** How sessions seal: in native code, or in pure Java. Not for use from outside; tokens are the same byte for byte. */
package sealmark.log.engine;
