"""DynamoDB requests without an SDK: one keep-alive connection, one JSON body, one answer. Signs nothing."""

import http.client
import json

PREFIX = "DynamoDB_20120810."
HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Date": "20260101T000000Z",
    "Authorization": "AWS4-HMAC-SHA256 Credential=story/20260101/us-east-1/dynamodb/aws4_request, "
                     "SignedHeaders=host;x-amz-date;x-amz-target, Signature=00",
}


class Refused(Exception):
    """An answer that is not 200."""

    def __init__(self, operation, status, body):
        super().__init__(f"{operation}: {status} {body[:300]!r}")
        self.operation = operation
        self.status = status
        self.body = body


class Wire:
    """A connection to the server at `port` that is opened again after it broke."""

    def __init__(self, port, timeout_seconds=30):
        self.port = port
        self.timeout_seconds = timeout_seconds
        self.connection = None

    def call(self, operation, request):
        """The answer as a dictionary. Raises Refused, or OSError/HTTPException when the connection breaks."""
        status, body = self.send(PREFIX + operation, json.dumps(request).encode())
        if status != 200:
            raise Refused(operation, status, body)
        return json.loads(body)

    def send(self, target, body):
        """One request of any bytes; the status and the bytes of the answer."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout_seconds)
        try:
            self.connection.request("POST", "/", body, HEADERS | {"X-Amz-Target": target})
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def pages(self, operation, request):
        """Every item of a Query or Scan."""
        start = {}
        while True:
            answer = self.call(operation, request | start)
            yield from answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
