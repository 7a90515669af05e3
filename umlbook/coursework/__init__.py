"""Coursework, the teacher's side: hand-ins are run again and marked (``umlbook grade``).

`hand_ins` reads what was handed in, `plan` says what is run of it, a `worker` (of a `pool`) runs it
in a kernel of its own (`kernel`, `limits`) and judges the values that come back (`values`), `marks`
is the table and `grade` the command. docs/teaching.md says what this protects against, and what it
does not.
"""
