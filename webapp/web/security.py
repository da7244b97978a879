"""Security headers, on every answer."""

from flask import Flask, Response, g, request

from webapp.web.current import csp_nonce

_ALWAYS = (
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    # not no-referrer: it would break the CSRF check over https
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
_POLICY = (
    "default-src 'none'; script-src 'self'{nonce}; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_YEAR = "max-age=31536000"


def init_security(app: Flask) -> None:
    """Adds the headers after every request; `csp_nonce()` is there in templates."""
    app.jinja_env.globals["csp_nonce"] = csp_nonce
    app.after_request(_harden)


def _harden(response: Response) -> Response:
    nonce = f" 'nonce-{g.csp_nonce}'" if "csp_nonce" in g else ""
    response.headers.extend(_ALWAYS)
    response.headers.add("Content-Security-Policy", _POLICY.format(nonce=nonce))
    if request.is_secure:
        response.headers.add("Strict-Transport-Security", _YEAR)
    # what stands behind a sign-in, or names a customer, stays out of every cache
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
    return response
