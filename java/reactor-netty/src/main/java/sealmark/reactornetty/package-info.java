/** Reactor Netty's access logs with values sealed. */
package sealmark.reactornetty;
