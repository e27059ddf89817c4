"""The requests of the malformed run: one valid request per operation, and every way it is spoilt.

Everything follows the random generator handed in. Knows nothing of sockets; `malformed.py` sends what is made here.
"""

import copy
import json

TABLE = {"TableName": "victim"}
KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
ITEM = KEY | {
    "s": {"S": "text"}, "n": {"N": "1.5"}, "b": {"B": "AAEC"}, "t": {"BOOL": True}, "z": {"NULL": True},
    "l": {"L": [{"S": "x"}, {"N": "2"}]}, "m": {"M": {"k": {"L": []}}}, "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1"]},
    "bs": {"BS": ["AA=="]},
}
VALUES = {":v": {"S": "a"}, ":n": {"N": "1"}}
ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/victim"
CREATE = {
    "TableName": "victim", "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"},
                             {"AttributeName": "s", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [{"IndexName": "by_s", "KeySchema": [{"AttributeName": "s", "KeyType": "HASH"}],
                                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["n"]}}],
    "LocalSecondaryIndexes": [{"IndexName": "by_local", "Projection": {"ProjectionType": "ALL"}, "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}]}],
}
QUERY = TABLE | {"KeyConditionExpression": "pk = :v AND sk BETWEEN :n AND :n", "ExpressionAttributeValues": VALUES,
                 "FilterExpression": "contains(#s, :v) OR NOT size(l) > :n", "ExpressionAttributeNames": {"#s": "s"},
                 "ProjectionExpression": "pk, l[0], m.k", "Limit": 5, "ScanIndexForward": False,
                 "ReturnConsumedCapacity": "INDEXES"}
UPDATE = TABLE | {"Key": KEY, "UpdateExpression": "SET n = n + :n, l = list_append(l, :l) REMOVE m.k ADD c :n DELETE ss :s",
                  "ConditionExpression": "attribute_exists(pk) AND (n < :n OR begins_with(s, :v))",
                  "ExpressionAttributeValues": VALUES | {":l": {"L": [{"S": "y"}]}, ":s": {"SS": ["a"]}},
                  "ReturnValues": "ALL_NEW"}

VALID = {
    "CreateTable": CREATE | {"Tags": [{"Key": "a", "Value": "b"}], "SSESpecification": {"Enabled": True},
                             "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}},
    "DescribeTable": TABLE,
    "ListTables": {"Limit": 3, "ExclusiveStartTableName": "abc"},
    "UpdateTable": TABLE | {"BillingMode": "PROVISIONED", "DeletionProtectionEnabled": False,
                            "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
                            "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by_none"}}]},
    "DeleteTable": {"TableName": "absent"},
    "PutItem": TABLE | {"Item": ITEM, "ConditionExpression": "attribute_not_exists(pk) OR n <> :n",
                        "ExpressionAttributeValues": {":n": {"N": "1"}}, "ReturnValues": "ALL_OLD",
                        "ReturnConsumedCapacity": "TOTAL"},
    "GetItem": TABLE | {"Key": KEY, "ProjectionExpression": "#s, l[0]", "ExpressionAttributeNames": {"#s": "s"},
                        "ConsistentRead": True},
    "UpdateItem": UPDATE,
    "DeleteItem": TABLE | {"Key": KEY, "Expected": {"n": {"ComparisonOperator": "GE", "AttributeValueList": [{"N": "9"}]}}},
    "Query": QUERY,
    "Scan": TABLE | {"FilterExpression": "n BETWEEN :n AND :n", "ExpressionAttributeValues": {":n": {"N": "1"}},
                     "Segment": 0, "TotalSegments": 2, "ExclusiveStartKey": KEY, "IndexName": "by_local"},
    "BatchGetItem": {"RequestItems": {"victim": {"Keys": [KEY], "ProjectionExpression": "pk"}}},
    "BatchWriteItem": {"RequestItems": {"victim": [{"PutRequest": {"Item": ITEM}},
                                                   {"DeleteRequest": {"Key": {"pk": {"S": "b"}, "sk": {"N": "1"}}}}]}},
    "TransactGetItems": {"TransactItems": [{"Get": TABLE | {"Key": KEY}}]},
    "TransactWriteItems": {"ClientRequestToken": "t", "TransactItems": [
        {"Put": TABLE | {"Item": ITEM}}, {"Delete": TABLE | {"Key": {"pk": {"S": "c"}, "sk": {"N": "1"}}}},
        {"ConditionCheck": TABLE | {"Key": {"pk": {"S": "d"}, "sk": {"N": "1"}},
                                    "ConditionExpression": "attribute_not_exists(pk)"}}]},
    "TagResource": {"ResourceArn": ARN, "Tags": [{"Key": "k", "Value": "v"}]},
    "UntagResource": {"ResourceArn": ARN, "TagKeys": ["k"]},
    "ListTagsOfResource": {"ResourceArn": ARN},
    "DescribeLimits": {},
    "DescribeEndpoints": {},
    "DescribeContinuousBackups": TABLE,
    "UpdateTimeToLive": TABLE | {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "n"}},
    "DescribeTimeToLive": TABLE,
    "ExportTableToPointInTime": {
        "TableArn": ARN, "S3Bucket": "files", "S3Prefix": "out", "ExportTime": 1.5, "ClientToken": "t",
        "S3SseAlgorithm": "AES256", "ExportFormat": "ION", "ExportType": "FULL_EXPORT",
        "FilterSpecification": {"KeyConditionExpression": "pk = :v", "FilterExpression": "n > :n",
                                "ProjectionExpression": "pk, l[0]", "ExpressionAttributeValues": VALUES}},
    "DescribeExport": {"ExportArn": ARN + "/export/01695353076000-a1e9a8d1"},
    "ListExports": {"TableArn": ARN, "MaxResults": 5},
    "ImportTable": {
        "ClientToken": "t", "S3BucketSource": {"S3Bucket": "files", "S3KeyPrefix": "in/"}, "InputFormat": "CSV",
        "InputFormatOptions": {"Csv": {"Delimiter": ";", "HeaderList": ["pk", "sk"]}}, "InputCompressionType": "GZIP",
        "TableCreationParameters": {name: value for name, value in CREATE.items() if name != "LocalSecondaryIndexes"}},
    "DescribeImport": {"ImportArn": ARN + "/import/01695353076000-a1e9a8d1"},
    "ListImports": {"TableArn": ARN, "PageSize": 5, "NextToken": "0" * 112},
    "StartBulkPutItems": TABLE | {
        "ClientToken": "t", "MaxWriteRequestUnits": 2000, "PerformanceTier": "STANDARD",
        "InputS3Configuration": {"S3Bucket": "files", "S3KeyPrefix": "in/", "InputFormat": "DYNAMODB_JSON"},
        "OutputS3Configuration": {"S3Bucket": "files", "OutputType": ["ERROR", "CONDITION_CHECK_FAILURE"]}},
    "DescribeBulkOperation": {"BulkOperationArn": ARN + "/bulk-operation/01695353076000-a1e9a8d1"},
    "ListBulkOperations": {"MaxResults": 5, "NextToken": "0" * 16},
    "CancelBulkOperation": {"BulkOperationArn": ARN + "/bulk-operation/01695353076000-a1e9a8d1"},
}
EXPRESSIONS = ("ConditionExpression", "FilterExpression", "ProjectionExpression", "KeyConditionExpression", "UpdateExpression")
WORDS = ["AND", "OR", "NOT", "BETWEEN", "IN", "(", ")", ",", ".", "[", "]", "[0]", "[99999999999999999999]", "=", "<>", "<", ">=",
         "+", "-", ":v", ":n", ":", "#", "#s", "SET", "REMOVE", "ADD", "DELETE", "size(", "contains(", "attribute_type(",
         "if_not_exists(", "list_append(", "pk", "sk", "size", "\u0000", "\ud7ff", "'", '"', "0", "1e9", "\U0001f95e", "  ", "\t\n"]


LONG = {"S": "x" * 70_000}
NINES = {"N": "9" * 38 + "0" * 88}


def update(expression, **values):
    """An update of the item that the first corner writes."""
    made = TABLE | {"Key": KEY, "UpdateExpression": expression}
    return "UpdateItem", made | ({"ExpressionAttributeValues": {f":{name}": value for name, value in values.items()}} if values else {})


def query(condition, more=None, **values):
    return "Query", TABLE | {"KeyConditionExpression": condition, "ExpressionAttributeValues": {
        f":{name}": value for name, value in values.items()}} | (more or {})


# Requests that chance would seldom find: sizes, depths and numbers at and beyond what the store can hold. Sent first, in order.
CORNERS = [
    ("PutItem", TABLE | {"Item": ITEM}),
    query("pk = :v", v=LONG),
    query("pk = :p AND sk > :n", p={"S": "a"}, n={"N": "1" * 70_000}),
    query("s = :v", {"IndexName": "by_s"}, v=LONG),
    query("pk = :p AND s > :v", {"IndexName": "by_local"}, p={"S": "a"}, v=LONG),
    query("pk = :p AND begins_with(s, :v)", {"IndexName": "by_local"}, p={"S": "a"}, v=LONG),
    query("pk = :p AND s BETWEEN :v AND :w", {"IndexName": "by_local"}, p={"S": "a"}, v={"S": "b"}, w={"S": "a"}),
    query("pk = :p", {"ExclusiveStartKey": {"pk": LONG, "sk": {"N": "1"}}}, p={"S": "a"}),
    query("pk = :p", {"ExclusiveStartKey": {"pk": {"S": "other"}, "sk": {"N": "1"}}}, p={"S": "a"}),
    query("pk = :p", {"Limit": 0}, p={"S": "a"}),
    ("Scan", TABLE | {"ExclusiveStartKey": {"pk": LONG, "sk": {"N": "1"}}}),
    ("Scan", TABLE | {"ExclusiveStartKey": {"pk": {"S": ""}, "sk": {"N": "1"}}}),
    ("Scan", TABLE | {"IndexName": "by_s", "ExclusiveStartKey": KEY | {"s": LONG}}),
    ("Scan", TABLE | {"IndexName": "by_local", "ExclusiveStartKey": KEY | {"s": LONG}}),
    ("Scan", TABLE | {"Segment": 0, "TotalSegments": 1_000_001}),
    ("Scan", TABLE | {"Segment": 999_999, "TotalSegments": 1_000_000}),
    ("Scan", TABLE | {"Segment": -1, "TotalSegments": 2}),
    ("GetItem", TABLE | {"Key": {"pk": LONG, "sk": {"N": "1"}}}),
    ("DeleteItem", TABLE | {"Key": {"pk": LONG, "sk": {"N": "1"}}}),
    ("BatchGetItem", {"RequestItems": {"victim": {"Keys": [{"pk": LONG, "sk": {"N": "1"}}]}}}),
    ("BatchWriteItem", {"RequestItems": {"victim": [{"DeleteRequest": {"Key": {"pk": LONG, "sk": {"N": "1"}}}}]}}),
    ("TransactWriteItems", {"TransactItems": [{"Delete": TABLE | {"Key": {"pk": LONG, "sk": {"N": "1"}}}}]}),
    ("TransactGetItems", {"TransactItems": [{"Get": TABLE | {"Key": {"pk": LONG, "sk": {"N": "1"}}}}]}),
    ("PutItem", TABLE | {"Item": ITEM | {"s": LONG}}),
    ("PutItem", TABLE | {"Item": ITEM | {"s": {"S": ""}}}),
    ("PutItem", TABLE | {"Item": ITEM | {"s": {"N": "1"}}}),
    ("PutItem", TABLE | {"Item": ITEM | {"x" * 70_000: {"S": ""}}}),
    ("PutItem", TABLE | {"Item": ITEM | {"x": {"L": [{"L": []}] * 80_000}}}),
    update("SET s = :v", v=LONG),
    update("SET s = :v", v={"N": "1"}),
    update("SET n = :v", v=NINES),
    update("SET n = n + n"),
    update("SET n = n - :v", v={"N": "-1E125"}),
    update("ADD n :v", v=NINES),
    update("SET n = :v", v={"N": "1e-130"}),
    update("SET n = n - :v", v={"N": "0.9e-130"}),
    update("SET n = :v", v={"N": "1e2147483648"}),
    update("SET n = :v", v={"N": "1e-99999999999999999999"}),
    update("SET n = :v", v={"N": "0e99999999999999999999"}),
    update("SET n = :v", v={"N": "." + "0" * 100_000 + "1"}),
    update("SET l[4294967296] = :v", v={"N": "1"}),
    update("SET l[18446744073709551616] = :v", v={"N": "1"}),
    update("REMOVE l[2147483647]"),
    update("SET l = list_append(l, :v)", v={"L": [{"S": "x" * 100_000}] * 4}),
    update("SET " + ".".join(["m"] * 33) + " = :v", v={"N": "1"}),
    update("SET z = :v", v={"NULL": False}),
    ("GetItem", TABLE | {"Key": KEY, "ProjectionExpression": ".".join(["m"] * 2_000)}),
    ("GetItem", TABLE | {"Key": KEY, "ProjectionExpression": "#a", "ExpressionAttributeNames": {"#a": "x" * 70_000}}),
    ("ListTables", {"ExclusiveStartTableName": "x" * 70_000}),
    ("DescribeTable", {"TableName": "arn:aws:dynamodb:us-east-1:000000000000:table/" + "x" * 70_000}),
    ("TagResource", {"ResourceArn": "arn:" + ":" * 70_000, "Tags": [{"Key": "k", "Value": "v"}]}),
    ("TagResource", {"ResourceArn": ARN, "Tags": [{"Key": f"k{number}", "Value": "v"} for number in range(60)]}),
    ("TransactWriteItems", {"ClientRequestToken": "x" * 70_000, "TransactItems": [{"Delete": TABLE | {"Key": KEY}}]}),
    ("UpdateTimeToLive", TABLE | {"TimeToLiveSpecification": {"Enabled": True, "AttributeName": "x" * 70_000}}),
    ("CreateTable", CREATE | {"TableName": "x" * 70_000}),
    ("CreateTable", CREATE | {"TableName": "wide", "GlobalSecondaryIndexes": CREATE["GlobalSecondaryIndexes"] * 2}),
]


class Raw(str):
    """Text put into the JSON as it is: numbers that Python would not write."""


def junk(chance):
    """A value that is probably of the wrong type."""
    return chance.choice([
        None, True, False, 0, -1, 1.5, 2**31, 2**63, -(2**63) - 1, "", "a", "x" * 300, "\u0000", [], {}, [[]], [None], {"": ""},
        {"S": 1}, {"S": "a", "N": "1"}, {"N": "1e1000"}, {"N": "0x1"}, {"N": "1" * 200}, {"B": "not base64!"}, {"L": {}}, {"M": []},
        {"SS": []}, {"NS": ["a"]}, {"BOOL": "true"}, {"NULL": 0}, {"X": "y"}, {"S": None}, Raw("1e400"), Raw("-0"), Raw("1E+2"),
        Raw("123456789012345678901234567890"), Raw('"\\ud800"'), nested_value(chance.randrange(1, 200)),
    ])


def cousin(chance, value):
    """Another value of the same JSON type, so that the request gets past its decoding."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return chance.choice(["", "a", "pk", "sk", "s", "by_s", "victim", "absent", "S", "N", "-1", "0", "1e130", "HASH", "x" * 70_000,
                              "ALL_NEW", "SIZE", "KEYS_ONLY", ARN, ARN + "/index/by_s", "\u0000", "\ud7ff", spoil_text(chance, value)])
    if isinstance(value, (int, float)):
        return chance.choice([0, -1, 1, 5, 100, 101, 10**6, 10**6 + 1, 2**31 - 1])
    if isinstance(value, list):
        return chance.choice([[], value * 2, value * 30, value * 101, value[:1], value[::-1]])
    if isinstance(value, dict):
        return chance.choice([{}, value | VALUES, {"pk": value}, KEY, {"N": "1"}, {"S": "a"}, {"NS": ["1", "1"]}, {"L": [value]},
                              {"M": value}, nested_value(chance.randrange(25, 40))])
    return value


def nested_value(levels):
    """An attribute value of lists in lists."""
    value = {"S": "leaf"}
    for level in range(levels):
        value = {"L": [value]} if level % 2 else {"M": {"k": value}}
    return value


def places(node, path=()):
    """The path of every node of a JSON tree."""
    yield path
    if isinstance(node, dict):
        for name, child in node.items():
            yield from places(child, (*path, name))
    elif isinstance(node, list):
        for number, child in enumerate(node):
            yield from places(child, (*path, number))


def parent_of(tree, path):
    for step in path[:-1]:
        tree = tree[step]
    return tree


def spoil(chance, tree):
    """One change at a random place of a JSON tree."""
    path = chance.choice([path for path in places(tree)])
    if not path:
        return junk(chance) if chance.random() < 0.2 else tree | {"Unknown": junk(chance)}
    parent, last = parent_of(tree, path), path[-1]
    kind = chance.randrange(10)
    if kind >= 6:
        parent[last] = copy.deepcopy(cousin(chance, parent[last]))
    elif kind == 0:
        del parent[last]
    elif kind == 1 and isinstance(parent, dict):
        parent[chance.choice([last.lower(), last + "x", "", "S", "N", "x" * 70_000 if chance.random() < 0.02 else "y"])] = parent.pop(last)
    elif kind == 2:
        parent[last] = chance.choice([[parent[last]], {"S": parent[last]}, {"k": parent[last]}])
    elif kind == 3 and isinstance(parent, list):
        parent.extend(copy.deepcopy(parent[last]) for _ in range(chance.choice((1, 30, 200))))
    elif kind == 4 and isinstance(parent[last], str):
        parent[last] = spoil_text(chance, parent[last])
    else:
        parent[last] = junk(chance)
    return tree


def spoil_text(chance, text):
    """Characters and words added, taken away and moved."""
    for _ in range(chance.choice((1, 1, 2, 8))):
        place = chance.randrange(len(text) + 1)
        if chance.random() < 0.6:
            text = f"{text[:place]} {chance.choice(WORDS)} {text[place:]}"
        else:
            text = text[:place] + text[place + chance.randrange(1, 6):]
    return text


def deep_expression(chance):
    """Expressions that nest, repeat or run on, within and beyond what the service reads."""
    depth = chance.choice((10, 200, 1000, 2000, 5000, 100_000))
    return chance.choice([
        "(" * depth + "pk = :v" + ")" * depth,
        "(" * depth,
        "NOT " * depth + "pk = :v",
        " AND ".join(["pk = :v"] * depth),
        "a." * depth + "b",
        "a" + "[0]" * depth,
        "size(" * depth + "pk" + ")" * depth,
        "SET a = " + " + ".join([":n"] * depth),
        "SET a = " + "if_not_exists(a, " * depth + ":v" + ")" * depth,
        "pk IN (" + ", ".join([":v"] * depth) + ")",
        "SET " + ", ".join(f"a{number} = :v" for number in range(depth)),
    ])


def encode(tree):
    """JSON with the raw texts in place."""
    raws = []

    def swap(node):
        if isinstance(node, Raw):
            raws.append(str(node))
            return f"\u0001raw{len(raws) - 1}\u0001"
        if isinstance(node, dict):
            return {name: swap(child) for name, child in node.items()}
        if isinstance(node, list):
            return [swap(child) for child in node]
        return node

    text = json.dumps(swap(tree))
    for number, raw in enumerate(raws):
        text = text.replace(f'"\\u0001raw{number}\\u0001"', raw)
    return text.encode()


def spoil_bytes(chance, body):
    """Bytes flipped, cut, doubled, or replaced by what is not UTF-8."""
    place = chance.randrange(len(body) + 1)
    kind = chance.randrange(7)
    if kind == 0:
        return body[:place]
    if kind == 1:
        return body[:place] + bytes([chance.randrange(256)]) + body[place + 1:]
    if kind == 2:
        return body[:place] + chance.choice([b"\xff", b"\xc3(", b"\xed\xa0\x80", b"\x00", b"\xef\xbb\xbf"]) + body[place:]
    if kind == 3:
        return body + chance.choice([b"{}", b"]", b",", b"\x00", b"null"])
    if kind == 4:
        return body.replace(b'"S"', chance.choice([b'"S":"x","S"', b"S", b"'S'", b'"\\u0053"', b'"\\x"']), 1)
    if kind == 5:
        return body.replace(b":", chance.choice([b"::", b"=", b" "]), 1)
    return chance.choice([b"", b"null", b"[]", b'"text"', b"1", b"true", b"{", b"[", b"{}", b'{"TableName"}', b"\xff\xfe{\x00}\x00"])


def mutated(chance):
    """One spoilt request: the operation and the bytes of its body."""
    operation = chance.choice(list(VALID))
    tree = copy.deepcopy(VALID[operation])
    kind = chance.random()
    if kind < 0.15:
        return operation, spoil_bytes(chance, encode(tree))
    if kind < 0.30:
        named = [path for path in places(tree) if path and path[-1] in EXPRESSIONS]
        if named:
            path = chance.choice(named)
            parent = parent_of(tree, path)
            parent[path[-1]] = deep_expression(chance) if chance.random() < 0.3 else spoil_text(chance, parent[path[-1]])
            return operation, encode(tree)
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        if isinstance(tree, dict):
            tree = spoil(chance, tree)
    return operation, encode(tree)


def giant(chance):
    """A body near or beyond the limit of 16 MB, most of it one nested or endless thing."""
    size = chance.choice((1_000_000, 8_000_000, 16_700_000, 17_000_000))
    put = b'{"TableName":"victim","Item":{"pk":{"S":"a"},"sk":{"N":"1"},"x":'
    body = chance.choice([
        lambda: b"[" * size,
        lambda: b'{"a":' * (size // 5),
        lambda: put + b'{"L":[' * (size // 6),
        lambda: put + b'{"L":[' * (size // 8) + b"]}" * (size // 8) + b"}}",
        lambda: put + b'{"M":{"k":' * (size // 12) + b'{"S":""}' + b"}}" * (size // 12) + b"}}",
        lambda: put + b'{"S":"' + b"x" * size + b'"}}}',
        lambda: put + b'{"N":"' + b"9" * size + b'"}}}',
        lambda: b'{"TableName":"victim","Limit":' + b"9" * size + b"}",
        lambda: b'{"TableName":"' + b"a" * size + b'"}',
        lambda: b'{"TableName":"victim","FilterExpression":"' + b"(" * size + b'"}',
        lambda: put + b'{"SS":[' + b'"a",' * (size // 4) + b'"a"]}}}',
        lambda: b" " * size + b"{}",
        lambda: b"\xff" * size,
    ])()
    return chance.choice(("PutItem", "Scan", "Query", "BatchWriteItem", "ListTables")), body


def head(lines, body=b"", length=None):
    """A request spelled by hand."""
    length = len(body) if length is None else length
    return b"\r\n".join([*lines, b"Content-Length: %d" % length, b"", b""]) + body


def framing(chance):
    """Broken or odd HTTP: the bytes to send, and whether silence and a closed connection are an answer too."""
    target = b"X-Amz-Target: DynamoDB_20120810.ListTables"
    kind = b"Content-Type: application/x-amz-json-1.0"
    start = [b"POST / HTTP/1.1", b"Host: localhost", kind]
    odd = bytes(chance.choice(b"\x00\x01\x7f\x80\xff\r") for _ in range(chance.randrange(1, 20)))
    return chance.choice([
        (head([*start], b"{}"), False),
        (head([*start, b"X-Amz-Target:"], b"{}"), False),
        (head([*start, b"X-Amz-Target: " + chance.choice([b"ListTables", b"DynamoDB_20120810.", b"DynamoDB_20120810.listtables",
                                                         b"DynamoDBStreams_20120810.Nope", b".", b"x" * 5000, b"\xe9.\xe9"])], b"{}"), False),
        (head([*start, target, target], b"{}"), False),
        (head([b"POST /nowhere HTTP/1.1", b"Host: localhost", kind], b"{}"), False),
        (head([chance.choice([b"PUT", b"DELETE", b"PATCH", b"BREW"]) + b" / HTTP/1.1", b"Host: localhost"], b"{}"), False),
        (head([b"POST / HTTP/1.1", b"Host: localhost", b"Content-Type: text/html", b"X-Amz-Target: none"], b"{}"), False),
        (head([*start, target], b"{}", -1), False),
        (head([*start, target], b"{}", 10**30), False),
        (head([*start, target, b"Content-Length: 5"], b"{}"), False),
        (head([*start, target], b"{}", 400), True),
        (head([*start, b"Bad Header: x", target], b"{}"), False),
        (head([*start, b"X-Odd: " + odd, b"X-Amz-Target: none"], b"{}"), False),
        (head([*start, b"X-Long: " + b"y" * chance.choice((9_000, 900_000)), b"X-Amz-Target: none"], b"{}"), False),
        (head([*start, *[b"X-%d: y" % number for number in range(chance.choice((90, 2000)))], b"X-Amz-Target: none"], b"{}"), False),
        (head([chance.choice([b"POST / HTTP/9.9", b"POST  / HTTP/1.1", b"POST /", b"POST \x00 HTTP/1.1", b"/ POST", b"{}", odd])], b"{}"), True),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + target + b"\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", False),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + target + b"\r\n\r\n1\r\n{\r\n0\r\n\r\n", False),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + target + b"\r\n\r\nffffffffffffffffff\r\n", False),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: sideways\r\n" + target + b"\r\n\r\n{}", False),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + target + b"\r\n\r\n5\r\n{", True),
        (bytes(chance.randrange(256) for _ in range(chance.randrange(1, 400))), True),
        (b"POST / HTTP/1.1\r\nHost", True),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", True),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + odd * 5, True),
    ])
