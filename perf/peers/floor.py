"""The time that every reader must at least spend: inflating the wanted pages, one after the other, into one
buffer, on one thread, by the libraries as Debian has them (libzstd, libdeflate, libsnappy). Whole pages, also
where levels alone are wanted, which are the first bytes of a page: there a reader can do with less."""
import ctypes

import pyarrow.parquet as pq

SIZE, POINTER = ctypes.c_size_t, ctypes.c_void_p


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def skip(data, at, kind):
    """What a Thrift value in the compact protocol takes."""
    if kind in (1, 2):
        return at
    if kind == 3:
        return at + 1
    if kind in (4, 5, 6):
        return varint(data, at)[1]
    if kind == 7:
        return at + 8
    if kind == 8:
        size, at = varint(data, at)
        return at + size
    if kind == 12:
        return header(data, at)[1]
    raise ValueError(f"type {kind} in a page header")


def header(data, at):
    """{field: number} of a page header, and where its page begins."""
    numbers, field = {}, 0
    while data[at]:
        kind, step = data[at] & 15, data[at] >> 4
        at += 1
        if step:
            field += step
        else:
            value, at = varint(data, at)
            field = value >> 1 ^ -(value & 1)
        if kind in (5, 6):
            value, at = varint(data, at)
            numbers[field] = value >> 1 ^ -(value & 1)
        else:
            at = skip(data, at, kind)
    return numbers, at + 1


def inflaters():
    out = ctypes.create_string_buffer(64 << 20)
    found = {}

    def load(name):
        try:
            return ctypes.CDLL(name)
        except OSError:
            return None
    zstd, deflate, snappy = load("libzstd.so.1"), load("libdeflate.so.0"), load("libsnappy.so.1")
    if zstd:
        zstd.ZSTD_createDCtx.restype = POINTER
        zstd.ZSTD_decompressDCtx.argtypes, zstd.ZSTD_decompressDCtx.restype = [POINTER, POINTER, SIZE, POINTER, SIZE], SIZE
        state = zstd.ZSTD_createDCtx()
        found["ZSTD"] = lambda src, size, plain: zstd.ZSTD_decompressDCtx(state, out, plain, src, size) == plain
    if deflate:
        deflate.libdeflate_alloc_decompressor.restype = POINTER
        deflate.libdeflate_gzip_decompress.argtypes = [POINTER, POINTER, SIZE, POINTER, SIZE, POINTER]
        inflater = deflate.libdeflate_alloc_decompressor()
        found["GZIP"] = lambda src, size, plain: deflate.libdeflate_gzip_decompress(inflater, src, size, out, plain, None) == 0
    if snappy:
        snappy.snappy_uncompress.argtypes = [POINTER, SIZE, POINTER, POINTER]

        def unsnap(src, size, plain):
            written = SIZE(plain)
            return snappy.snappy_uncompress(src, size, out, ctypes.byref(written)) == 0 and written.value == plain
        found["SNAPPY"] = unsnap
    return found


def ways(files, columns):
    pages, keep, inflate = [], [], inflaters()
    codec = None
    for path in files:
        data = open(path, "rb").read()
        buffer = ctypes.create_string_buffer(data, len(data))
        keep.append(buffer)
        meta = pq.ParquetFile(path).metadata
        for group in range(meta.num_row_groups):
            for column in range(meta.num_columns):
                chunk = meta.row_group(group).column(column)
                if columns and chunk.path_in_schema not in columns:
                    continue
                codec = chunk.compression
                at = min(x for x in (chunk.data_page_offset, chunk.dictionary_page_offset) if x)
                end = at + chunk.total_compressed_size
                while at < end:
                    numbers, at = header(data, at)
                    if numbers[2] != numbers[3] or codec != "ZSTD":
                        pages.append((ctypes.addressof(buffer) + at, numbers[3], numbers[2]))
                    at += numbers[3]
    if codec not in inflate:
        return {}

    def go(keep=keep):
        if not all([inflate[codec](*page) for page in pages]):
            raise SystemExit(f"{codec}: a page can't be inflated")
        return [0, 0, 0, 0]
    return {"inflate": go}
