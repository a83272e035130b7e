/** Recognises JSON. Internal: not for use from outside. */
package sealmark.log.json;
