"""DuckDB: queries over arrays."""

import duckdb

from tests.neighbours.survey.inputs import pending


def query_of_a_variable(np):
    x = np.arange(5.0)
    assert x is not None
    return duckdb.sql("select sum(column0) from x").fetchall()


def query_of_a_pending_array(np):
    x = pending(np)
    assert x is not None
    return duckdb.sql("select sum(column0), count(*) from x").fetchall()


def query_of_a_dictionary(np):
    held = {"a": np.arange(5.0), "b": pending(np)[:5]}
    assert held
    return duckdb.sql("select sum(a), sum(b) from held").fetchall()


def query_of_a_list(np):
    held = [np.arange(3), np.arange(3) * 2]
    assert held
    return duckdb.sql("select * from held").fetchall()


def a_matrix(np):
    x = np.arange(6.0).reshape(2, 3)
    assert x is not None
    return duckdb.sql("select * from x").fetchall()


def registered(np):
    connection = duckdb.connect()
    connection.register("held", {"a": pending(np, "int64")})
    return connection.execute("select max(a), min(a) from held").fetchall()


def parameter(np):
    return duckdb.execute("select ?::double + 1", [np.float64(2.5)]).fetchall()


def parameter_array(np):
    return duckdb.execute("select ?", [np.arange(3)]).fetchall()


def fetched(np):
    found = duckdb.sql("select i::double as i from range(150000) t(i)").fetchnumpy()["i"]
    x = np.asarray(found)
    return x, x * 2 + 1, np.sum(found)


def function_of_python(np):
    connection = duckdb.connect()
    connection.create_function("twice", lambda v: float(np.multiply(v, 2)), ["DOUBLE"], "DOUBLE")
    return connection.execute("select twice(4.5)").fetchall()
