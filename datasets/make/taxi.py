"""A month of yellow taxi rides, made up: the 20 columns of the public data with its types, its odd
values and about its number of distinct ones. The same arguments give the same table."""
import numpy as np
import pyarrow as pa


def pick(draw, values, ends):
    """values[i] where draw falls below ends[i]; the last value above them all."""
    return np.asarray(values)[np.searchsorted(np.asarray(ends), draw, side="right")]


def table(rows, seed, month, nulls_at_tail):
    """Rides in order of pickup; one in twenty lacks five columns: anywhere, or the last ones, as in
    the public files, whose late reports are appended."""
    rng = np.random.Generator(np.random.PCG64(seed))
    u = rng.random((10, rows))
    z = rng.standard_normal((2, rows))
    lacking = np.arange(rows) >= rows * 0.95 if nulls_at_tail else rng.random(rows) < 0.05

    start = np.datetime64(month + "-01T00:00:00", "us")
    pickup = start + (1000000 * np.floor(np.arange(rows) * (2592000 / max(rows, 1)) + 3600 * z[0])
                      ).astype("timedelta64[us]")
    distance = np.round(np.minimum(np.exp(0.62 + 0.85 * z[1]), 120), 2)
    seconds = np.floor(60 + distance * 180 * np.exp(0.3 * z[0]))
    meter = np.round(3 + 0.7 * np.floor(np.maximum(0, distance * 4.2 + 5 * np.exp(0.5 * z[0]) - 2)), 2)
    pay = pick(u[2], [1, 2, 3, 4], [0.78, 0.95, 0.97])
    rate = pick(u[3], [1, 2, 5, 3, 99], [0.95, 0.985, 0.99, 0.995])
    fare = np.where(rate == 2, 70, np.where(rate == 5, np.round(20 + u[4] * 90, 2),
                                            np.where(u[5] < 0.02, -meter, meter)))
    extra = pick(u[6], [0, 1, 2.5, 3.5, 5], [0.45, 0.62, 0.86, 0.96])
    tolls = pick(u[5], [0, 14.06, 6.94], [0.917, 0.92])
    paid = np.maximum(fare, 0)
    tip = np.where(pay != 1, 0, np.round(np.select(
        [u[8] < 0.45, u[8] < 0.6, u[8] < 0.85], [paid * 0.2 + 0.7, paid * 0.25, np.floor(1 + u[4] * 6)],
        paid * 0.3), 2))

    def zone(draw, power):
        return (1 + np.floor(265 * draw ** power).astype(np.int32) * 97 % 265).astype(np.int32)

    def some(values, type):
        return pa.array(values, type=type, mask=lacking)

    f64, i64, stamp = pa.float64(), pa.int64(), pa.timestamp("us")
    return pa.table({
        "VendorID": pa.array(pick(u[0], [1, 2, 6, 7], [0.24, 0.985, 0.99]), pa.int32()),
        "tpep_pickup_datetime": pa.array(pickup, stamp),
        "tpep_dropoff_datetime": pa.array(pickup + (1000000 * seconds).astype("timedelta64[us]"), stamp),
        "passenger_count": some(pick(u[1], [1, 2, 3, 4, 5, 6, 0, 8],
                                     [0.76, 0.9, 0.935, 0.955, 0.965, 0.975, 0.999]), i64),
        "trip_distance": pa.array(distance, f64),
        "RatecodeID": some(rate, i64),
        "store_and_fwd_flag": some(np.where(u[7] < 0.996, "N", "Y").astype(object), pa.string()),
        "PULocationID": pa.array(zone(u[7], 3)),
        "DOLocationID": pa.array(zone(u[8], 2.4)),
        "payment_type": pa.array(np.where(lacking, 0, pay), i64),
        "fare_amount": pa.array(fare, f64),
        "extra": pa.array(extra, f64),
        "mta_tax": pa.array(pick(u[4], [0.5, -0.5, 0], [0.985, 0.995]), f64),
        "tip_amount": pa.array(tip, f64),
        "tolls_amount": pa.array(tolls, f64),
        "improvement_surcharge": pa.array(pick(u[4], [1, -1, 0.3], [0.985, 0.995]), f64),
        "total_amount": pa.array(np.round(fare + extra + tip + tolls + 4, 2), f64),
        "congestion_surcharge": some(pick(u[0], [2.5, -2.5, 0], [0.92, 0.93]), f64),
        "Airport_fee": some(np.where(u[3] > 0.91, 1.75, 0), f64),
        "cbd_congestion_fee": pa.array(np.where(u[1] < 0.72, 0.75, 0), f64),
    })
