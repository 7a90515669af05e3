"""What every experiment needs, whatever its paper.

===========  ================================================================================
`grid`       runs independent cells, keeps each result, continues after any stop
`lock`       one run in a folder at a time
`storage`    tables as CSV, and `Row`, a line of one
`target`     a table or figure of a paper; `verdict`, the one rule for "reproduced"
`ranking`    average ranks of methods, and how far they can differ by chance
`pictures`   the figures of a target
`reproduce`  the command ``umlbook reproduce``
===========  ================================================================================
"""
