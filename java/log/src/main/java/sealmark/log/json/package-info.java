/** What is JSON. Not for use from outside. */
package sealmark.log.json;
