/** How the key of a log session is wrapped for its readers: no part of the API. */
package sealmark.log.wrap;
