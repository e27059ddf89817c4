package story;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.*;

/**
 * The AWS SDK for Java: the story over all operations. The SDK checks the CRC32 of every answer and throws when it is
 * wrong, so each call here is also a check of x-amz-crc32. The chapters share one table and run in order.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class StoryTest {
    private static final String ORDERS = "orders";
    private static DynamoDbClient client;

    private static AttributeValue s(String text) {
        return AttributeValue.fromS(text);
    }

    private static AttributeValue n(int number) {
        return AttributeValue.fromN(Integer.toString(number));
    }

    private static Map<String, AttributeValue> order(String customer, String id) {
        return new HashMap<>(Map.of("customer", s(customer), "order_id", s(id)));
    }

    private static Map<String, AttributeValue> order(String customer, String id, Map<String, AttributeValue> more) {
        var made = order(customer, id);
        made.putAll(more);
        return made;
    }

    private static KeySchemaElement key(String name, KeyType kind) {
        return KeySchemaElement.builder().attributeName(name).keyType(kind).build();
    }

    private static List<KeySchemaElement> keys(String hash, String range) {
        return List.of(key(hash, KeyType.HASH), key(range, KeyType.RANGE));
    }

    private static AttributeDefinition attribute(String name, ScalarAttributeType kind) {
        return AttributeDefinition.builder().attributeName(name).attributeType(kind).build();
    }

    private static Projection projection(ProjectionType kind) {
        return Projection.builder().projectionType(kind).build();
    }

    private static TableDescription described() {
        return client.describeTable(request -> request.tableName(ORDERS)).table();
    }

    private static void until(Predicate<TableDescription> wanted) throws InterruptedException {
        var deadline = System.nanoTime() + 120_000_000_000L;
        while (!wanted.test(described())) {
            assertTrue(System.nanoTime() < deadline, "the table is not as wanted after two minutes");
            Thread.sleep(20);
        }
    }

    private static List<String> ids(List<Map<String, AttributeValue>> items) {
        return items.stream().map(item -> item.get("order_id").s()).toList();
    }

    private static void refused(String code, org.junit.jupiter.api.function.Executable call) {
        var error = assertThrows(DynamoDbException.class, call);
        assertEquals(code, error.awsErrorDetails().errorCode());
        assertEquals(400, error.statusCode());
    }

    @BeforeAll
    static void create() {
        var endpoint = System.getenv().getOrDefault("LARDER_ENDPOINT", "http://127.0.0.1:8000");
        client = DynamoDbClient.builder()
                .endpointOverride(URI.create(endpoint))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("story", "story")))
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .overrideConfiguration(settings -> settings.retryStrategy(DefaultRetryStrategy.doNotRetry()))
                .build();
        client.createTable(request -> request.tableName(ORDERS)
                .attributeDefinitions(
                        attribute("customer", ScalarAttributeType.S), attribute("order_id", ScalarAttributeType.S),
                        attribute("status", ScalarAttributeType.S), attribute("amount", ScalarAttributeType.N))
                .keySchema(keys("customer", "order_id"))
                .globalSecondaryIndexes(index -> index.indexName("by_status").keySchema(keys("status", "amount"))
                        .projection(projection(ProjectionType.ALL)))
                .localSecondaryIndexes(index -> index.indexName("by_amount").keySchema(keys("customer", "amount"))
                        .projection(projection(ProjectionType.KEYS_ONLY)))
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .deletionProtectionEnabled(true)
                .sseSpecification(encryption -> encryption.enabled(true))
                .streamSpecification(stream -> stream.streamEnabled(true).streamViewType(StreamViewType.NEW_IMAGE))
                .tags(tag -> tag.key("team").value("kitchen")));
        client.waiter().waitUntilTableExists(request -> request.tableName(ORDERS));
    }

    @AfterAll
    static void remove() throws InterruptedException {
        refused("ValidationException", () -> client.deleteTable(request -> request.tableName(ORDERS)));
        client.updateTable(request -> request.tableName(ORDERS).deletionProtectionEnabled(false));
        until(table -> table.tableStatus() == TableStatus.ACTIVE);
        var gone = client.deleteTable(request -> request.tableName(ORDERS)).tableDescription();
        assertEquals(TableStatus.DELETING, gone.tableStatus());
        client.waiter().waitUntilTableNotExists(request -> request.tableName(ORDERS));
    }

    @Test
    @Order(1)
    void tables() {
        var table = described();
        assertEquals(TableStatus.ACTIVE, table.tableStatus());
        assertEquals(BillingMode.PAY_PER_REQUEST, table.billingModeSummary().billingMode());
        assertEquals(keys("customer", "order_id"), table.keySchema());
        assertEquals(List.of(ORDERS), client.listTablesPaginator().tableNames().stream().toList());
    }

    @Test
    @Order(2)
    void items() {
        var every = order("types", "1", Map.of(
                "number", AttributeValue.fromN("12345678901234567890123456789012345678"),
                "bytes", AttributeValue.fromB(SdkBytes.fromByteArray(new byte[] {0, -1})),
                "yes", AttributeValue.fromBool(true), "none", AttributeValue.fromNul(true),
                "list", AttributeValue.fromL(List.of(s("ü"))), "map", AttributeValue.fromM(Map.of("k", n(1))),
                "ss", AttributeValue.fromSs(List.of("a")), "ns", AttributeValue.fromNs(List.of("1"))));
        client.putItem(request -> request.tableName(ORDERS).item(every));
        var found = client.getItem(request -> request.tableName(ORDERS).key(order("types", "1")).consistentRead(true)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL));
        assertEquals(every, found.item());
        assertEquals(1.0, found.consumedCapacity().capacityUnits());
        var updated = client.updateItem(request -> request.tableName(ORDERS).key(order("types", "1"))
                .updateExpression("SET #m.k = #m.k + :one REMOVE bytes ADD hits :one")
                .expressionAttributeNames(Map.of("#m", "map")).expressionAttributeValues(Map.of(":one", n(1)))
                .returnValues(ReturnValue.UPDATED_NEW));
        assertEquals(n(1), updated.attributes().get("hits"));
        var gone = client.deleteItem(request -> request.tableName(ORDERS).key(order("types", "1"))
                .returnValues(ReturnValue.ALL_OLD).returnItemCollectionMetrics(ReturnItemCollectionMetrics.SIZE));
        assertEquals(n(2), gone.attributes().get("map").m().get("k"));
        assertEquals(Map.of("customer", s("types")), gone.itemCollectionMetrics().itemCollectionKey());
        assertFalse(client.getItem(request -> request.tableName(ORDERS).key(order("types", "1"))).hasItem());
    }

    @Test
    @Order(3)
    void conditions() {
        var held = order("held", "1", Map.of("n", n(1)));
        client.putItem(request -> request.tableName(ORDERS).item(held));
        var error = assertThrows(ConditionalCheckFailedException.class, () -> client.putItem(request -> request
                .tableName(ORDERS).item(held).conditionExpression("attribute_not_exists(customer)")
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)));
        assertEquals(held, error.item());
    }

    @Test
    @Order(4)
    void batchesAndReading() {
        var writes = new ArrayList<>(IntStream.range(10, 35).mapToObj(place -> WriteRequest.builder()
                .putRequest(put -> put.item(order("r", "o" + place, place % 5 == 0
                        ? Map.of("amount", n(-place), "status", s("fifth")) : Map.of("amount", n(-place)))))
                .build()).toList());
        var written = client.batchWriteItem(request -> request.requestItems(Map.of(ORDERS, writes)));
        assertTrue(written.unprocessedItems().isEmpty());
        writes.add(WriteRequest.builder().deleteRequest(delete -> delete.key(order("r", "o99"))).build());
        refused("ValidationException", () -> client.batchWriteItem(request -> request.requestItems(Map.of(ORDERS, writes))));
        var wanted = KeysAndAttributes.builder().keys(List.of(order("r", "o10"), order("r", "o99"))).build();
        var got = client.batchGetItem(request -> request.requestItems(Map.of(ORDERS, wanted)));
        assertEquals(List.of("o10"), ids(got.responses().get(ORDERS)));

        Map.of("order_id = :a", List.of("o12"), "order_id < :a", List.of("o10", "o11"),
                "order_id <= :a", List.of("o10", "o11", "o12"), "begins_with(order_id, :a)", List.of("o12"),
                "order_id BETWEEN :a AND :a", List.of("o12")).forEach((condition, expected) ->
                assertEquals(expected, ids(client.query(request -> request.tableName(ORDERS)
                        .keyConditionExpression("customer = :c AND " + condition)
                        .expressionAttributeValues(Map.of(":c", s("r"), ":a", s("o12")))).items())));
        var pages = client.queryPaginator(request -> request.tableName(ORDERS).keyConditionExpression("customer = :c")
                .expressionAttributeValues(Map.of(":c", s("r"))).limit(4).scanIndexForward(false));
        assertEquals("o34", ids(pages.items().stream().toList()).get(0));
        assertEquals(25, pages.items().stream().count());
        var sparse = client.query(request -> request.tableName(ORDERS).indexName("by_status").limit(2)
                .keyConditionExpression("#s = :s").expressionAttributeNames(Map.of("#s", "status"))
                .expressionAttributeValues(Map.of(":s", s("fifth")))
                .returnConsumedCapacity(ReturnConsumedCapacity.INDEXES));
        assertEquals(List.of("o30", "o25"), ids(sparse.items()));
        assertEquals(0.5, sparse.consumedCapacity().globalSecondaryIndexes().get("by_status").capacityUnits());
        var local = client.query(request -> request.tableName(ORDERS).indexName("by_amount").select(Select.COUNT)
                .keyConditionExpression("customer = :c AND amount > :n").consistentRead(true)
                .expressionAttributeValues(Map.of(":c", s("r"), ":n", n(-12))));
        assertEquals(2, local.count());
        var scanned = IntStream.range(0, 3).mapToLong(segment -> client.scanPaginator(request -> request
                .tableName(ORDERS).segment(segment).totalSegments(3).limit(6).filterExpression("amount < :n")
                .expressionAttributeValues(Map.of(":n", n(0)))).items().stream().count()).sum();
        assertEquals(25, scanned);
    }

    @Test
    @Order(5)
    void transactions() {
        var put = TransactWriteItem.builder().put(one -> one.tableName(ORDERS).item(order("tx", "1"))).build();
        var add = TransactWriteItem.builder().update(one -> one.tableName(ORDERS).key(order("tx", "2"))
                .updateExpression("ADD n :n").expressionAttributeValues(Map.of(":n", n(5)))).build();
        for (var round = 0; round < 2; round++) {
            client.transactWriteItems(request -> request.clientRequestToken("java-story-token").transactItems(put, add));
        }
        var got = client.transactGetItems(request -> request.transactItems(
                one -> one.get(get -> get.tableName(ORDERS).key(order("tx", "2"))),
                one -> one.get(get -> get.tableName(ORDERS).key(order("tx", "3"))))).responses();
        assertEquals(n(5), got.get(0).item().get("n"));
        assertFalse(got.get(1).hasItem());
        assertThrows(IdempotentParameterMismatchException.class, () -> client.transactWriteItems(request -> request
                .clientRequestToken("java-story-token").transactItems(put)));
        var error = assertThrows(TransactionCanceledException.class, () -> client.transactWriteItems(request -> request
                .transactItems(
                        one -> one.delete(delete -> delete.tableName(ORDERS).key(order("tx", "2"))),
                        one -> one.conditionCheck(check -> check.tableName(ORDERS).key(order("tx", "1"))
                                .conditionExpression("attribute_not_exists(customer)")))));
        assertEquals(List.of("None", "ConditionalCheckFailed"),
                error.cancellationReasons().stream().map(CancellationReason::code).toList());
    }

    @Test
    @Order(6)
    void anIndexComesAndGoes() throws InterruptedException {
        client.updateTable(request -> request.tableName(ORDERS).attributeDefinitions(described().attributeDefinitions())
                .globalSecondaryIndexUpdates(change -> change.create(index -> index.indexName("by_two")
                        .keySchema(key("status", KeyType.HASH), key("customer", KeyType.HASH), key("amount", KeyType.RANGE))
                        .projection(projection(ProjectionType.ALL)))));
        until(table -> table.globalSecondaryIndexes().size() == 2
                && table.globalSecondaryIndexes().stream().allMatch(index -> index.indexStatus() == IndexStatus.ACTIVE));
        var found = client.query(request -> request.tableName(ORDERS).indexName("by_two")
                .keyConditionExpression("#s = :s AND customer = :c").expressionAttributeNames(Map.of("#s", "status"))
                .expressionAttributeValues(Map.of(":s", s("fifth"), ":c", s("r"))));
        assertEquals(List.of("o30", "o25", "o20", "o15", "o10"), ids(found.items()));
        client.updateTable(request -> request.tableName(ORDERS)
                .globalSecondaryIndexUpdates(change -> change.delete(index -> index.indexName("by_two"))));
        until(table -> table.globalSecondaryIndexes().size() == 1);
    }

    @Test
    @Order(7)
    void settings() {
        var arn = described().tableArn();
        var tag = Tag.builder().key("a").value("1").build();
        client.tagResource(request -> request.resourceArn(arn).tags(tag));
        client.untagResource(request -> request.resourceArn(arn).tagKeys("team"));
        assertEquals(List.of(tag), client.listTagsOfResource(request -> request.resourceArn(arn)).tags());
        client.updateTimeToLive(request -> request.tableName(ORDERS)
                .timeToLiveSpecification(live -> live.enabled(true).attributeName("expires")));
        var live = client.describeTimeToLive(request -> request.tableName(ORDERS)).timeToLiveDescription();
        assertEquals("expires", live.attributeName());
        assertEquals(80000, client.describeLimits().accountMaxReadCapacityUnits());
        assertEquals(1440, client.describeEndpoints().endpoints().get(0).cachePeriodInMinutes());
        var backups = client.describeContinuousBackups(request -> request.tableName(ORDERS)).continuousBackupsDescription();
        assertEquals(ContinuousBackupsStatus.ENABLED, backups.continuousBackupsStatus());
        assertEquals(PointInTimeRecoveryStatus.DISABLED,
                backups.pointInTimeRecoveryDescription().pointInTimeRecoveryStatus());
    }

    @Test
    @Order(8)
    void errors() {
        assertThrows(ResourceNotFoundException.class, () -> client.scan(request -> request.tableName("absent")));
        assertThrows(ResourceInUseException.class, () -> client.createTable(request -> request.tableName(ORDERS)
                .attributeDefinitions(attribute("id", ScalarAttributeType.S)).keySchema(key("id", KeyType.HASH))
                .billingMode(BillingMode.PAY_PER_REQUEST)));
        refused("ValidationException", () -> client.getItem(request -> request.tableName(ORDERS)
                .key(Map.of("customer", s("a")))));
    }
}
