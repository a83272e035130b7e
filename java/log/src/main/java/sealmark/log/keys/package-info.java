/** The keys that logs are sealed to and opened with (spec/file.md, "Keys"; spec/record.md, "Header"). */
package sealmark.log.keys;
