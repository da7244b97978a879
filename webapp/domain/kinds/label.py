"""Return labels, and voiding them."""

from typing import Annotated, Any

from pydantic import Field, StrictInt

from webapp.domain.kinds.base import Done, Kind, Payload, WayBack
from webapp.domain.text import Address, Line, MaybeLine, Note, Reference, Strict

_Size = Annotated[StrictInt, Field(gt=0, le=1_000)]


class Place(Strict):
    """A postal address."""

    name: Line
    street1: Line
    street2: MaybeLine | None = None
    city: Line
    state: MaybeLine | None = None
    zip: Line
    country: Line
    phone: MaybeLine | None = None
    email: Address | None = None


class Parcel(Strict):
    weight_g: Annotated[StrictInt, Field(gt=0, le=100_000)]
    length_cm: _Size | None = None
    width_cm: _Size | None = None
    height_cm: _Size | None = None


class Label(Strict):
    order: Reference
    carrier: Line
    service: Line
    sender: Annotated[Place, Field(alias="from")]
    to: Place
    parcel: Parcel


class Void(Strict):
    label: Reference
    order: Reference
    note: Note = ""


def _void(done: Done, note: str) -> dict[str, Any]:
    return {"label": done.provider_id, "order": done.payload["order"], "note": note}


def _service(payload: Payload) -> str:
    return f"{payload['carrier']} {payload['service']}, from {payload['from']['city']}"


LABEL = Kind(
    name="label",
    label="Return label",
    payload=Label,
    target=_service,
    customer_line="Your return label",
    awaited=True,
    way_back=WayBack(
        name="void",
        kind="label.void",
        label="Void the label",
        explain="The label can be voided until it is scanned.",
        build=_void,
        easy=True,
    ),
)

VOID = Kind(
    name="label.void",
    label="Label void",
    payload=Void,
    target=lambda payload: f"label {payload['label']}",
    customer_line="The cancellation of your return label",
    repairs="label",
)
