/** Seals the logs of a Spring Boot application; {@link sealmark.spring.SealmarkProperties} has its properties. */
package sealmark.spring;
