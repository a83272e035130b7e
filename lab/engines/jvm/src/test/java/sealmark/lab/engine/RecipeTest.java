package sealmark.lab.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class RecipeTest {
    @Test
    void splitmix64MatchesTheSpec() {
        assertEquals("85fc08fb17d09e59", Bytes.hex(Recipe.bytes(1234567, 8)));
    }

    @Test
    void aShorterInputIsTheStartOfALongerOne() {
        byte[] whole = Recipe.bytes(7, 33);
        for (int length = 0; length <= whole.length; length++) {
            assertArrayEquals(Arrays.copyOf(whole, length), Recipe.bytes(7, length));
        }
    }

    @Test
    void keyAndNonceFollowFromTheNextSeeds() {
        Recipe recipe = new Recipe(1234566);
        assertEquals("85fc08fb17d09e59", Bytes.hex(recipe.key(8)));
        assertEquals("85fc08fb0102030405060708", Bytes.hex(new Recipe(1234565).nonce(0x0102030405060708L)));
    }
}
