/**
 * Seals access logs of HTTP servers: the rules that decide what is sealed in a request, for the adapters of servers. A {@link
 * sealmark.log.access.Dialect} describes the patterns of one server.
 */
package sealmark.log.access;
