"""Who follows the events: what `digest` and the worker go through."""

from webapp.services.count import Counting
from webapp.services.digest import Follower
from webapp.services.searchable import Searchable

FOLLOWERS: tuple[Follower, ...] = (Counting(), Searchable())
