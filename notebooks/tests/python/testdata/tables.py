"""Asks the programs that read Parquet for rows of tables, by filters and whole, and prints what each finds as JSON.

Standard input has a JSON object with the files, the column of floats that each of them has, and numbers. A filter may pass over a part
of a file by its statistics; what is found has to be what a look at every row finds.
"""
import json
import math
import sys

import duckdb
import pandas
import polars
import pyarrow.dataset


def by_pyarrow(file, column, number):
    table, field = pyarrow.dataset.dataset(file), pyarrow.dataset.field(column)
    return [table.count_rows(filter=f) for f in (field < number, field > number, field == number, field.is_null(), field.is_nan())]


def by_pandas(file, column, number):
    whole = pandas.read_parquet(file)[column]
    found = [len(pandas.read_parquet(file, filters=[(column, sign, number)])) for sign in ("<", ">", "==")]
    return found + [int(whole.isna().sum()), sum(math.isnan(x) for x in whole.dropna())]


def by_polars(file, column, number):
    table, col = polars.scan_parquet(file), polars.col(column)
    return [table.filter(f).collect().height for f in (col < number, col > number, col == number, col.is_null(), col.is_nan())]


def by_duckdb(file, column, number):
    ask = "select count(*) from read_parquet(?) where {}"
    conditions = [f"{column} < {number!r}", f"{column} > {number!r}", f"{column} = {number!r}", f"{column} is null", f"isnan({column})"]
    return [duckdb.execute(ask.format(c), [file]).fetchone()[0] for c in conditions]


asked = json.load(sys.stdin)
programs = {"pyarrow": by_pyarrow, "pandas": by_pandas, "polars": by_polars, "DuckDB": by_duckdb}
json.dump([[{name: f(file, asked["column"], number) for name, f in programs.items()} for number in asked["numbers"]] for file in asked["files"]], sys.stdout)
