"""Nothing is lost and nothing happens twice, whatever dies: the campaign, by plain functions.

A trial disturbs a desk of two processes under load and says what was wrong afterwards. The suite
runs a few of each, `python -m tests.soak --crash N` as many as wanted.
"""
