"""`/api/v1`: where the calls hang."""

from flask import Blueprint

from webapp.web.routes import API

api = Blueprint("api", __name__, url_prefix=API)
