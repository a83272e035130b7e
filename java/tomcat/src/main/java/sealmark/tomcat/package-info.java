/** Valves for Apache Tomcat that write its access logs with values sealed. */
package sealmark.tomcat;
