"""Every equation of the ledger on generated inputs that are as general as it says.

- `problems`: the inputs, and the closed list of words for what may be special about them
- `registry`: the decorator ``@claim(id, words)``, and how far a claim is missed
- `direct`: sums over samples, as a page defines them, to compare closed forms with
- `asking`, `book`, `cpcm`, `cpd`, `naml`, `pm`: the claims, each written from its formula
"""
