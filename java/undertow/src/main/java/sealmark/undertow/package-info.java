/** Undertow's access logs with values sealed. */
package sealmark.undertow;
