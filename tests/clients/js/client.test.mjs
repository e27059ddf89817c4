// The AWS SDK v3 client with attribute values spelled out: every operation, in the order of a table's life.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as ddb from '@aws-sdk/client-dynamodb';
import { attributes, client, refused, schema, send, until } from './place.mjs';

const TableName = 'orders';
const orderKey = (customer, order) => ({ customer: { S: customer }, order_id: { S: order } });
const describeTable = async (name = TableName) => (await send(new ddb.DescribeTableCommand({ TableName: name }))).Table;

before(async () => {
  const created = await send(new ddb.CreateTableCommand({
    TableName,
    AttributeDefinitions: attributes({ customer: 'S', order_id: 'S', status: 'S', amount: 'N', day: 'S', product: 'S' }),
    KeySchema: schema('customer', 'order_id'),
    GlobalSecondaryIndexes: [
      { IndexName: 'by_status', KeySchema: schema('status', 'amount'), Projection: { ProjectionType: 'ALL' } },
      { IndexName: 'by_day', KeySchema: schema('day'), Projection: { ProjectionType: 'KEYS_ONLY' } },
      { IndexName: 'by_product', KeySchema: schema('product'),
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['note'] } },
    ],
    LocalSecondaryIndexes: [
      { IndexName: 'by_amount', KeySchema: schema('customer', 'amount'), Projection: { ProjectionType: 'ALL' } },
    ],
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
    SSESpecification: { Enabled: true },
    DeletionProtectionEnabled: true,
    Tags: [{ Key: 'team', Value: 'kitchen' }],
  }));
  assert.equal(created.TableDescription.TableName, TableName);
  await ddb.waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
  await send(new ddb.CreateTableCommand({
    TableName: 'counters', AttributeDefinitions: attributes({ id: 'N' }), KeySchema: schema('id'),
    ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
  }));
  await ddb.waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: 'counters' });
});

after(async () => {
  await refused(send(new ddb.DeleteTableCommand({ TableName })), 'ValidationException', 'protected against deletion');
  await send(new ddb.UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }));
  await until(async () => (await describeTable()).TableStatus === 'ACTIVE');
  for (const name of [TableName, 'counters']) {
    await send(new ddb.DeleteTableCommand({ TableName: name }));
    await ddb.waitUntilTableNotExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: name });
  }
  await refused(describeTable(), 'ResourceNotFoundException', 'Table: orders not found');
});

describe('tables', () => {
  test('are described in full', async () => {
    const table = await describeTable();
    assert.equal(table.TableStatus, 'ACTIVE');
    assert.equal(table.BillingModeSummary.BillingMode, 'PAY_PER_REQUEST');
    assert.deepEqual(table.KeySchema, schema('customer', 'order_id'));
    assert.equal(table.ProvisionedThroughput.ReadCapacityUnits, 0);
    assert.deepEqual(table.GlobalSecondaryIndexes.map((one) => one.IndexName).sort(), ['by_day', 'by_product', 'by_status']);
    assert.ok(table.GlobalSecondaryIndexes.every((one) => one.IndexStatus === 'ACTIVE'));
    assert.equal(table.LocalSecondaryIndexes[0].IndexArn, `${table.TableArn}/index/by_amount`);
    assert.ok(table.LatestStreamArn.startsWith(`${table.TableArn}/stream/`));
    assert.equal(table.SSEDescription.Status, 'ENABLED');
    assert.equal(table.DeletionProtectionEnabled, true);
    assert.equal(table.WarmThroughput.Status, 'ACTIVE');
    assert.ok(table.CreationDateTime instanceof Date);
    const provisioned = (await describeTable('counters')).ProvisionedThroughput;
    assert.deepEqual([provisioned.ReadCapacityUnits, provisioned.WriteCapacityUnits], [5, 6]);
  });

  test('are listed in pages and taken once', async () => {
    const names = [];
    for await (const page of ddb.paginateListTables({ client, pageSize: 1 }, {})) names.push(...page.TableNames);
    assert.deepEqual(names, ['counters', 'orders']);
    await refused(send(new ddb.CreateTableCommand({
      TableName, AttributeDefinitions: attributes({ id: 'S' }), KeySchema: schema('id'), BillingMode: 'PAY_PER_REQUEST',
    })), 'ResourceInUseException', 'Table already exists: orders');
  });

  test('gain and lose a global index', async () => {
    const TableName = 'counters';
    for (let id = 0; id < 30; id += 1) {
      await send(new ddb.PutItemCommand({ TableName, Item: { id: { N: `${id}` }, kind: { S: id % 2 ? 'odd' : 'even' } } }));
    }
    await send(new ddb.UpdateTableCommand({
      TableName, AttributeDefinitions: attributes({ id: 'N', kind: 'S' }),
      GlobalSecondaryIndexUpdates: [{ Create: {
        IndexName: 'by_kind', KeySchema: schema('kind', 'id'), Projection: { ProjectionType: 'KEYS_ONLY' },
        ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } } }],
    }));
    await until(async () => (await describeTable(TableName)).GlobalSecondaryIndexes?.[0].IndexStatus === 'ACTIVE', 300);
    const found = await send(new ddb.QueryCommand({
      TableName, IndexName: 'by_kind', KeyConditionExpression: 'kind = :k AND id >= :i', ScanIndexForward: false,
      ExpressionAttributeValues: { ':k': { S: 'odd' }, ':i': { N: '25' } } }));
    assert.deepEqual(found.Items.map((item) => item.id.N), ['29', '27', '25']);
    await send(new ddb.UpdateTableCommand({ TableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'by_kind' } }] }));
    await until(async () => !(await describeTable(TableName)).GlobalSecondaryIndexes, 300);
  });

  test('switch their billing mode', async () => {
    const TableName = 'counters';
    await send(new ddb.UpdateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST' }));
    const table = await until(async () => {
      const found = await describeTable(TableName);
      return found.TableStatus === 'ACTIVE' && found;
    });
    assert.equal(table.BillingModeSummary.BillingMode, 'PAY_PER_REQUEST');
  });

  test('take index keys of several attributes', async () => {
    const TableName = 'places';
    await send(new ddb.CreateTableCommand({
      TableName, AttributeDefinitions: attributes({ id: 'S', land: 'S', part: 'S', town: 'S' }), KeySchema: schema('id'),
      BillingMode: 'PAY_PER_REQUEST',
      GlobalSecondaryIndexes: [{ IndexName: 'by_place', Projection: { ProjectionType: 'ALL' }, KeySchema: [
        { AttributeName: 'land', KeyType: 'HASH' }, { AttributeName: 'part', KeyType: 'HASH' },
        { AttributeName: 'town', KeyType: 'RANGE' }] }],
    }));
    await ddb.waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
    for (const [id, town] of [['1', 'thun'], ['2', 'bern']]) {
      await send(new ddb.PutItemCommand({
        TableName, Item: { id: { S: id }, land: { S: 'ch' }, part: { S: 'be' }, town: { S: town } } }));
    }
    const found = await send(new ddb.QueryCommand({
      TableName, IndexName: 'by_place', KeyConditionExpression: 'land = :l AND part = :p',
      ExpressionAttributeValues: { ':l': { S: 'ch' }, ':p': { S: 'be' } } }));
    assert.deepEqual(found.Items.map((item) => item.id.S), ['2', '1']);
    await send(new ddb.DeleteTableCommand({ TableName }));
  });
});

describe('items', () => {
  const every = {
    ...orderKey('types', '1'), text: { S: 'ü' }, number: { N: '1.2345678901234567890123456789012345678' },
    bytes: { B: Uint8Array.from([0, 255]) }, yes: { BOOL: true }, none: { NULL: true }, list: { L: [{ N: '1' }, { S: '' }] },
    map: { M: { in: { M: {} } } }, strings: { SS: ['a'] }, numbers: { NS: ['1'] }, binaries: { BS: [Uint8Array.from([1])] },
  };

  test('keep all ten types', async () => {
    await send(new ddb.PutItemCommand({ TableName, Item: every }));
    const found = await send(new ddb.GetItemCommand({ TableName, Key: orderKey('types', '1'), ConsistentRead: true }));
    assert.deepEqual(found.Item, every);
    const part = await send(new ddb.GetItemCommand({
      TableName, Key: orderKey('types', '1'), ProjectionExpression: '#l[1], #m.#i', ReturnConsumedCapacity: 'TOTAL',
      ExpressionAttributeNames: { '#l': 'list', '#m': 'map', '#i': 'in' } }));
    assert.deepEqual(part.Item, { list: { L: [{ S: '' }] }, map: { M: { in: { M: {} } } } });
    assert.deepEqual(part.ConsumedCapacity, { TableName, CapacityUnits: 0.5 });
  });

  test('change, answer and cost as asked', async () => {
    const Key = orderKey('cost', '1');
    const put = await send(new ddb.PutItemCommand({
      TableName, Item: { ...Key, status: { S: 'new' }, amount: { N: '1' }, day: { S: 'd' }, product: { S: 'p' } },
      ReturnConsumedCapacity: 'INDEXES', ReturnItemCollectionMetrics: 'SIZE' }));
    assert.equal(put.ConsumedCapacity.CapacityUnits, 5);
    assert.deepEqual(put.ConsumedCapacity.LocalSecondaryIndexes, { by_amount: { CapacityUnits: 1 } });
    assert.deepEqual(put.ItemCollectionMetrics.ItemCollectionKey, { customer: { S: 'cost' } });
    const update = await send(new ddb.UpdateItemCommand({
      TableName, Key, ReturnValues: 'ALL_NEW', ReturnConsumedCapacity: 'INDEXES',
      UpdateExpression: 'SET #s = :s, l = list_append(if_not_exists(l, :none), :more) REMOVE product ADD hits :one',
      ConditionExpression: '#s = :old AND size(product) = :one',
      ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: { ':s': { S: 'paid' }, ':old': { S: 'new' }, ':none': { L: [] }, ':one': { N: '1' },
        ':more': { L: [{ N: '7' }] } } }));
    assert.deepEqual(update.Attributes, {
      ...Key, status: { S: 'paid' }, amount: { N: '1' }, day: { S: 'd' }, l: { L: [{ N: '7' }] }, hits: { N: '1' } });
    assert.deepEqual(update.ConsumedCapacity.GlobalSecondaryIndexes,
      { by_status: { CapacityUnits: 2 }, by_product: { CapacityUnits: 1 } });
    const gone = await send(new ddb.DeleteItemCommand({ TableName, Key, ReturnValues: 'ALL_OLD' }));
    assert.deepEqual(gone.Attributes, update.Attributes);
  });

  test('refuse a failed condition and show the item', async () => {
    const Item = { ...orderKey('held', '1'), n: { N: '1' } };
    await send(new ddb.PutItemCommand({ TableName, Item }));
    const error = await refused(send(new ddb.PutItemCommand({
      TableName, Item, ConditionExpression: 'attribute_not_exists(customer)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })), 'ConditionalCheckFailedException', 'The conditional request failed');
    assert.ok(error instanceof ddb.ConditionalCheckFailedException);
    assert.deepEqual(error.Item, Item);
    await refused(send(new ddb.PutItemCommand({ TableName, Item: { customer: { S: 'x' } } })), 'ValidationException');
    await refused(send(new ddb.GetItemCommand({ TableName: 'absent', Key: orderKey('a', 'b') })), 'ResourceNotFoundException');
  });
});

describe('reading', () => {
  const ids = (answer) => answer.Items.map((item) => item.order_id.S);
  const query = (condition, values, more = {}) => send(new ddb.QueryCommand({
    TableName, KeyConditionExpression: condition, ExpressionAttributeValues: values, ...more }));

  before(async () => {
    for (let start = 0; start < 50; start += 25) {
      const puts = Array.from({ length: 25 }, (_, place) => {
        const number = start + place;
        return { PutRequest: { Item: {
          ...orderKey(`r${number % 2}`, `o${String(number).padStart(2, '0')}`), amount: { N: `${-number}` },
          note: { S: 'n' }, product: { S: 'jam' }, ...(number % 5 ? {} : { status: { S: 'fifth' } }) } } };
      });
      const answer = await send(new ddb.BatchWriteItemCommand({ RequestItems: { [TableName]: puts } }));
      assert.deepEqual(answer.UnprocessedItems, {});
    }
  });

  test('by every key condition, both ways', async () => {
    const c = { ':c': { S: 'r0' } };
    const cases = [
      ['order_id = :a', { ':a': { S: 'o04' } }, ['o04']],
      ['order_id < :a', { ':a': { S: 'o04' } }, ['o00', 'o02']],
      ['order_id <= :a', { ':a': { S: 'o04' } }, ['o00', 'o02', 'o04']],
      ['order_id > :a', { ':a': { S: 'o44' } }, ['o46', 'o48']],
      ['order_id >= :a', { ':a': { S: 'o44' } }, ['o44', 'o46', 'o48']],
      ['order_id BETWEEN :a AND :b', { ':a': { S: 'o09' }, ':b': { S: 'o12' } }, ['o10', 'o12']],
      ['begins_with(order_id, :a)', { ':a': { S: 'o3' } }, ['o30', 'o32', 'o34', 'o36', 'o38']],
    ];
    for (const [condition, values, expected] of cases) {
      assert.deepEqual(ids(await query(`customer = :c AND ${condition}`, { ...c, ...values })), expected);
      const backward = await query(`customer = :c AND ${condition}`, { ...c, ...values }, { ScanIndexForward: false });
      assert.deepEqual(ids(backward), expected.toReversed());
    }
  });

  test('in pages, filtered, counted, through indexes', async () => {
    const pages = [];
    for await (const page of ddb.paginateQuery({ client, pageSize: 10 }, {
      TableName, KeyConditionExpression: 'customer = :c', FilterExpression: 'amount < :n', ConsistentRead: true,
      ExpressionAttributeValues: { ':c': { S: 'r1' }, ':n': { N: '-20' } } })) pages.push(page);
    assert.deepEqual(pages.map((page) => [page.Count, page.ScannedCount]), [[0, 10], [10, 10], [5, 5]]);
    const counted = await query('customer = :c', { ':c': { S: 'r1' } }, { Select: 'COUNT' });
    assert.equal(counted.Count, 25);
    assert.equal(counted.Items, undefined);
    const sparse = await send(new ddb.QueryCommand({
      TableName, IndexName: 'by_status', KeyConditionExpression: '#s = :s', ExpressionAttributeNames: { '#s': 'status' },
      ExpressionAttributeValues: { ':s': { S: 'fifth' } }, Limit: 3, ReturnConsumedCapacity: 'INDEXES' }));
    assert.deepEqual(ids(sparse), ['o45', 'o40', 'o35']);
    assert.deepEqual(Object.keys(sparse.LastEvaluatedKey).sort(), ['amount', 'customer', 'order_id', 'status']);
    assert.deepEqual(sparse.ConsumedCapacity.GlobalSecondaryIndexes, { by_status: { CapacityUnits: 0.5 } });
    const local = await query('customer = :c AND amount > :n', { ':c': { S: 'r0' }, ':n': { N: '-6' } }, { IndexName: 'by_amount' });
    assert.deepEqual(ids(local), ['o04', 'o02', 'o00']);
    const projected = await query('product = :p', { ':p': { S: 'jam' } }, { IndexName: 'by_product', Limit: 1 });
    assert.deepEqual(Object.keys(projected.Items[0]).sort(), ['customer', 'note', 'order_id', 'product']);
  });

  test('by scan, whole and in segments', async () => {
    const request = { TableName, FilterExpression: 'product = :p', ExpressionAttributeValues: { ':p': { S: 'jam' } } };
    const whole = [];
    for await (const page of ddb.paginateScan({ client, pageSize: 7 }, { ...request })) whole.push(...ids(page));
    const parts = await Promise.all([0, 1, 2].map(async (Segment) => {
      const found = [];
      for await (const page of ddb.paginateScan({ client }, { ...request, Segment, TotalSegments: 3 })) found.push(...ids(page));
      return found;
    }));
    assert.equal(whole.length, 50);
    assert.deepEqual(parts.flat().sort(), whole.toSorted());
  });

  test('by batch, up to its limits', async () => {
    const Keys = Array.from({ length: 100 }, (_, n) => orderKey(`r${n % 2}`, `o${String(n).padStart(2, '0')}`));
    const found = await send(new ddb.BatchGetItemCommand({
      RequestItems: { [TableName]: { Keys, ProjectionExpression: 'order_id' } }, ReturnConsumedCapacity: 'TOTAL' }));
    assert.equal(found.Responses[TableName].length, 50);
    assert.deepEqual(found.UnprocessedKeys, {});
    assert.deepEqual(found.ConsumedCapacity, [{ TableName, CapacityUnits: 50 }]);
    await refused(send(new ddb.BatchGetItemCommand({
      RequestItems: { [TableName]: { Keys: [...Keys, orderKey('one', 'more')] } } })), 'ValidationException');
    const puts = Array.from({ length: 26 }, (_, n) => ({ PutRequest: { Item: orderKey('over', `${n}`) } }));
    await refused(send(new ddb.BatchWriteItemCommand({ RequestItems: { [TableName]: puts } })), 'ValidationException');
  });
});

describe('transactions', () => {
  const count = { TableName: 'counters', Key: { id: { N: '1000' } } };

  test('change several tables at once, once per token', async () => {
    const request = { ClientRequestToken: 'a-token-of-this-story', ReturnConsumedCapacity: 'TOTAL', TransactItems: [
      { Put: { TableName, Item: orderKey('tx', '1') } },
      { Update: { ...count, UpdateExpression: 'ADD n :n', ExpressionAttributeValues: { ':n': { N: '5' } } } },
      { ConditionCheck: { TableName, Key: orderKey('tx', 'none'), ConditionExpression: 'attribute_not_exists(customer)' } },
    ] };
    const first = await send(new ddb.TransactWriteItemsCommand(request));
    assert.deepEqual(Object.fromEntries(first.ConsumedCapacity.map((one) => [one.TableName, one.CapacityUnits])),
      { orders: 4, counters: 2 });
    await send(new ddb.TransactWriteItemsCommand(request));
    const found = await send(new ddb.TransactGetItemsCommand({
      TransactItems: [{ Get: count }, { Get: { TableName, Key: orderKey('tx', 'none') } }] }));
    assert.deepEqual(found.Responses[0].Item, { id: { N: '1000' }, n: { N: '5' } });
    assert.equal(found.Responses[1].Item, undefined);
    request.TransactItems.pop();
    await refused(send(new ddb.TransactWriteItemsCommand(request)), 'IdempotentParameterMismatchException');
  });

  test('are cancelled with reasons in order', async () => {
    const error = await refused(send(new ddb.TransactWriteItemsCommand({ TransactItems: [
      { Delete: { TableName, Key: orderKey('tx', '1') } },
      { Put: { TableName: 'counters', Item: { id: { N: '1000' } }, ConditionExpression: 'attribute_not_exists(id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } },
    ] })), 'TransactionCanceledException', '[None, ConditionalCheckFailed]');
    assert.deepEqual(error.CancellationReasons.map((one) => one.Code), ['None', 'ConditionalCheckFailed']);
    assert.deepEqual(error.CancellationReasons[1].Item, { id: { N: '1000' }, n: { N: '5' } });
    const kept = await send(new ddb.GetItemCommand({ TableName, Key: orderKey('tx', '1') }));
    assert.deepEqual(kept.Item, orderKey('tx', '1'));
  });
});

describe('settings', () => {
  test('tags', async () => {
    const ResourceArn = (await describeTable()).TableArn;
    await send(new ddb.TagResourceCommand({ ResourceArn, Tags: [{ Key: 'a', Value: '1' }] }));
    await send(new ddb.UntagResourceCommand({ ResourceArn, TagKeys: ['team'] }));
    const found = await send(new ddb.ListTagsOfResourceCommand({ ResourceArn }));
    assert.deepEqual(found.Tags, [{ Key: 'a', Value: '1' }]);
  });

  test('time to live', async () => {
    const TimeToLiveSpecification = { Enabled: true, AttributeName: 'expires' };
    const answer = await send(new ddb.UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
    assert.deepEqual(answer.TimeToLiveSpecification, TimeToLiveSpecification);
    const found = (await send(new ddb.DescribeTimeToLiveCommand({ TableName }))).TimeToLiveDescription;
    assert.match(found.TimeToLiveStatus, /^ENABL(ED|ING)$/);
  });

  test('limits, endpoints, backups', async () => {
    assert.equal((await send(new ddb.DescribeLimitsCommand({}))).TableMaxReadCapacityUnits, 40000);
    assert.equal((await send(new ddb.DescribeEndpointsCommand({}))).Endpoints.length, 1);
    const found = (await send(new ddb.DescribeContinuousBackupsCommand({ TableName }))).ContinuousBackupsDescription;
    assert.equal(found.ContinuousBackupsStatus, 'ENABLED');
    assert.equal(found.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus, 'DISABLED');
  });
});
