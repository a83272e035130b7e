package sealmark.testing;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Combinations of choices: all of them, or as few as have each pair of two choices together. */
public final class Pairwise {
    private Pairwise() {}

    /** A choice for each number of choices; all combinations where the property {@code sealmark.canary} is {@code all}. */
    public static List<List<Integer>> of(int... numbers) {
        List<List<Integer>> all = all(numbers, 0);
        return System.getProperty("sealmark.canary", "").equals("all") ? all : few(all);
    }

    private static List<List<Integer>> all(int[] numbers, int from) {
        if (from == numbers.length) {
            return List.of(List.of());
        }
        List<List<Integer>> all = new ArrayList<>();
        for (List<Integer> rest : all(numbers, from + 1)) {
            for (int choice = 0; choice < numbers[from]; choice++) {
                List<Integer> one = new ArrayList<>(List.of(choice));
                one.addAll(rest);
                all.add(one);
            }
        }
        return all;
    }

    /** Always the one that has the most pairs that none before has. */
    private static List<List<Integer>> few(List<List<Integer>> all) {
        Set<String> missing = new HashSet<>();
        all.forEach(one -> missing.addAll(pairs(one)));
        List<List<Integer>> few = new ArrayList<>();
        while (!missing.isEmpty()) {
            List<Integer> next = all.stream()
                    .max(Comparator.comparingLong(one -> pairs(one).stream().filter(missing::contains).count()))
                    .orElseThrow();
            missing.removeAll(new HashSet<>(pairs(next)));
            few.add(next);
        }
        return few;
    }

    private static List<String> pairs(List<Integer> one) {
        List<String> pairs = new ArrayList<>();
        for (int first = 0; first < one.size(); first++) {
            for (int second = first + 1; second < one.size(); second++) {
                pairs.add(first + "=" + one.get(first) + " " + second + "=" + one.get(second));
            }
        }
        return pairs;
    }
}
