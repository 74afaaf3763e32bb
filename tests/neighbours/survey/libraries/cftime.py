"""cftime: dates of other calendars from arrays of numbers, and back."""

import cftime

from tests.neighbours.survey.inputs import pending


def to_dates(np):
    d = cftime.num2date(np.arange(5) * 30, "days since 2000-01-01", calendar="360_day")
    return [str(x) for x in d], type(d), d.shape


def to_numbers(np):
    d = cftime.num2date(np.arange(6.0).reshape(2, 3), "hours since 2000-01-01", calendar="noleap")
    return cftime.date2num(d, "days since 1999-01-01")


def pending_numbers(np):
    x = pending(np, n=20000)
    d = cftime.num2date(x, "seconds since 2000-01-01")
    x[:] = 0
    return str(d[0]), str(d[-1]), cftime.date2num(d, "seconds since 2000-01-01")


def masked(np):
    x = np.ma.masked_array(np.arange(4.0), mask=[0, 1, 0, 0])
    d = cftime.num2date(x, "days since 2000-01-01")
    return str(d), d.mask, cftime.date2num(d, "days since 2000-01-01").filled(-1)


def differences(np):
    a = np.array([cftime.DatetimeGregorian(2000, 1, k) for k in range(1, 5)])
    return (
        [str(v) for v in np.diff(a)],
        (a > a[1]),
        cftime.datetime_to_structtime(a[0]) if hasattr(cftime, "datetime_to_structtime") else 0,
        a.max().day,
    )
