package sealmark.spark;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.GlobFilter;
import org.apache.hadoop.fs.Path;

/** Finds the files of logs, and groups small ones so that each task has enough to do. */
final class LogFiles {
    private static final long MOST_IN_GROUP = 128L << 20;
    /** To open a file takes about as long as to read this much of it. */
    private static final long OPENING = 1L << 20;
    /** Tasks per core: the last one to end does not keep the others waiting for long. */
    private static final int ROUNDS = 4;

    private LogFiles() {}

    /**
     * The files in some inputs, sorted by their addresses. Like Spark's own sources, it leaves names out that begin with a
     * dot or an underscore.
     *
     * @param inputs files, folders, or patterns of either
     * @throws IllegalArgumentException if one has the same name below its input as another
     */
    static List<LogFile> list(Configuration configuration, List<String> inputs) throws IOException {
        List<LogFile> files = new ArrayList<>();
        for (String input : inputs) {
            Path path = new Path(input);
            FileSystem system = path.getFileSystem(configuration);
            FileStatus[] found = system.globStatus(path);
            if (found == null || found.length == 0) {
                throw new FileNotFoundException("no such file or folder: \"" + input + "\"");
            }
            for (FileStatus status : found) {
                add(system, status, status.isDirectory() ? status.getPath() : status.getPath().getParent(), files);
            }
        }
        files.sort(Comparator.comparing(LogFile::path));
        return files;
    }

    private static void add(FileSystem system, FileStatus status, Path root, List<LogFile> files) throws IOException {
        if (status.isDirectory()) {
            for (FileStatus inside : system.listStatus(status.getPath())) {
                if (!isHidden(inside.getPath().getName())) {
                    add(system, inside, root, files);
                }
            }
            return;
        }
        String path = status.getPath().toString();
        String name = path.substring(root.toString().length()).replaceFirst("^/+", "");
        files.add(new LogFile(path, name, status.getLen(), status.getModificationTime()));
    }

    /** True if a path is what a pattern matches, or below it; both are qualified. */
    static boolean isIn(Path path, Path pattern) throws IOException {
        Path at = path;
        while (at.depth() > pattern.depth()) {
            at = at.getParent();
        }
        Path part = pattern;
        for (; at.depth() == part.depth() && !part.isRoot(); at = at.getParent(), part = part.getParent()) {
            if (!new GlobFilter(part.getName()).accept(at)) {
                return false;
            }
        }
        return at.equals(part);
    }

    private static boolean isHidden(String name) {
        return name.startsWith(".") || name.startsWith("_");
    }

    /** Neighbours together, in an order that gives each of {@code cores} several groups where there is enough to read. */
    static List<List<LogFile>> groups(List<LogFile> files, int cores) {
        long all = files.stream().mapToLong(file -> file.length() + OPENING).sum();
        long most = Math.max(OPENING, Math.min(MOST_IN_GROUP, all / Math.max(1, (long) cores * ROUNDS)));
        List<List<LogFile>> groups = new ArrayList<>();
        long size = most;
        for (LogFile file : files) {
            if (size + file.length() > most) {
                groups.add(new ArrayList<>());
                size = 0;
            }
            groups.get(groups.size() - 1).add(file);
            size += file.length() + OPENING;
        }
        return groups;
    }

    /** Refuses inputs whose outputs would be one file. */
    static void requireNames(List<LogFile> files) {
        String[] names = files.stream().map(LogFile::name).sorted().toArray(String[]::new);
        for (int at = 1; at < names.length; at++) {
            if (names[at].equals(names[at - 1])) {
                throw new IllegalArgumentException("two inputs have a file named \"" + names[at] + "\": "
                        + Arrays.toString(files.stream().filter(named(names[at])).map(LogFile::path).toArray())
                        + "\nhint: open them into different folders");
            }
        }
    }

    private static java.util.function.Predicate<LogFile> named(String name) {
        return file -> file.name().equals(name);
    }
}
