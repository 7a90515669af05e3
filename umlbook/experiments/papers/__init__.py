"""The protocols of the papers; a module with ``TARGETS`` is a part of ``umlbook reproduce``.

===================  ============================================================================
`cpcm`               CPCM: Figures 1 and 2, Tables 1 and 2
`naml`               NAML: Tables 3 and 4
`naml_figures`       NAML: Figures 1 and 2, Table 5
`naml_qcqp`          NAML: its QCQP beside our solver, speeds, the whole of satimage (no targets)
`treatments`         scalings and choices of columns for the search of protocols (no targets)
`cpcm_protocols`     CPCM: the protocols searched for Table 1 (no targets)
`naml_protocols`     NAML: the protocols searched for Table 3 (no targets)
`naml4_protocols`    NAML: the protocols searched for Table 4 (no targets)
`cpd`                CPD-UML: Tables 1 to 3
`cpd_figures`        CPD-UML: Figures 1 and 2
`cpd_grid`           CPD-UML: Tables 1 to 3 with the grids as they are printed
`cpd_protocols`      CPD-UML: the protocols searched for Tables 1 to 3 (no targets)
`cpd_protocol_runs`  the runs of its methods under a protocol (no targets)
`cpd_rivals`         the methods beside which its tables set CPD-UML (no targets)
`pm`                 PM: Figures 2 and 3, Table 2
`pm_protocols`       PM: the protocols searched for Table 2 (no targets)
`pm_joint`           PM: those that fit all three columns of Table 2 (no targets)
`latent`             ours: latent-class pairs beside their rivals (chapter 13)
`pairs`              ours: learning from pairs on tables held out (chapter 11)
`pairs_tables`       which tables those are, and who may look at them (no targets)
`side_by_side`       ours: every method on every data set (chapter 8)
`cost`               ours: seconds and memory against the number of rows (chapter 8)
`landmarks`          ours: methods on landmarks beside the exact ones (chapter 8)
`llma`               ours: what LLMA uses on the digits (the gallery of rivals)
`starts`             ours: which end of its starts CPCM should keep (chapter 3)
`methods`            every method as one kind of function, for `side_by_side` (no targets)
===================  ============================================================================
"""
