/** Jetty 12's request logs with values sealed. */
package sealmark.jetty;
