/** Reads sealed logs: where tokens stand, which headers their sessions have, how values are put in their place. */
package sealmark.log.read;
