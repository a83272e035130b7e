package sealmark.spark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/** JSON as Spark's options have it. */
final class Json {
    private Json() {}

    static String[] strings(String array) {
        try {
            return new ObjectMapper().readValue(array, String[].class);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("the option \"paths\" is not a JSON array of strings", e);
        }
    }
}
