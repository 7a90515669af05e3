"""What every experiment needs, whatever its paper.

===========  ================================================================================
`grid`       runs independent cells, keeps each result, continues after any stop
`lock`       one run in a folder at a time
`storage`    tables as CSV, and `Row`, a line of one
`agreement`  the one rule for "reproduced", and the spread that it needs
`target`     a table or figure of a paper, its printed cells beside ours
`reporting`  what a table prints of several runs, and how that scatters
`protocols`  which protocols fit the baselines of a table, and the verdict on each cell
`nulls`      how many protocols fit by chance, and how often an own cell agrees by chance
`search`     the command ``umlbook reproduce --protocols``
`found`      what the stored searches found, and the cells computed again under it
`ranking`    average ranks of methods, and how far they can differ by chance
`pictures`   the figures of a target
`reproduce`  the command ``umlbook reproduce``
===========  ================================================================================
"""
