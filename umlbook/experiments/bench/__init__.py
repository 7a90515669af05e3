"""The speed of the methods, each beside a naive or rival form (``umlbook bench``).

===============  ============================================================================
`speeds`         the command, its table, and how seconds are measured
`imports`        importing the package
`kernel_kmeans`  an iteration of kernel k-means
`cpcm`           a step of CPCM
`naml`           the weights of NAML
`cpd`            the field of CPD-UML
`pm`             an M step of DAEM
===============  ============================================================================
"""
