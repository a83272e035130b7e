/** Opens sealed logs, for holders of a secret key or a pre-shared key (spec/record.md, "Opening"). */
package sealmark.log.reader;
