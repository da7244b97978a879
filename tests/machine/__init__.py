"""A model of the desk, held against the real one: any order of calls, by several actors.

`clock` stops the time of either database; `provider` is the world outside, whose effects are
counted; `model` says in plain Python what must come of each call; `checker` what must hold after
every step. The rules are in `people`, `workers` and `admins`, one step each.
"""
