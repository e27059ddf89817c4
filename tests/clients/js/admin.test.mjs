// dynamodb-admin, the usual browser for local tables: its pages and its own API against the server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { endpoint, until } from './place.mjs';

const program = join(dirname(createRequire(import.meta.url).resolve('dynamodb-admin')), 'dynamodb-admin.js');
let place;
let admin;
let output = '';

const freePort = () => new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const json = (method, path, body) => fetch(place + path, {
  method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const page = async (path) => {
  const answer = await fetch(place + path);
  const text = await answer.text();
  assert.equal(answer.status, 200, `${path}: ${text}\n${output}`);
  return text;
};

before(async () => {
  const port = await freePort();
  place = `http://127.0.0.1:${port}`;
  admin = spawn(process.execPath, [program, '--port', `${port}`, '--host', '127.0.0.1', '--dynamo-endpoint', endpoint]);
  for (const stream of [admin.stdout, admin.stderr]) stream.on('data', (text) => { output += text; });
  await until(async () => fetch(place).then((answer) => answer.ok, () => false));
});
after(() => { admin.kill(); });

test('a table is made, filled, browsed and removed by hand', async () => {
  const made = await json('POST', '/create-table', {
    TableDefinition: { TableName: 'pantry', HashAttributeName: 'shelf', HashAttributeType: 'S', RangeAttributeName: 'place',
      RangeAttributeType: 'N', ReadCapacityUnits: 3, WriteCapacityUnits: 3 },
    SecondaryIndexes: [{ IndexName: 'by_kind', IndexType: 'global', HashAttributeName: 'kind', HashAttributeType: 'S',
      ReadCapacityUnits: 1, WriteCapacityUnits: 1 }],
  });
  assert.ok(made.ok, output);
  const tables = await (await fetch(`${place}/api/tables`)).json();
  assert.deepEqual(tables.map((one) => one.TableName), ['pantry']);
  assert.match(await page('/'), /pantry/);
  assert.match(await page('/tables/pantry'), /pantry/);
  assert.match(await page('/tables/pantry/add-item'), /shelf/);

  for (let number = 0; number < 30; number += 1) {
    const added = await json('PUT', '/tables/pantry/add-item', { shelf: 'top', place: number, kind: number % 2 ? 'jam' : 'oil' });
    assert.deepEqual(await added.json(), { shelf: 'top', place: number });
  }
  const first = await (await fetch(`${place}/tables/pantry/items`)).json();
  assert.equal(first.Items.length, 25);
  assert.ok(first.nextKey);
  const second = await (await fetch(`${place}/tables/pantry/items?startKey=${first.nextKey}&pageNum=2`)).json();
  assert.deepEqual(second.Items.map((item) => item.place), [25, 26, 27, 28, 29]);
  const filters = encodeURIComponent(JSON.stringify({ kind: { type: 'S', value: 'jam', operator: '=' } }));
  const query = `operationType=query&queryableSelection=by_kind&filters=${filters}&pageSize=100`;
  assert.equal((await (await fetch(`${place}/tables/pantry/items?${query}`)).json()).Items.length, 15);

  const key = encodeURIComponent('top,4');
  assert.match(await page(`/tables/pantry/items/${key}`), /oil/);
  const changed = await json('PUT', `/tables/pantry/items/${key}`, { shelf: 'top', place: 4, kind: 'salt' });
  assert.equal((await changed.json()).kind, 'salt');
  assert.equal((await fetch(`${place}/tables/pantry/items/${key}`, { method: 'DELETE' })).status, 204);
  assert.equal((await fetch(`${place}/tables/pantry/items/${key}`)).status, 404);
  assert.match(await page('/tables/pantry/meta'), /TableArn/);
  await page('/tables/pantry/ttl');
  assert.equal((await fetch(`${place}/tables/pantry/all`, { method: 'DELETE' })).status, 200);
  assert.equal((await (await fetch(`${place}/tables/pantry/items`)).json()).Items.length, 0);
  assert.equal((await fetch(`${place}/tables/pantry`, { method: 'DELETE' })).status, 204);
  assert.deepEqual(await (await fetch(`${place}/api/tables`)).json(), []);
});
