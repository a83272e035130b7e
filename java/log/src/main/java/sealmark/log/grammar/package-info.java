/** Where in a text tokens, parts of headers and closing tokens stand (spec/record.md, "Grammar"): no part of the API. */
package sealmark.log.grammar;
