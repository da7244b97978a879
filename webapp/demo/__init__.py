"""A desk to look at, with people, policies, stock and an agent that is sometimes wrong."""
