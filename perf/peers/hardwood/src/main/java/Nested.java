// SPDX-License-Identifier: Apache-2.0
// Nested.java: Hardwood's jobs on nested files: versions and lengths of lists by columns and by rows, all leaves as
// arrays, and every field of every row.
import dev.hardwood.Hardwood;
import dev.hardwood.InputFile;
import dev.hardwood.reader.ColumnReader;
import dev.hardwood.reader.ColumnReaders;
import dev.hardwood.reader.ParquetFileReader;
import dev.hardwood.reader.RowReader;
import dev.hardwood.reader.Validity;
import dev.hardwood.row.PqList;
import dev.hardwood.row.PqMap;
import dev.hardwood.row.StructAccessor;
import dev.hardwood.schema.ColumnProjection;
import java.nio.file.Path;
import java.util.List;

final class Nested {
    /// One leaf, the smallest, is enough for a list's lengths.
    static final String[] LEAVES = {"version", "websites.list.element", "sources.list.element.property", "addresses.list.element.country"};

    static double[] lengths(Hardwood hardwood, List<Path> paths) throws Exception {
        long[] lengths = new long[3];
        long rows = 0;
        int least = Integer.MAX_VALUE, greatest = Integer.MIN_VALUE;
        try (ParquetFileReader reader = hardwood.openAll(InputFile.ofPaths(paths));
                ColumnReaders columns = reader.columnReaders(ColumnProjection.columns(LEAVES))) {
            ColumnReader[] c = new ColumnReader[4];
            for (int k = 0; k < 4; k++) c[k] = columns.getColumnReader(LEAVES[k]);
            while (columns.nextBatch()) {
                int n = columns.getRecordCount();
                int[] versions = c[0].getInts();
                Validity present = c[0].getLeafValidity();
                boolean nulls = present.hasNulls();
                for (int i = 0; i < n; i++) {
                    if (nulls && present.isNull(i)) continue;
                    least = Math.min(least, versions[i]);
                    greatest = Math.max(greatest, versions[i]);
                }
                for (int k = 0; k < 3; k++) {
                    int[] offsets = c[k + 1].getLayerOffsets(0);
                    lengths[k] += offsets[n] - offsets[0];
                }
                rows += n;
            }
        }
        return new double[] {least, greatest, lengths[0], lengths[1], lengths[2], rows};
    }

    static double[] rows(Hardwood hardwood, List<Path> paths) throws Exception {
        String[] names = {"version", "websites", "sources", "addresses"};
        long[] lengths = new long[3];
        long rows = 0;
        int least = Integer.MAX_VALUE, greatest = Integer.MIN_VALUE;
        try (ParquetFileReader reader = hardwood.openAll(InputFile.ofPaths(paths));
                RowReader row = reader.buildRowReader().projection(ColumnProjection.columns(LEAVES)).build()) {
            int[] at = new int[4];
            for (int i = 0; i < row.getFieldCount(); i++)
                for (int k = 0; k < 4; k++) if (row.getFieldName(i).equals(names[k])) at[k] = i;
            while (row.hasNext()) {
                row.next();
                rows++;
                if (!row.isNull(at[0])) {
                    int version = row.getInt(at[0]);
                    least = Math.min(least, version);
                    greatest = Math.max(greatest, version);
                }
                for (int k = 0; k < 3; k++) if (!row.isNull(at[k + 1])) lengths[k] += row.getList(at[k + 1]).size();
            }
        }
        return new double[] {least, greatest, lengths[0], lengths[1], lengths[2], rows};
    }

    /// Every leaf as arrays; strings are bytes and offsets. By the arrays' ends: no value is looked at.
    static double[] leaves(Hardwood hardwood, List<Path> paths) throws Exception {
        long values = 0, slots = 0, bytes = 0, rows = 0, seen = 0;
        try (ParquetFileReader reader = hardwood.openAll(InputFile.ofPaths(paths));
                ColumnReaders columns = reader.columnReaders(ColumnProjection.all())) {
            while (columns.nextBatch()) {
                rows += columns.getRecordCount();
                for (int k = 0; k < columns.getColumnCount(); k++) {
                    ColumnReader column = columns.getColumnReader(k);
                    int n = column.getValueCount();
                    Validity present = column.getLeafValidity();
                    values += n - (present.hasNulls() ? present.nullCount(n) : 0);
                    slots += n;
                    seen += Job.touch(column);
                    if (n > 0 && column.getColumnSchema().type() == dev.hardwood.metadata.PhysicalType.BYTE_ARRAY)
                        bytes += column.getBinaryOffsets()[n] - column.getBinaryOffsets()[0];
                }
            }
        }
        if (seen < 0) throw new IllegalStateException();
        return new double[] {values, slots, bytes, rows};
    }

    /// Values, bytes of strings and the sum of numbers, of whatever a row holds.
    static final class Visitor {
        long values, bytes;
        double numbers;

        void see(Object value) {
            switch (value) {
                case null -> {
                }
                case StructAccessor struct -> fields(struct);
                case PqList list -> {
                    for (int i = 0, n = list.size(); i < n; i++) see(list.getRaw(i));
                }
                case PqMap map -> {
                    for (PqMap.Entry entry : map.getEntries()) {
                        see(entry.getRawKey());
                        see(entry.getRawValue());
                    }
                }
                case byte[] string -> {
                    values++;
                    bytes += string.length;
                }
                case Number number -> {
                    values++;
                    numbers += number.doubleValue();
                }
                default -> throw new IllegalStateException(value.getClass().getName());
            }
        }

        void fields(StructAccessor struct) {
            for (int i = 0, n = struct.getFieldCount(); i < n; i++) if (!struct.isNull(i)) see(struct.getRawValue(i));
        }
    }

    static double[] visit(Hardwood hardwood, List<Path> paths) throws Exception {
        Visitor visitor = new Visitor();
        long rows = 0;
        try (ParquetFileReader reader = hardwood.openAll(InputFile.ofPaths(paths));
                RowReader row = reader.buildRowReader().projection(ColumnProjection.all()).build()) {
            for (; row.hasNext(); rows++) {
                row.next();
                visitor.fields(row);
            }
        }
        return new double[] {visitor.values, visitor.bytes, visitor.numbers, rows};
    }
}
