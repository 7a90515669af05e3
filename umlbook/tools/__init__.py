"""The command line and what stands behind it; only tools may import everything else.

===========  ================================================================================
`cli`        the command ``umlbook``, and the table of its subcommands
`doctor`     what is wrong with an installation, and the command that fixes it
`copies`     where the notebooks lie, and how a reader gets a copy that no upgrade overwrites
`authoring`  notebooks as scripts, and the ids of their cells
`refresh`    runs notebooks again, normalises them and stores their outputs
`release`    makes the exercises from their solutions
`jitter`     noise in the last digits, to find what another processor would change
`coursework` hand-ins are run again and marked
===========  ================================================================================
"""
