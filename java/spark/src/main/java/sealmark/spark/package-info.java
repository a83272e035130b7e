/**
 * Opens, searches, verifies and re-keys sealed logs on Apache Spark: {@link sealmark.spark.SealedLogs} in programs, {@link
 * sealmark.spark.SealmarkCatalog} in SQL, and {@link sealmark.spark.Main} for {@code spark-submit}.
 */
package sealmark.spark;
