/** Keys. */
package sealmark.log.keys;
