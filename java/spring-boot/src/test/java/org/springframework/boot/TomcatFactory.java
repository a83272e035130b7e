package org.springframework.boot;

import java.util.ArrayList;
import java.util.Collection;
import org.apache.catalina.Valve;

/** Has the valves of Spring Boot's factory, which is in another package in each version; applications extend it. */
public class TomcatFactory {
    private Collection<Valve> valves = new ArrayList<>();

    /** The valves of all hosts. */
    public Collection<Valve> getEngineValves() {
        return valves;
    }

    /** Replaces them. */
    public void setEngineValves(Collection<? extends Valve> valves) {
        this.valves = new ArrayList<>(valves);
    }
}
