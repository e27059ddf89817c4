// Dynamoose: it creates the table, turns on time to live, compares indexes, and works through its models.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import dynamoose from 'dynamoose';
import { settings } from './place.mjs';

dynamoose.aws.ddb.set(new dynamoose.aws.ddb.DynamoDB(settings));
const client = dynamoose.aws.ddb();

const shape = (indexed) => new dynamoose.Schema({
  id: { type: String, hashKey: true },
  place: { type: Number, rangeKey: true },
  colour: { type: String, ...(indexed ? { index: { name: 'by_colour', type: 'global' } } : {}) },
  tags: { type: Set, schema: [String] },
  deep: { type: Object, schema: { list: { type: Array, schema: [Number] } } },
}, { timestamps: true });
const options = { throughput: 'ON_DEMAND', waitForActive: { enabled: true, check: { timeout: 60000, frequency: 50 } },
  expires: { ttl: 3600, attribute: 'expires' } };
const described = async () => (await client.describeTable({ TableName: 'jars' })).Table;

after(() => client.deleteTable({ TableName: 'jars' }).catch(() => {}));

test('a table is created with its time to live, changed, used and deleted', async () => {
  const Jar = dynamoose.model('Jar', shape(true));
  const table = new dynamoose.Table('jars', [Jar], { ...options, initialize: false });
  await table.initialize();
  const made = await described();
  assert.equal(made.BillingModeSummary.BillingMode, 'PAY_PER_REQUEST');
  assert.deepEqual(made.GlobalSecondaryIndexes.map((one) => one.IndexName), ['by_colour']);
  const live = (await client.describeTimeToLive({ TableName: 'jars' })).TimeToLiveDescription;
  assert.match(live.TimeToLiveStatus, /^ENABL(ED|ING)$/);

  await Jar.create({ id: 'a', place: 1, colour: 'red', tags: new Set(['x']), deep: { list: [1, 2] } });
  const jar = await Jar.get({ id: 'a', place: 1 });
  assert.deepEqual([jar.tags, jar.deep.list], [new Set(['x']), [1, 2]]);
  assert.ok(jar.createdAt instanceof Date);
  await assert.rejects(Jar.create({ id: 'a', place: 1 }), { name: 'ConditionalCheckFailedException' });
  await Jar.batchPut(Array.from({ length: 9 }, (_, n) => ({ id: 'a', place: n + 2, colour: n % 2 ? 'red' : 'blue' })));
  await Jar.update({ id: 'a', place: 2 }, { $SET: { colour: 'red' }, $ADD: { tags: new Set(['y']) } });
  const red = await Jar.query('colour').eq('red').using('by_colour').exec();
  assert.deepEqual(red.map((one) => one.place).sort((a, b) => a - b), [1, 2, 3, 5, 7, 9]);
  const some = await Jar.query('id').eq('a').where('place').between(3, 6).sort('descending').exec();
  assert.deepEqual(some.map((one) => one.place), [6, 5, 4, 3]);
  assert.equal((await Jar.scan('place').gt(8).count().exec()).count, 2);
  await Jar.delete({ id: 'a', place: 3 });
  assert.equal(await Jar.get({ id: 'a', place: 3 }), undefined);
  await dynamoose.transaction([Jar.transaction.delete({ id: 'a', place: 4 }), Jar.transaction.create({ id: 'b', place: 1 })]);
  assert.deepEqual((await Jar.batchGet([{ id: 'a', place: 4 }, { id: 'b', place: 1 }])).map((one) => one.id), ['b']);
});

test('a changed schema updates the table', async () => {
  const Jar = dynamoose.model('Jar2', shape(false));
  const table = new dynamoose.Table('jars', [Jar], { ...options, initialize: false, update: true });
  await table.initialize();
  const deadline = Date.now() + 60000;
  while ((await described()).GlobalSecondaryIndexes && Date.now() < deadline) await new Promise((done) => setTimeout(done, 20));
  assert.equal((await described()).GlobalSecondaryIndexes, undefined);
});
