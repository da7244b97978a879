"""The shop whose desk this is: its customers, what they buy, and where returns go."""

from collections.abc import Mapping
from dataclasses import dataclass

NAME = "Kite & Anchor"


@dataclass(frozen=True, slots=True)
class Customer:
    """Somebody who buys. `currency` is the one they pay in."""

    ref: str
    name: str
    email: str
    locale: str
    timezone: str
    currency: str
    street: str
    city: str
    state: str
    zip: str
    country: str

    @property
    def first_name(self) -> str:
        return self.name.partition(" ")[0]


@dataclass(frozen=True, slots=True)
class Product:
    """`prices` in minor units; `other_sku` is what it is exchanged for."""

    sku: str
    name: str
    prices: Mapping[str, int]
    weight_g: int
    other_sku: str = ""
    other_name: str = ""


@dataclass(frozen=True, slots=True)
class Warehouse:
    """Where returns of one currency go, and by whom."""

    name: str
    street: str
    city: str
    zip: str
    country: str
    carrier: str
    service: str


_READ_HINDI = frozenset({1088, 1105})


def _india(number: int, name: str, email: str, *place: str) -> Customer:
    locale, (street, city, state, code) = f"{'hi' if number in _READ_HINDI else 'en'}-IN", place
    return Customer(
        *(f"c-{number}", name, f"{email}@example.org", locale, "Asia/Kolkata", "INR"),
        *(street, city, state, code, "IN"),
    )


CUSTOMERS = (
    _india(1017, "Meera Krishnan", "meera.k", "14 Gandhi Road", "Kochi", "Kerala", "682001"),
    _india(1042, "Arjun Patel", "arjun.patel", "8 CG Road", "Ahmedabad", "Gujarat", "380009"),
    _india(1063, "Ananya Iyer", "ananya.iyer", "3 Luz Avenue", "Chennai", "Tamil Nadu", "600004"),
    _india(1088, "Rohan Deshpande", "rohan.d", "21 FC Road", "Pune", "Maharashtra", "411004"),
    _india(
        1105, "Farhan Qureshi", "farhan.q", "5 Hazratganj", "Lucknow", "Uttar Pradesh", "226001"
    ),
    _india(
        1131, "Kavya Reddy", "kavya.reddy", "40 Road No. 12", "Hyderabad", "Telangana", "500034"
    ),
    Customer(
        *("c-2009", "Grace Thompson", "grace.t@example.com", "en-US", "America/New_York", "USD"),
        *("218 Maple Street", "Albany", "NY", "12203", "US"),
    ),
    Customer(
        *("c-2024", "Luis Hernández", "luis.h@example.com", "es-US", "America/Chicago", "USD"),
        *("77 Navarro Street", "San Antonio", "TX", "78205", "US"),
    ),
    Customer(
        *("c-2051", "Emily Chen", "emily.chen@example.com", "en-US", "America/Los_Angeles", "USD"),
        *("1502 Alder Street", "Portland", "OR", "97205", "US"),
    ),
    Customer(
        *("c-3003", "Jonas Weber", "jonas.weber@example.net", "de-DE", "Europe/Berlin", "EUR"),
        *("Lindenstraße 9", "Bremen", "", "28195", "DE"),
    ),
    Customer(
        *("c-3018", "Chloé Martin", "chloe.martin@example.net", "fr-FR", "Europe/Paris", "EUR"),
        *("12 rue des Carmes", "Nantes", "", "44000", "FR"),
    ),
    Customer(
        *("c-3036", "Giulia Romano", "giulia.r@example.net", "it-IT", "Europe/Rome", "EUR"),
        *("Via Garibaldi 31", "Torino", "", "10122", "IT"),
    ),
)

FLAGGED = Customer(
    *("c-2077", "Derek Vaughn", "d.vaughn@example.com", "en-US", "America/Denver", "USD"),
    *("9 Larimer Square", "Denver", "CO", "80202", "US"),
)
"""Flagged when the demo begins: the policy sends what concerns him to a person."""

PRODUCTS = (
    Product(
        "CASE-BLK", "phone case", {"INR": 39_900, "USD": 950, "EUR": 890}, 60, "CASE-RED", "red"
    ),
    Product("SOCK-3", "socks, three pairs", {"INR": 44_900, "USD": 990, "EUR": 850}, 120),
    Product(
        *("TEE-M", "T-shirt, size M", {"INR": 89_900, "USD": 2_400, "EUR": 2_200}, 180),
        *("TEE-L", "size L"),
    ),
    Product("MUG-4", "set of four mugs", {"INR": 99_900, "USD": 2_800, "EUR": 2_600}, 1_400),
    Product("LAMP-D", "desk lamp", {"INR": 159_900, "USD": 3_900, "EUR": 3_600}, 1_900),
    Product(
        *("SHIRT-S", "linen shirt, size S", {"INR": 189_900, "USD": 4_800, "EUR": 4_500}, 260),
        *("SHIRT-M", "size M"),
    ),
    Product("PACK-C", "canvas backpack", {"INR": 249_900, "USD": 6_200, "EUR": 5_800}, 900),
    Product("BUDS-2", "wireless earbuds", {"INR": 299_900, "USD": 6_900, "EUR": 6_490}, 140),
    Product(
        *("RUN-42", "running shoes, size 42", {"INR": 349_900, "USD": 7_900, "EUR": 7_490}, 820),
        *("RUN-43", "size 43"),
    ),
    Product(
        *("RAIN-M", "rain jacket, size M", {"INR": 429_900, "USD": 9_600, "EUR": 8_900}, 640),
        *("RAIN-L", "size L"),
    ),
)

SMALL = PRODUCTS[:2]
"""Ten times their price still passes below the demo's approval limits."""

WAREHOUSES = {
    "INR": Warehouse(
        *(NAME, "Plot 7, Peenya Phase II", "Bengaluru", "560058", "IN"), "Delhivery", "Surface"
    ),
    "USD": Warehouse(NAME, "4100 Westbelt Drive", "Columbus", "43228", "US", "UPS", "Ground"),
    "EUR": Warehouse(NAME, "Messe-Allee 2", "Leipzig", "04356", "DE", "DHL", "Paket"),
}
