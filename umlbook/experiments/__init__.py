"""The papers' tables and figures computed again, and how fast the package is.

==========  =================================================================================
`engine`    grids of cells, their storage, ranks, and the one rule for "reproduced"
`papers`    the protocols: which data, methods and scores, and what is printed
`bench`     the speed of each method beside a naive or rival form
``results``  the stored tables (CSV); ``made.csv`` says what made each
==========  =================================================================================
"""
