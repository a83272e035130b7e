package sealmark.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** One rule finds values by name, for all adapters. */
class ValueNamesTest {
    private final List<String> told = new ArrayList<>();
    private final ValueNames names = new ValueNames(List.of("Email", "user.*", "order.card"), told::add);

    private Object sealed(String name, Object value) {
        return names.sealed(name, value, (found, own, one) -> found.label(own) + "!", true);
    }

    @Test
    void caseDoesNotMatterAndAStarStandsForAnyCharacters() {
        assertEquals("Email!", sealed("eMAIL", "secret"));
        assertEquals("user.id!", sealed("user.id", "secret"));
        assertEquals("USER.!", sealed("USER.", null));
        assertEquals("clear", sealed("users", "clear"));
        assertEquals("clear", sealed(null, "clear"));
        assertNull(names.find(null));
    }

    @Test
    void membersHaveTheirNameOrTheirPath() {
        Object order = Map.of("card", "secret", "items", List.of(Map.of("email", "secret", "n", 1), 2));
        assertEquals(Map.of("card", "order.card!", "items", List.of(Map.of("email", "Email!", "n", 1), 2)),
                sealed("order", order));
        assertEquals(Map.of("card", "clear"), sealed("other", Map.of("card", "clear")));
        assertEquals(List.of(Map.of("EMAIL", "Email!")), sealed("list", new Object[] {Map.of("EMAIL", "secret")}));
    }

    @Test
    void whatHasNoNamedValueStaysItself() {
        Object[] array = {Map.of("email", "clear where arrays are not looked into")};
        assertSame(array, names.sealed("a", array, (found, name, value) -> "sealed", false));
        Object map = Map.of("a", List.of(1, Map.of("b", 2)));
        assertSame(map, sealed("m", map));
    }

    @Test
    void aMapThatContainsItselfIsCopiedOnce() {
        Map<String, Object> cyclic = new LinkedHashMap<>();
        cyclic.put("email", "secret");
        cyclic.put("self", List.of(cyclic));
        Map<?, ?> copy = (Map<?, ?>) sealed("m", cyclic);
        assertEquals("Email!", copy.get("email"));
        assertSame(copy, ((List<?>) copy.get("self")).get(0));
    }

    @Test
    void namesThatMatchNothingAreToldOnceAtTheEnd() {
        names.record();
        assertEquals("Email", names.matched("email").label("email").toString());
        names.end();
        assertEquals(List.of("\"order.card\", \"user.*\" matched nothing in any record"), told);
    }
}
