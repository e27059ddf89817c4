// Where the server is, and the few words that every story of this folder uses.
import assert from 'node:assert/strict';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export const endpoint = process.env.LARDER_ENDPOINT ?? 'http://127.0.0.1:8000';
export const settings = {
  endpoint,
  region: 'us-east-1',
  credentials: { accessKeyId: 'story', secretAccessKey: 'story' },
  maxAttempts: 1,
};
export const client = new DynamoDBClient(settings);
export const send = (command) => client.send(command);

/** Key schema of one or two attributes. */
export const schema = (hash, range) => [
  { AttributeName: hash, KeyType: 'HASH' },
  ...(range ? [{ AttributeName: range, KeyType: 'RANGE' }] : []),
];

/** Attribute definitions from `{name: 'S'}`. */
export const attributes = (types) =>
  Object.entries(types).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));

/** Runs a call that the service refuses, and returns the error. */
export async function refused(call, name, text = '') {
  let error;
  try {
    await call;
  } catch (caught) {
    error = caught;
  }
  assert.ok(error, `${name} was expected`);
  assert.equal(error.name, name, error.message);
  assert.equal(error.$metadata.httpStatusCode, 400);
  assert.ok(error.message.includes(text), error.message);
  return error;
}

/** Polls until `ready` gives something true. */
export async function until(ready, seconds = 60) {
  const deadline = Date.now() + seconds * 1000;
  while (Date.now() < deadline) {
    const found = await ready();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`not ready after ${seconds} s`);
}
