// SPDX-License-Identifier: Apache-2.0
// Job.java: Hardwood, by its column readers and by its row reader: `Job JOB THREADS FILE...`, to be talked to
// as job.py. CPU time is the process's; the CPUs are limited outside. -Dwarm=SECONDS: how long it runs before.
import dev.hardwood.Hardwood;
import dev.hardwood.HardwoodContext;
import dev.hardwood.InputFile;
import dev.hardwood.reader.ColumnReader;
import dev.hardwood.reader.ColumnReaders;
import dev.hardwood.reader.ParquetFileReader;
import dev.hardwood.reader.RowReader;
import dev.hardwood.reader.Validity;
import dev.hardwood.schema.ColumnProjection;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Scanner;

public final class Job {
    static final String[] NAMES = {"passenger_count", "trip_distance", "fare_amount"};

    static final Map<String, String> WAYS = Map.of("rows", "rows", "count", "footer", "lengths", "rows", "visit", "rows");

    static double sum(double[] v, Validity present, int n) {
        double a = 0, b = 0, c = 0, d = 0;
        int i = 0;
        if (present.hasNulls()) {
            long[] words = present.words();
            for (; i < n; i++) if ((words[i >> 6] >>> i & 1) != 0) a += v[i];
            return a;
        }
        for (; i + 4 <= n; i += 4) {
            a += v[i];
            b += v[i + 1];
            c += v[i + 2];
            d += v[i + 3];
        }
        for (; i < n; i++) a += v[i];
        return a + b + c + d;
    }

    static long sum(long[] v, Validity present, int n) {
        long a = 0;
        if (present.hasNulls()) {
            long[] words = present.words();
            for (int i = 0; i < n; i++) a += v[i] & -(words[i >> 6] >>> i & 1);
            return a;
        }
        for (int i = 0; i < n; i++) a += v[i];
        return a;
    }

    static double[] columns(Hardwood hardwood, List<Path> paths, boolean all) throws Exception {
        ColumnProjection wanted = all ? ColumnProjection.all() : ColumnProjection.columns(NAMES);
        long rows = 0, whole = 0, seen = 0;
        double b = 0, c = 0;
        try (ParquetFileReader reader = hardwood.openAll(InputFile.ofPaths(paths)); ColumnReaders columns = reader.columnReaders(wanted)) {
            ColumnReader x = columns.getColumnReader(NAMES[0]), y = columns.getColumnReader(NAMES[1]), z = columns.getColumnReader(NAMES[2]);
            while (columns.nextBatch()) {
                int n = columns.getRecordCount();
                whole += sum(x.getLongs(), x.getLeafValidity(), n);
                b += sum(y.getDoubles(), y.getLeafValidity(), n);
                c += sum(z.getDoubles(), z.getLeafValidity(), n);
                for (int k = 0; all && k < columns.getColumnCount(); k++) seen += touch(columns.getColumnReader(k));
                rows += n;
            }
        }
        if (seen < 0) throw new IllegalStateException();
        return new double[] {whole, b, c, rows};
    }

    /// The arrays are made when they are asked for.
    static long touch(ColumnReader column) {
        return switch (column.getColumnSchema().type()) {
            case INT32 -> column.getInts().length;
            case INT64 -> column.getLongs().length;
            case FLOAT -> column.getFloats().length;
            case DOUBLE -> column.getDoubles().length;
            default -> column.getBinaryValues().length + column.getBinaryOffsets().length;
        };
    }

    static double[] rows(Hardwood hardwood, List<Path> paths) throws Exception {
        long rows = 0, whole = 0;
        double b = 0, c = 0;
        try (ParquetFileReader reader = hardwood.openAll(InputFile.ofPaths(paths));
                RowReader row = reader.buildRowReader().projection(ColumnProjection.columns(NAMES)).build()) {
            while (row.hasNext()) {
                row.next();
                rows++;
                if (!row.isNull(0)) whole += row.getLong(0);
                if (!row.isNull(1)) b += row.getDouble(1);
                if (!row.isNull(2)) c += row.getDouble(2);
            }
        }
        return new double[] {whole, b, c, rows};
    }

    static double[] count(Hardwood hardwood, List<Path> paths) throws Exception {
        long rows = 0;
        for (Path path : paths) {
            try (ParquetFileReader reader = hardwood.open(InputFile.of(path))) {
                rows += reader.getFileMetaData().numRows();
            }
        }
        return new double[] {0, 0, 0, rows};
    }

    static double cpu() {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime() / 1e6;
    }

    static double[] go(String job, Hardwood hardwood, List<Path> paths) throws Exception {
        return switch (job) {
            case "rows" -> rows(hardwood, paths);
            case "count" -> count(hardwood, paths);
            case "sum", "all" -> columns(hardwood, paths, job.equals("all"));
            case "aggregates" -> Nested.lengths(hardwood, paths);
            case "lengths" -> Nested.rows(hardwood, paths);
            case "leaves" -> Nested.leaves(hardwood, paths);
            case "visit" -> Nested.visit(hardwood, paths);
            default -> null; // all leaves without assembling: its columns come with offsets
        };
    }

    public static void main(String[] a) throws Exception {
        List<Path> paths = new ArrayList<>();
        for (int i = 2; i < a.length; i++) paths.add(Path.of(a[i]));
        try (HardwoodContext context = HardwoodContext.create(Integer.parseInt(a[1])); Hardwood hardwood = Hardwood.create(context)) {
            long begin = System.nanoTime();
            double warm = 1e9 * Double.parseDouble(System.getProperty("warm", "5"));
            boolean able = go(a[0], hardwood, paths) != null;
            for (int k = 1; able && (k < 10 || System.nanoTime() - begin < warm); k++) go(a[0], hardwood, paths); // until it is compiled
            System.out.println("ready 1.0.1");
            for (Scanner in = new Scanner(System.in); in.hasNextInt();) {
                double wall = 1e30, used = 1e30;
                double[] sums = null;
                for (int k = in.nextInt(); able && k > 0; k--) {
                    double c = cpu();
                    long t = System.nanoTime();
                    sums = go(a[0], hardwood, paths);
                    wall = Math.min(wall, (System.nanoTime() - t) / 1e6);
                    used = Math.min(used, cpu() - c);
                }
                if (able) {
                    StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%s\t%.4f\t%.4f", WAYS.getOrDefault(a[0], "columns"), wall, used));
                    for (double sum : sums) line.append('\t').append(sum);
                    System.out.println(line);
                }
                System.out.println("done");
            }
        }
    }
}
