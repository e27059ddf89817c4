// Runs every example of a compiled access layer: run.mjs MODULE ENDPOINT WRITES, where WRITES are the patterns that
// return nothing, as JSON. Ends with code 1 and the differences if an example does not give what the design expects.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';

const [file, endpoint, writes] = process.argv.slice(2);
const module = await import(pathToFileURL(file).href);
const client = new DynamoDBClient({
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'story', secretAccessKey: 'story' },
  maxAttempts: 1,
});
const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
const isClass = (value) => typeof value === 'function' && /^class /.test(Function.prototype.toString.call(value));
const Store = Object.values(module).find(isClass);
const store = new Store(client);
const isWrite = new Set(JSON.parse(writes));

const seed = async () => {
  for (const [table, item] of Object.values(module.samples())) {
    await documents.send(new PutCommand({ TableName: module.tableNames[table], Item: item }));
  }
};

const isStored = async (key) => {
  for (const TableName of Object.values(module.tableNames)) {
    if ((await documents.send(new GetCommand({ TableName, Key: key }))).Item) return true;
  }
  return false;
};

const compare = async (pattern, expected, result) => {
  const items = result == null ? [] : Array.isArray(result) ? result : [result];
  if (typeof expected === 'number') assert.equal(items.length, expected, pattern);
  if (!Array.isArray(expected)) return;
  if (isWrite.has(pattern) && result == null) {
    for (const key of expected) assert.ok(await isStored(key), `${pattern}: not stored`);
    return;
  }
  assert.equal(items.length, expected.length, `${pattern}: ${JSON.stringify(items)}`);
  // What a projection leaves out cannot be compared.
  if (!expected.every((key) => items.every((item) => Object.keys(key).every((part) => part in item)))) return;
  const found = items.map((item, place) => Object.keys(expected[place]).map((part) => item[part]).join(' | '));
  const wanted = expected.map((key) => Object.values(key).join(' | '));
  assert.deepEqual(found.sort(), wanted.sort(), pattern);
};

let passed = 0;
for (const [pattern, [call, expected]] of Object.entries(module.examples)) {
  await seed();
  if (typeof expected === 'string') {
    await assert.rejects(call(store), (error) => error.name === expected, `${pattern}: ${expected}`);
  } else {
    await compare(pattern, expected, await call(store));
  }
  passed += 1;
}
console.log(`${passed} patterns`);
