/**
 * Opens, searches, verifies and re-keys sealed logs on Apache Spark: {@link sealmark.spark.SealedLogs} in programs, and {@link
 * sealmark.spark.Main} for {@code spark-submit}.
 */
package sealmark.spark;
