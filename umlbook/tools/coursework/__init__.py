"""Coursework, the teacher's side: hand-ins are run again and marked (``umlbook grade``).

=============  ===========================================================================
`submissions`  reads what was handed in
`cells`        what a cell is: an answer, a check, an exercise that is opened
`plan`         what is run of a hand-in, and what is judged
`worker`       does this for one notebook; a `pool` keeps workers
`kernel`       the process that runs the student's code, within its `limits`
`values`       brings values back from it without running what they bring
`marks`        the table
`grade`        the command
=============  ===========================================================================

docs/teaching.md says what this protects against, and what it does not.
"""
