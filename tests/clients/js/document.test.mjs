// lib-dynamodb: plain JavaScript values in and out, sets, large numbers, batches, transactions, paginators.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CreateTableCommand, DeleteTableCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import * as lib from '@aws-sdk/lib-dynamodb';
import { attributes, client, refused, schema } from './place.mjs';

const TableName = 'shelf';
const document = lib.DynamoDBDocument.from(client, {
  marshallOptions: { removeUndefinedValues: true },
  unmarshallOptions: { wrapNumbers: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : lib.NumberValue.from(text)) },
});

before(async () => {
  await client.send(new CreateTableCommand({
    TableName, AttributeDefinitions: attributes({ row: 'N', name: 'S' }), KeySchema: schema('row', 'name'),
    BillingMode: 'PAY_PER_REQUEST' }));
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
});
after(() => client.send(new DeleteTableCommand({ TableName })));

test('plain values survive', async () => {
  const Item = { row: 1, name: 'jam', tags: new Set(['a', 'b']), deep: { list: [1, 'two', null, true, {}] }, raw: Uint8Array.from([1]),
    none: undefined, big: 12345678901234567890n };
  await document.put({ TableName, Item });
  const found = (await document.get({ TableName, Key: { row: 1, name: 'jam' } })).Item;
  assert.equal(found.big.toString(), '12345678901234567890');
  delete Item.none;
  assert.deepEqual({ ...found, big: null }, { ...Item, big: null });
});

test('updates, conditions and what they return', async () => {
  const Key = { row: 2, name: 'n' };
  const made = await document.update({
    TableName, Key, UpdateExpression: 'SET hits = if_not_exists(hits, :zero) + :one, l = :l', ReturnValues: 'ALL_NEW',
    ExpressionAttributeValues: { ':zero': 0, ':one': 1, ':l': ['x'] } });
  assert.deepEqual(made.Attributes, { ...Key, hits: 1, l: ['x'] });
  const error = await refused(document.delete({
    TableName, Key, ConditionExpression: 'hits > :n', ExpressionAttributeValues: { ':n': 1 },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }), 'ConditionalCheckFailedException');
  assert.deepEqual(error.Item.hits, { N: '1' });
});

test('batches, queries, scans and transactions', async () => {
  const puts = Array.from({ length: 25 }, (_, place) => ({ PutRequest: { Item: { row: 3, name: `n${10 + place}`, place } } }));
  await document.batchWrite({ RequestItems: { [TableName]: puts } });
  const got = await document.batchGet({ RequestItems: { [TableName]: { Keys: [{ row: 3, name: 'n10' }, { row: 3, name: 'n99' }] } } });
  assert.deepEqual(got.Responses[TableName], [{ row: 3, name: 'n10', place: 0 }]);
  const places = [];
  for await (const page of lib.paginateQuery({ client: document, pageSize: 4 }, {
    TableName, KeyConditionExpression: '#r = :r AND begins_with(#n, :n)', FilterExpression: 'place <> :p',
    ExpressionAttributeNames: { '#r': 'row', '#n': 'name' }, ExpressionAttributeValues: { ':r': 3, ':n': 'n1', ':p': 5 } })) {
    places.push(...page.Items.map((item) => item.place));
  }
  assert.deepEqual(places, [0, 1, 2, 3, 4, 6, 7, 8, 9]);
  await document.transactWrite({ TransactItems: [
    { Put: { TableName, Item: { row: 4, name: 'a' } } }, { Delete: { TableName, Key: { row: 3, name: 'n10' } } }] });
  const both = await document.transactGet({ TransactItems: [
    { Get: { TableName, Key: { row: 4, name: 'a' } } }, { Get: { TableName, Key: { row: 3, name: 'n10' } } }] });
  assert.deepEqual(both.Responses[0].Item, { row: 4, name: 'a' });
  assert.equal(both.Responses[1].Item, undefined);
  const scanned = await document.scan({
    TableName, FilterExpression: '#r = :r', ExpressionAttributeNames: { '#r': 'row' }, ExpressionAttributeValues: { ':r': 3 } });
  assert.equal(scanned.Count, 24);
});
