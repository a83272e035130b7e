/** The engine of job {@code log-app}: Tomcat, its access log and the clients that keep it busy, in one process. */
package sealmark.lab.app;
