"""Typed access to order-desk: one method for each access pattern.

Written by `larder design export python`. Change the design, not this file.
"""

from __future__ import annotations

import hashlib
import time
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, Dict, Iterable, List, Literal, Mapping, Optional, TypedDict, Union, cast

import boto3

Number = Union[int, float, Decimal]
Record = Dict[str, Any]


_CustomerRequired = TypedDict("_CustomerRequired", {
    "email": str,
    "name": str,  # As it is shown.
    "type": Literal["person", "company"],
})
_CustomerOptional = TypedDict("_CustomerOptional", {
    "email_hash": str,
    "handle": str,
    "labels": set[str],
    "vip": bool,
}, total=False)


# Who orders.
class Customer(_CustomerRequired, _CustomerOptional):
    pass


OrderLinesGift = TypedDict("OrderLinesGift", {
    "text": str,
})


_OrderLinesRequired = TypedDict("_OrderLinesRequired", {
    "article": str,
    "count": int,
})
_OrderLinesOptional = TypedDict("_OrderLinesOptional", {
    "gift": OrderLinesGift,
}, total=False)


class OrderLines(_OrderLinesRequired, _OrderLinesOptional):
    pass


_OrderRequired = TypedDict("_OrderRequired", {
    "customer": str,
    "number": int,
    "placed": str,
    "rank": Number,
    "total": Number,
    "status": Literal["open", "held", "done"],
    "lines": List[OrderLines],
})
_OrderOptional = TypedDict("_OrderOptional", {
    "day": str,
    "note": Optional[str],
    "expires": int,
}, total=False)


class Order(_OrderRequired, _OrderOptional):
    pass


Counter = TypedDict("Counter", {
    "counter": str,
    "value": int,
})


def _plain(value: Any) -> Any:
    """Floats become decimals, because boto3 takes no floats; None inside an item stays NULL."""
    if isinstance(value, float):
        return Decimal(str(value))
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value


def _native(value: Any) -> Any:
    """Whole decimals become integers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else value
    if isinstance(value, dict):
        return {name: _native(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_native(inner) for inner in value]
    if isinstance(value, set):
        return {_native(inner) for inner in value}
    return value


def _text(value: Any) -> str:
    """A value as it stands in a key."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, Decimal)):
        return format(Decimal(str(value)).normalize(), "f")
    return str(value)


def _padded(value: Any, width: int, decimals: Optional[int] = None) -> str:
    """A number with leading zeros and, if asked, a fixed number of decimals."""
    text = _text(value) if decimals is None else f"{Decimal(_text(value)):.{decimals}f}"
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    return sign + digits.rjust(width - len(sign), "0")


def _epoch(value: Any) -> int:
    """Seconds since 1970 of a date-time, a date or a number of seconds."""
    if not isinstance(value, str):
        return int(value)
    moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
    return int((moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp() // 1)


def _iso(value: Any) -> str:
    """The same moment in UTC with milliseconds."""
    return datetime.fromtimestamp(_epoch(value), timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _is_fresh(item: Optional[Mapping[str, Any]], attribute: str) -> bool:
    """TTL deletes late: whoever reads must look whether an item's time is over."""
    return item is not None and (attribute not in item or item[attribute] > time.time())


def _grouped(tables: Mapping[str, str], pairs: Iterable[tuple[str, Record]], size: int) -> Iterable[Dict[str, List[Record]]]:
    """Items or keys by table, at most so many in a request."""
    pairs = list(pairs)
    for start in range(0, len(pairs), size):
        group: Dict[str, List[Record]] = {}
        for table, value in pairs[start:start + size]:
            values = group.setdefault(tables[table], [])
            if _plain(value) not in values:
                values.append(_plain(value))
        yield group


def _sha256(value: Any) -> str:
    return hashlib.sha256(_text(value).encode()).hexdigest()


_PLAIN_LETTERS = str.maketrans(
    "àáâãäåāăąạảấầẩẫậắằẳẵặǎçćĉċčđďðèéêëēĕėęěẹẻẽếềểễệĝğġģìíîïĩīĭįıịỉñńņňŋòóôõöøōŏőơọỏốồổỗộớờởỡợśŝşšșùúûüũūŭůűųưụủứừửữựýÿŷỳỵỷỹźżž",
    "aaaaaaaaaaaaaaaaaaaaaacccccdddeeeeeeeeeeeeeeeeeggggiiiiiiiiiiinnnnnoooooooooooooooooooooosssssuuuuuuuuuuuuuuuuuuyyyyyyyzzz",
)


def _slug(value: Any) -> str:
    """Lower case, letters without their marks, everything else a single hyphen."""
    text = _text(value).lower().translate(_PLAIN_LETTERS)
    text = "".join(letter for letter in text if not "\u0300" <= letter <= "\u036f")
    words = "".join(letter if letter.isalnum() else " " for letter in text).split()
    return "-".join(words)


def customer_key(*, email: str) -> Record:
    """The primary key of a Customer."""
    return {"PK": "CUSTOMER#" + _sha256(email), "SK": "CUSTOMER"}


def customer_item(given: Customer) -> Record:
    """A Customer as it is stored: keys, index keys and computed fields put in."""
    values: Record = _plain(dict(given))
    if "email" in values and "email_hash" not in values:
        values["email_hash"] = _sha256(values["email"])
    if "name" in values and "handle" not in values:
        values["handle"] = _slug(values["name"])
    item: Record = {name: value for name, value in values.items() if name not in ("email_hash",)}
    item.update({"PK": "CUSTOMER#" + _sha256(values["email"]), "SK": "CUSTOMER"})
    return item


def customer_read(item: Mapping[str, Any]) -> Customer:
    """A stored item as a Customer."""
    values: Any = _native(dict(item))
    return cast(Customer, values)


def order_key(*, customer: str, placed: str, number: int) -> Record:
    """The primary key of a Order."""
    return {"PK": "CUSTOMER#" + customer, "SK": "ORDER#" + placed + "#" + _padded(number, 6)}


def order_item(given: Order) -> Record:
    """A Order as it is stored: keys, index keys and computed fields put in."""
    values: Record = _plain(dict(given))
    if "placed" in values and "day" not in values:
        values["day"] = _iso(values["placed"])[:10]
    if "placed" in values and "expires" not in values:
        values["expires"] = _epoch(values["placed"]) + 2592000
    item: Record = {name: value for name, value in values.items() if name not in ("customer", "day",)}
    item.update({
        "PK": "CUSTOMER#" + values["customer"],
        "SK": "ORDER#" + values["placed"] + "#" + _padded(values["number"], 6),
    })
    item.update({"PK": "CUSTOMER#" + values["customer"], "total": values["total"]})
    if (values.get("status") == "open" or values.get("status") == "held"):
        item.update({
            "GSI1PK": "OPEN#" + _iso(values["placed"])[:10],
            "GSI1SK": _padded(values["rank"], 5, 1) + "#" + _padded(values["number"], 6),
        })
    return item


def order_read(item: Mapping[str, Any]) -> Order:
    """A stored item as a Order."""
    values: Any = _native(dict(item))
    values.setdefault("customer", values["PK"][9:])
    return cast(Order, values)


def counter_key(*, counter: str) -> Record:
    """The primary key of a Counter."""
    return {"counter": counter}


def counter_item(given: Counter) -> Record:
    """A Counter as it is stored: keys, index keys and computed fields put in."""
    values: Record = _plain(dict(given))
    item: Record = dict(values)
    item.update({"counter": values["counter"]})
    return item


def counter_read(item: Mapping[str, Any]) -> Counter:
    """A stored item as a Counter."""
    values: Any = _native(dict(item))
    return cast(Counter, values)


class OrderDesk:
    """The access patterns of order-desk."""

    def __init__(self, resource: Any = None, tables: Optional[Mapping[str, str]] = None) -> None:
        """`resource` is a `boto3.resource("dynamodb")`; `tables` renames tables by their logical ids."""
        self.client: Any = (resource or boto3.resource("dynamodb")).meta.client
        self.tables: Dict[str, str] = {
            "Orders": "order-desk-dev",
            "Counters": "order-desk-counters-dev",
            **(tables or {}),
        }

    def get_customer(self, *, email: str) -> Optional[Customer]:
        """GetCustomer"""
        answer = self.client.get_item(
            TableName=self.tables["Orders"],
            Key={"PK": "CUSTOMER#" + _sha256(email), "SK": "CUSTOMER"},
            ConsistentRead=True,
        )
        item = answer.get("Item")
        return customer_read(item) if item else None

    def get_order(self, *, customer: str, placed: str, number: int) -> Optional[Order]:
        """GetOrder"""
        answer = self.client.get_item(
            TableName=self.tables["Orders"],
            Key={
                "PK": "CUSTOMER#" + customer,
                "SK": "ORDER#" + placed + "#" + _padded(number, 6),
            },
        )
        item = answer.get("Item")
        return order_read(item) if item and _is_fresh(item, "expires") else None

    def list_orders(self, *, customer: str) -> List[Order]:
        """ListOrders"""
        request: Record = {
            "TableName": self.tables["Orders"],
            "KeyConditionExpression": "#PK = :key0 AND begins_with(#SK, :key1)",
            "ExpressionAttributeNames": {"#PK": "PK", "#SK": "SK"},
            "ExpressionAttributeValues": _plain({":key0": "CUSTOMER#" + customer, ":key1": "ORDER#"}),
            "ScanIndexForward": False,
        }
        items: List[Record] = []
        while True:
            answer = self.client.query(**request)
            items.extend(answer["Items"])
            if "LastEvaluatedKey" not in answer:
                break
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
        return [order_read(item) for item in items]

    def list_between(self, *, customer: str, placed_from: str, placed_to: str) -> List[Order]:
        """ListBetween"""
        request: Record = {
            "TableName": self.tables["Orders"],
            "KeyConditionExpression": "#PK = :key0 AND #SK BETWEEN :key1 AND :key2",
            "ExpressionAttributeNames": {"#PK": "PK", "#SK": "SK"},
            "ExpressionAttributeValues": _plain({
                ":key0": "CUSTOMER#" + customer,
                ":key1": "ORDER#" + placed_from + "#",
                ":key2": "ORDER#" + placed_to + "#" + "\U0010ffff",
            }),
        }
        items: List[Record] = []
        while True:
            answer = self.client.query(**request)
            items.extend(answer["Items"])
            if "LastEvaluatedKey" not in answer:
                break
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
        return [order_read(item) for item in items]

    def list_cheap(self, *, customer: str, total: Number) -> List[Record]:
        """ListCheap"""
        request: Record = {
            "TableName": self.tables["Orders"],
            "IndexName": "ByTotal",
            "KeyConditionExpression": "#PK = :key0 AND #total < :key1",
            "ExpressionAttributeNames": {"#PK": "PK", "#total": "total"},
            "ExpressionAttributeValues": _plain({":key0": "CUSTOMER#" + customer, ":key1": total}),
        }
        items: List[Record] = []
        while True:
            answer = self.client.query(**request)
            items.extend(answer["Items"])
            if "LastEvaluatedKey" not in answer:
                break
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
        return [_native(item) for item in items]

    def list_cheapest(self, *, customer: str) -> List[Record]:
        """ListCheapest"""
        request: Record = {
            "TableName": self.tables["Orders"],
            "IndexName": "ByTotal",
            "KeyConditionExpression": "#PK = :key0",
            "ProjectionExpression": "#total, #lines",
            "ExpressionAttributeNames": {"#PK": "PK", "#total": "total", "#lines": "lines"},
            "ExpressionAttributeValues": _plain({":key0": "CUSTOMER#" + customer}),
            "Limit": 1,
        }
        items: List[Record] = self.client.query(**request)["Items"]
        return [_native(item) for item in items]

    def list_open(self, *, day: str) -> List[Order]:
        """ListOpen"""
        request: Record = {
            "TableName": self.tables["Orders"],
            "IndexName": "Open",
            "KeyConditionExpression": "#GSI1PK = :key0",
            "ExpressionAttributeNames": {"#GSI1PK": "GSI1PK"},
            "ExpressionAttributeValues": _plain({":key0": "OPEN#" + day}),
        }
        items: List[Record] = []
        while True:
            answer = self.client.query(**request)
            items.extend(answer["Items"])
            if "LastEvaluatedKey" not in answer:
                break
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
        return [order_read(item) for item in items]

    def list_fresh(self, *, customer: str, least: Number) -> List[Order]:
        """ListFresh"""
        request: Record = {
            "TableName": self.tables["Orders"],
            "KeyConditionExpression": "#PK = :key0 AND begins_with(#SK, :key1)",
            "FilterExpression": "#expires > :now AND #total >= :least AND #status <> :constant2",
            "ExpressionAttributeNames": {"#PK": "PK", "#SK": "SK", "#expires": "expires", "#total": "total", "#status": "status"},
            "ExpressionAttributeValues": _plain({
                ":key0": "CUSTOMER#" + customer,
                ":key1": "ORDER#",
                ":constant2": "done",
                ":now": int(time.time()),
                ":least": least,
            }),
        }
        items: List[Record] = []
        while True:
            answer = self.client.query(**request)
            items.extend(answer["Items"])
            if "LastEvaluatedKey" not in answer:
                break
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
        return [order_read(item) for item in items]

    def find_large(self, *, least: Number) -> List[Record]:
        """FindLarge"""
        request: Record = {
            "TableName": self.tables["Orders"],
            "FilterExpression": "#total > :least",
            "ExpressionAttributeNames": {"#total": "total"},
            "ExpressionAttributeValues": _plain({":least": least}),
        }
        items: List[Record] = []
        while True:
            answer = self.client.scan(**request)
            items.extend(answer["Items"])
            if "LastEvaluatedKey" not in answer:
                break
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
        return [_native(item) for item in items]

    def get_open_orders(self, *, day: str, customer: str, number: int) -> List[Record]:
        """The open orders of a day, each read whole."""
        request: Record = {
            "TableName": self.tables["Orders"],
            "IndexName": "Open",
            "KeyConditionExpression": "#GSI1PK = :key0",
            "ExpressionAttributeNames": {"#GSI1PK": "GSI1PK"},
            "ExpressionAttributeValues": _plain({":key0": "OPEN#" + day}),
        }
        items: List[Record] = []
        while True:
            answer = self.client.query(**request)
            items.extend(answer["Items"])
            if "LastEvaluatedKey" not in answer:
                break
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
        found = items
        if not found:
            return []
        items = []
        for group in _grouped(self.tables, [("Orders", {
            "PK": "CUSTOMER#" + customer,
            "SK": "ORDER#" + _text(one["placed"]) + "#" + _padded(number, 6),
        }) for one in found], 100):
            pending: Record = {table: {"Keys": keys} for table, keys in group.items()}
            while pending:
                answer = self.client.batch_get_item(RequestItems=pending)
                for found_items in answer["Responses"].values():
                    items.extend(found_items)
                pending = answer.get("UnprocessedKeys") or {}
        return [_native(item) for item in items]

    def get_both(self, *, keys: Iterable[tuple[str, Record]]) -> List[Record]:
        """GetBoth"""
        gets = [{"Get": {"TableName": self.tables[table], "Key": _plain(key)}} for table, key in keys]
        answer = self.client.transact_get_items(TransactItems=gets)
        items: List[Record] = [found["Item"] for found in answer["Responses"] if found.get("Item")]
        return [_native(item) for item in items]

    def get_some(self, *, keys: Iterable[tuple[str, Record]]) -> List[Record]:
        """GetSome"""
        items: List[Record] = []
        for group in _grouped(self.tables, keys, 100):
            pending: Record = {table: {"Keys": keys} for table, keys in group.items()}
            while pending:
                answer = self.client.batch_get_item(RequestItems=pending)
                for found_items in answer["Responses"].values():
                    items.extend(found_items)
                pending = answer.get("UnprocessedKeys") or {}
        return [_native(item) for item in items]

    def put_order(self, *, order: Order) -> None:
        """PutOrder"""
        self.client.put_item(
            TableName=self.tables["Orders"],
            Item=order_item(order),
            ConditionExpression="attribute_not_exists(#PK)",
            ExpressionAttributeNames={"#PK": "PK"},
        )

    def put_orders(self, *, items: Iterable[tuple[str, Record]]) -> None:
        """PutOrders"""
        for group in _grouped(self.tables, items, 25):
            pending: Record = {
                table: [{"PutRequest": {"Item": value}} for value in values] for table, values in group.items()
            }
            while pending:
                pending = self.client.batch_write_item(RequestItems=pending).get("UnprocessedItems") or {}

    def finish_order(self, *, customer: str, placed: str, number: int) -> None:
        """FinishOrder"""
        self.client.update_item(
            TableName=self.tables["Orders"],
            Key={
                "PK": "CUSTOMER#" + customer,
                "SK": "ORDER#" + placed + "#" + _padded(number, 6),
            },
            ConditionExpression="#status IN (:constant0, :constant1)",
            UpdateExpression="SET #status = :constant2 REMOVE #GSI1PK, #GSI1SK",
            ExpressionAttributeNames={"#status": "status", "#GSI1PK": "GSI1PK", "#GSI1SK": "GSI1SK"},
            ExpressionAttributeValues=_plain({":constant0": "open", ":constant1": "held", ":constant2": "done"}),
        )

    def next_number(self, *, counter: str) -> None:
        """NextNumber"""
        self.client.update_item(
            TableName=self.tables["Counters"],
            Key={"counter": counter},
            UpdateExpression="SET #value = if_not_exists(#value, :constant0) + :constant1",
            ExpressionAttributeNames={"#value": "value"},
            ExpressionAttributeValues=_plain({":constant0": 0, ":constant1": 1}),
        )

    def remove_order(self, *, customer: str, placed: str, number: int) -> None:
        """RemoveOrder"""
        self.client.delete_item(
            TableName=self.tables["Orders"],
            Key={
                "PK": "CUSTOMER#" + customer,
                "SK": "ORDER#" + placed + "#" + _padded(number, 6),
            },
        )

    def place_order(self, *, email: str, order: Order, counter: str, by: Number) -> None:
        """PlaceOrder"""
        self.client.transact_write_items(
            TransactItems=[
                {"ConditionCheck": {
                    "TableName": self.tables["Orders"],
                    "Key": {"PK": "CUSTOMER#" + _sha256(email), "SK": "CUSTOMER"},
                    "ConditionExpression": "attribute_exists(#PK)",
                    "ExpressionAttributeNames": {"#PK": "PK"},
                }},
                {"Put": {
                    "TableName": self.tables["Orders"],
                    "Item": order_item(order),
                }},
                {"Update": {
                    "TableName": self.tables["Counters"],
                    "Key": {"counter": counter},
                    "UpdateExpression": "ADD #value :by",
                    "ExpressionAttributeNames": {"#value": "value"},
                    "ExpressionAttributeValues": _plain({":by": by}),
                }},
            ],
        )


def samples() -> Dict[str, Any]:
    """The samples of the design by name: the table's logical id and the item as it is stored."""
    return {
        "ada": ("Orders", customer_item({"email": "ada@example.com", "name": "Åda “Q” O'Hara", "labels": {"new", "loyal"}, "type": "person", "vip": True})),
        "first": ("Orders", order_item({"customer": "c1", "number": 7, "placed": "2035-01-20T08:00:00Z", "rank": Decimal("2.5"), "total": Decimal("19.95"), "status": "open", "note": None, "lines": [{"article": "tea", "count": 2, "gift": {"text": "for\nyou"}}]})),
        "second": ("Orders", order_item({"customer": "c1", "number": 8, "placed": "2035-01-21T09:00:00Z", "rank": 10, "total": 5, "status": "done", "lines": []})),
        "third": ("Orders", order_item({"customer": "c1", "number": 9, "placed": "2035-01-21T10:00:00Z", "rank": 1, "total": 100, "status": "held", "lines": []})),
        "count": ("Counters", counter_item({"counter": "orders", "value": 41})),
    }


# Every access pattern as the design calls it: the call, and what the design expects of it, which is a list of
# primary keys, a number of items, the name of an error, or None if it says nothing.
EXAMPLES: Dict[str, Any] = {
    # OrderDesk
    "GetCustomer": (
        lambda store: store.get_customer(email="ada@example.com"),
        [{"PK": "CUSTOMER#b5fc85e55755f9e0d030a10ab4429b6b2944855f9a0d60077fe832becbc41d72", "SK": "CUSTOMER"}],
    ),
    "GetOrder": (
        lambda store: store.get_order(customer="c1", placed="2035-01-20T08:00:00Z", number=7),
        [{"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-20T08:00:00Z#000007"}],
    ),
    "ListOrders": (
        lambda store: store.list_orders(customer="c1"),
        [{"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-21T10:00:00Z#000009"}, {"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-21T09:00:00Z#000008"}, {"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-20T08:00:00Z#000007"}],
    ),
    "ListBetween": (
        lambda store: store.list_between(customer="c1", placed_from="2035-01-20T00:00:00Z", placed_to="2035-01-21T09:30:00Z"),
        [{"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-20T08:00:00Z#000007"}, {"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-21T09:00:00Z#000008"}],
    ),
    "ListCheap": (
        lambda store: store.list_cheap(customer="c1", total=20),
        [{"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-21T09:00:00Z#000008"}, {"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-20T08:00:00Z#000007"}],
    ),
    "ListCheapest": (
        lambda store: store.list_cheapest(customer="c1"),
        [{"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-21T09:00:00Z#000008"}],
    ),
    "ListOpen": (
        lambda store: store.list_open(day="2035-01-21"),
        [{"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-21T10:00:00Z#000009"}],
    ),
    "ListFresh": (
        lambda store: store.list_fresh(customer="c1", least=10),
        [{"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-20T08:00:00Z#000007"}, {"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-21T10:00:00Z#000009"}],
    ),
    "FindLarge": (
        lambda store: store.find_large(least=50),
        [{"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-21T10:00:00Z#000009"}],
    ),
    "GetOpenOrders": (
        lambda store: store.get_open_orders(day="2035-01-20", customer="c1", number=7),
        [{"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-20T08:00:00Z#000007"}],
    ),
    "GetBoth": (
        lambda store: store.get_both(keys=[("Orders", order_key(customer="c1", placed="2035-01-20T08:00:00Z", number=7)), ("Orders", order_key(customer="c1", placed="2035-01-21T09:00:00Z", number=8))]),
        [{"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-20T08:00:00Z#000007"}, {"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-21T09:00:00Z#000008"}],
    ),
    "GetSome": (
        lambda store: store.get_some(keys=[("Orders", order_key(customer="c1", placed="2035-01-20T08:00:00Z", number=7)), ("Orders", order_key(customer="c1", placed="2035-01-21T10:00:00Z", number=9))]),
        [{"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-20T08:00:00Z#000007"}, {"PK": "CUSTOMER#c1", "SK": "ORDER#2035-01-21T10:00:00Z#000009"}],
    ),
    "PutOrder": (
        lambda store: store.put_order(order={"customer": "c1", "number": 7, "placed": "2035-01-20T08:00:00Z", "rank": Decimal("2.5"), "total": Decimal("19.95"), "status": "open", "note": None, "lines": [{"article": "tea", "count": 2, "gift": {"text": "for\nyou"}}]}),
        "ConditionalCheckFailedException",
    ),
    "PutOrders": (
        lambda store: store.put_orders(items=[("Orders", order_item({"customer": "c1", "number": 7, "placed": "2035-01-20T08:00:00Z", "rank": Decimal("2.5"), "total": Decimal("19.95"), "status": "open", "note": None, "lines": [{"article": "tea", "count": 2, "gift": {"text": "for\nyou"}}]})), ("Orders", order_item({"customer": "c1", "number": 8, "placed": "2035-01-21T09:00:00Z", "rank": 10, "total": 5, "status": "done", "lines": []}))]),
        None,
    ),
    "FinishOrder": (
        lambda store: store.finish_order(customer="c1", placed="2035-01-21T10:00:00Z", number=9),
        None,
    ),
    "NextNumber": (
        lambda store: store.next_number(counter="orders"),
        None,
    ),
    "RemoveOrder": (
        lambda store: store.remove_order(customer="c1", placed="2035-01-21T09:00:00Z", number=8),
        None,
    ),
    "PlaceOrder": (
        lambda store: store.place_order(email="ada@example.com", order={"customer": "c1", "number": 7, "placed": "2035-01-20T08:00:00Z", "rank": Decimal("2.5"), "total": Decimal("19.95"), "status": "open", "note": None, "lines": [{"article": "tea", "count": 2, "gift": {"text": "for\nyou"}}]}, counter="orders", by=1),
        None,
    ),
}
