/**
 * Seals access logs of HTTP servers: the rules of what is sealed in a request, for the adapters of servers. {@link
 * sealmark.log.access.Dialect} is all that they know of a server's patterns.
 */
package sealmark.log.access;
