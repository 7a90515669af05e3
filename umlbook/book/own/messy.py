"""Small messy files as people send them, each with its reading, or with the question to ask.

Chapter 10 lists what is done with each, and a test holds every reading against the values here.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from umlbook.book.own.files import TableQuestion
from umlbook.book.own.preparing import prepared


@dataclass(frozen=True)
class Messy:
    """A file with something odd about it.

    Attributes
    ----------
    odd : str
        What is odd.
    text : str
        What stands in it.
    read : mapping of str to tuple of float
        The columns that are used and their values; empty if the file leaves something open.
    asked : str
        A part of the question, for a file that leaves something open.
    said : str
        A part of the notes, for a reading that is not plain.
    options : mapping
        What the reader says about the file.
    """

    odd: str
    text: str
    read: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    asked: str = ""
    said: str = ""
    encoding: str = "utf-8"
    options: Mapping[str, Any] = field(default_factory=dict)

    def outcome(self) -> str:
        """Return what is done with it: how it is read and what is said, or the question."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "file.csv"
            path.write_bytes(self.text.encode(self.encoding))
            try:
                data = prepared(path, scaling="none", **self.options)
            except TableQuestion as question:
                return f"asked: {str(question).removeprefix('file.csv: ')}"
        values = "; ".join(
            f"{name} = {', '.join(f'{value:g}' for value in column)}"
            for name, column in zip(data.names, data.X.T, strict=True)
        )
        return " ".join([f"read: {values}.", *data.notes[1:]])


_PLACES = (950.0, 1200.0, 23400.0, 780.0)
MESSY: dict[str, Messy] = {
    # ---- decimal marks and groups of three
    "english thousands": Messy(
        "commas between thousands", 'item,price\na,"950"\nb,"1,200"\nc,"23,400"\nd,"780"\n',
        {"price": _PLACES}, said="1,200 was read as 1200"),
    "german thousands": Messy(
        "points between thousands", "Ort;Einwohner\nA;950\nB;1.200\nC;23.400\nD;780\n",
        {"Einwohner": _PLACES}, said="1.200 was read as 1200"),
    "german decimals": Messy(
        "decimal commas, points between thousands",
        "Ort;Preis;Menge\nA;1.234,5;1.200\nB;12,75;3.400\nC;7,5;2.100\n",
        {"Preis": (1234.5, 12.75, 7.5), "Menge": (1200, 3400, 2100)}, said="Decimal commas"),
    "one comma, three digits": Messy(
        "1,200 is 1.2 or 1200, and nothing says which", "shop;price\nA;1,200\nB;2,350\nC;4,125\n",
        asked="'price' can be read in two ways: 1,200 is 1.2 or 1200"),
    "one point, three digits": Messy(
        "1.200 is 1.2 or 1200, and nothing says which",
        "shop\tprice\nA\t1.200\nB\t2.350\nC\t4.125\n",
        asked="'price' can be read in two ways: 1.200 is 1.2 or 1200"),
    "the question answered": Messy(
        'the same, with decimal=","', "shop;price\nA;1,200\nB;2,350\nC;4,125\n",
        {"price": (1.2, 2.35, 4.125)}, options={"decimal": ","}),
    "the other answer": Messy(
        'the same, with thousands=","', "shop;price\nA;1,200\nB;2,350\nC;4,125\n",
        {"price": (1200, 2350, 4125)}, options={"thousands": ","}),
    "other columns know": Messy(
        "1,200 beside a column with decimal points", "shop;price;share\nA;1,200;0.5\nB;2,350;1.5\n",
        {"price": (1200, 2350), "share": (0.5, 1.5)}, said="because the other columns say so"),
    "two decimal marks": Messy(
        "1.5 and 2,5 in one column", "shop;price\nA;1.5\nB;2,5\nC;3.5\nD;4,5\n",
        asked="1.5 has a decimal point and 2,5 a decimal comma"),
    "commas without quotes": Messy(
        "decimal commas in a comma-separated file", "name,height\nAnna,1,75\nOtto,1,82\nIda,1,68\n",
        asked="has 2 and the rows under it have 3 cells"),
    "swiss apostrophes": Messy(
        "apostrophes between thousands", "Ort,Lohn\nA,1'200.50\nB,950.00\nC,12’400.25\n",
        {"Lohn": (1200.5, 950, 12400.25)}, said="1'200.50 was read as 1200.5"),
    "french spaces": Messy(
        "narrow and ordinary spaces between thousands",
        "ville;loyer\nA;1\u202f200,50\nB;950,25\nC;12 400,75\nD;1\u00a0000,5\n",
        {"loyer": (1200.5, 950.25, 12400.75, 1000.5)}, said="200,50 was read as 1200.5"),
    "indian lakhs": Messy(
        "groups of two and three", 'city,rent\nA,"1,23,456.50"\nB,"98,765.25"\nC,"1,050.75"\n',
        {"rent": (123456.5, 98765.25, 1050.75)}, said="1,23,456.50 was read as 123456.5"),
    "one column": Messy(
        "1.200 in a single column: no delimiter, no evidence", "value\n1.200\n2.300\n9.500\n",
        asked="1.200 is 1.2 or 1200"),
    "one column of decimal commas": Messy(
        "every number looks like two cells", "value\n1,5\n2,5\n9,5\n3,75\n",
        asked="line 1 ('value') has 1 and the rows under it have 2 cells"),
    "three decimals": Messy(
        "plain measurements, three digits each", "a,b\n1.250,2.125\n3.375,4.500\n1.875,2.250\n",
        {"a": (1.25, 3.375, 1.875), "b": (2.125, 4.5, 2.25)}),
    "evidence both ways": Messy(
        "950 beside 1.200, but commas between the cells", "n,price\n5,950\n3,1.200\n8,23.400\n",
        asked="1.200 is 1.2 or 1200"),
    # ---- what stands beside numbers
    "dollars": Messy(
        "currency before, an accountant's brackets",
        'month,profit\nJan,"$1,200.50"\nFeb,"($350.25)"\nMar,-$80.75\n',
        {"profit": (1200.5, -350.25, -80.75)}, said="($350.25) was read as -350.25"),
    "euros": Messy(
        "currency behind", "Monat;Gewinn\nJan;1.200,50 €\nFeb;-350,25 €\nMrz;80,75€\n",
        {"Gewinn": (1200.5, -350.25, 80.75)}, encoding="cp1252", said="€"),
    "two currencies": Messy(
        "dollars and euros in one column", "shop,price\nA,$5.50\nB,€6.50\nC,$7.50\n",
        asked="'price' has different units beside its numbers ($ and €)"),
    "percent": Messy(
        "percent signs", "shop,share\nA,12.5%\nB,7 %\nC,80.25%\n", {"share": (12.5, 7, 80.25)},
        said="percent, 12.5% as 12.5"),
    "half percent": Messy(
        "percent signs beside some numbers only", "shop,share\nA,12.5%\nB,0.07\nC,80%\nD,0.5\n",
        asked="'share' has different units"),
    "kilograms": Messy(
        "one unit", "box,weight\nA,12 kg\nB,7.5 kg\nC,30kg\n", {"weight": (12, 7.5, 30)},
        said="kg beside the numbers left aside"),
    "kilograms and grams": Messy(
        "two units", "box,weight\nA,12 kg\nB,750 g\nC,3 kg\n", asked="(kg and g)"),
    "minus signs": Messy(
        "a printer's minus, a minus behind", "place,t\nA,\u22123.5\nB,4.5-\nC,2.5\nD,\u20131.5\n",
        {"t": (-3.5, -4.5, 2.5, -1.5)}, said="4.5- was read as -4.5"),
    "truth values": Messy(
        "True and False, yes and no", "n,member,smoker\n5,True,no\n8,False,Yes\n2,True,no\n",
        {"n": (5, 8, 2), "member": (1, 0, 1), "smoker": (0, 1, 0)}, said="true/false as 1/0"),
    "thousands for short": Messy(
        "950 and 1.2k", "n,x\n1.2k,5\n3.4k,7\n950,1\n", asked="(k and none)"),
    "numbers as texts": Messy(
        "a spreadsheet's apostrophe", "a,b\n'5,1\n'7,4\n'9,2\n",
        {"a": (5, 7, 9), "b": (1, 4, 2)}),
    "a word too many": Messy(
        "not detected, in a column of numbers", "a,b\n5,n.d.\n7,4\n9,2\n1,3\n",
        {"a": (5, 7, 9, 1)}, said="b counts as text: mostly numbers, but 'n.d.' is none"),
    "the word explained": Messy(
        'the same, with missing_values=["n.d."]', "a,b\n5,n.d.\n7,4\n9,2\n1,3\n",
        {"a": (7, 9, 1), "b": (4, 2, 3)}, options={"missing_values": ["n.d."]}),
    # ---- names, titles, comments, footers
    "years as names": Messy(
        "numbers for names",
        "country,2019,2020\nFrance,67.2,67.4\nSpain,47.1,47.3\nMalta,0.5,0.5\n",
        {"2019": (67.2, 47.1, 0.5), "2020": (67.4, 47.3, 0.5)}, said="header=0 takes it for data"),
    "title lines": Messy(
        "a report above the table",
        "Sales 2020\nprepared by the office\n\nshop,sold,back\nA,52,1.5\nB,71,2.5\nC,66,3.5\n",
        {"sold": (52, 71, 66), "back": (1.5, 2.5, 3.5)}, said="Passed over, above the table"),
    "title in a cell": Messy(
        "a spreadsheet's title and empty cells",
        "Sales 2020;;\n;;\nshop;sold;back\nA;52;1\nB;71;2\n",
        {"sold": (52, 71), "back": (1, 2)}, said="Passed over, above the table"),
    "a line of units": Messy(
        "two lines without numbers", "height,weight\ncm,kg\n170,65\n182,81\n165,58\n",
        asked="say which, header=1 or header=2"),
    "units, answered": Messy(
        "the same, with header=1", "height,weight\ncm,kg\n170,65\n182,81\n165,58\n",
        {"height": (170, 182, 165), "weight": (65, 81, 58)}, options={"header": 1},
        said="was passed over: 'cm, kg'"),
    "names or data": Messy(
        "a word over numbers, in a row with numbers", "low,3.5\n1.5,2.5\n2.5,1.5\n4.5,1.0\n",
        asked="header=1 takes it for names, header=0 for data"),
    "comments": Messy(
        "lines with #", "# station 7\n# in degrees\nday,t\nMon,12.5\n# sensor cleaned\nTue,13.5\n",
        {"t": (12.5, 13.5)}, said="begin with #"),
    "names in a comment": Messy(
        "names behind #", "# t p\n12.5 1013\n13.5 1009\n11.5 1021\n",
        {"t": (12.5, 13.5, 11.5), "p": (1013, 1009, 1021)}),
    "total and source": Messy(
        "a total and a source at the end",
        "shop,sold\nA,52\nB,71\nC,66\nTotal,189\nSource: the office\n",
        {"sold": (52, 71, 66)}, said="begins with 'Total' and sums up the rows above, left out"),
    "a brand called Total": Messy(
        "a word for a sum that names a brand", "brand,sold,back\nBP,52,1\nShell,71,2\nTotal,66,4\n",
        {"sold": (52, 71, 66), "back": (1, 2, 4)}, said="and was kept"),
    "names twice": Messy(
        "two files one after the other", "a,b\n5,1\n7,4\na,b\n9,2\n8,8\n",
        {"a": (5, 7, 9, 8), "b": (1, 4, 2, 8)}, said="repeats the names"),
    "a row too long": Messy(
        "rows of another length", "a,b\n5,1\n7,4,4\n9,2\n8\n3,8\n",
        {"a": (5, 9, 3), "b": (1, 2, 8)}, said="2 rows of another length left out (line 3"),
    "years over years": Messy(
        "years for names, or a row of data", "place,2019,2020\nA,2010,2033\nB,1950,1999\n",
        asked="header=1 takes it for names, header=0 for data"),
    "a subtotal": Messy(
        "a sum among the rows", "shop,sold\nA,52\nB,71\nSubtotal,123\nC,66\nD,60\nE,51\n",
        {"sold": (52, 71, 123, 66, 60, 51)}, said="take it out of the file if it sums up others"),
    # ---- numbers that measure nothing
    "identifiers": Messy(
        "customer numbers, row numbers, postcodes",
        "row,customer_id,zip,age\n1,90210,01067,31\n2,48813,80331,45\n3,77120,04109,27\n4,51002,10115,62\n",
        {"age": (31, 45, 27, 62)}, said="it measures nothing: customer_id"),
    "long identifiers": Messy(
        "more digits than a number keeps",
        "user,x\n1234567890123456789,5\n2234567890123456789,7\n3234567890123456780,1\n",
        {"x": (5, 7, 1)}, said="of more digits than a number keeps"),
    "unix times": Messy(
        "seconds since 1970", "ts,t\n1609459200,2.5\n1609545600,3.5\n1609632000,1.5\n",
        {"t": (2.5, 3.5, 1.5)}, said="seconds since 1970, that is 2021-01-01 to 2021-01-03"),
    "dates": Messy(
        "dates in three ways",
        "when,day,stamp,t\n2021-01-31,20210131,31.01.2021,2.5\n2021-02-28,20210228,28.02.2021,3.5\n",
        {"t": (2.5, 3.5)}, said="Dates or times, left out: when, stamp"),
    "-999": Messy(
        "numbers that mark a gap", "a,t\n5,12.5\n8,-999\n3,14.5\n9,11.0\n4,-999\n",
        {"a": (5, 3, 9), "t": (12.5, 14.5, 11)}, said="-999 taken as missing (2 times)"),
    "-1": Messy(
        "a negative number among positive ones", "a,age\n5,-1\n7,42\n9,57\n3,-1\n4,61\n",
        {"a": (7, 9, 4), "age": (42, 57, 61)}, said="-1 taken as missing (2 times)"),
    "a single 99": Messy(
        "a gap, or a small income", "a,income\n5,50000\n7,51000\n9,99\n3,49000\n",
        {"a": (5, 7, 9, 3), "income": (50000, 51000, 99, 49000)}, said="99 is far from all others"),
    "other gaps": Messy(
        "?, NA, n/a, -, #N/A", "a,b\n5,?\n8,2\nNA,3\n9,7\nn/a,1\n4,-\n6,#N/A\n1,8\n",
        {"a": (8, 9, 1), "b": (2, 7, 8)}, said="5 rows left out"),
    "names that clash": Messy(
        "equal names, an empty and a constant column", "x,x,empty,same\n5,1,,7\n8,2,,7\n3,4,,7\n",
        {"x": (5, 8, 3), "x (2)": (1, 2, 4)}, said="Without any value, left out: empty"),
    # ---- how files are written
    "spaces between columns": Messy(
        "columns of a fixed width, decimal commas",
        "a      b\n1,5    20,5\n10,5   2,5\n7,5    1,5\n",
        {"a": (1.5, 10.5, 7.5), "b": (20.5, 2.5, 1.5)}),
    "excel's first line": Messy(
        "sep=; in the first line", "sep=;\na;b\n1,5;2\n2,5;7\n4,5;3\n",
        {"a": (1.5, 2.5, 4.5), "b": (2, 7, 3)}),
    "utf-16": Messy(
        "Unicode text of Excel, tabs", "Größe\tMaß\n1,5\t20\n2,5\t70\n",
        {"Größe": (1.5, 2.5), "Maß": (20, 70)}, encoding="utf-16"),
    "a mark and bars": Messy(
        "a byte order mark, bars", "größe|maß\n5|20\n8|70\n3|10\n",
        {"größe": (5, 8, 3), "maß": (20, 70, 10)}, encoding="utf-8-sig"),
    "quotes": Messy(
        "a line break, a comma and quotes in cells",
        'note,a\n"two\nlines",5\n"a, b",8\n"said ""no""",3\n', {"a": (5, 8, 3)}),
    "saved with an index": Messy(
        "an index without a name", ",a,b\n0,5.5,1\n1,7.5,4\n2,9.5,2\n3,1.5,3\n",
        {"a": (5.5, 7.5, 9.5, 1.5), "b": (1, 4, 2, 3)}, said="column 1 (counts the rows)"),
    "names of R": Messy(
        "one name less than columns", '"a","b"\n"1",5.5,1\n"2",7.5,4\n"3",9.5,2\n"4",1.5,3\n',
        {"a": (5.5, 7.5, 9.5, 1.5), "b": (1, 4, 2, 3)}),
}  # fmt: skip
"""Files by name."""
