// What the AWS SDK v3 makes of streams, recovery and backups.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as ddb from '@aws-sdk/client-dynamodb';
import * as streams from '@aws-sdk/client-dynamodb-streams';
import { attributes, client, refused, schema, send, settings, until } from './place.mjs';

const TableName = 'shelves';
const follower = new streams.DynamoDBStreamsClient(settings);
const put = (pk, n) => send(new ddb.PutItemCommand({ TableName, Item: { pk: { S: pk }, n: { N: String(n) } } }));
const scan = async (name) => (await send(new ddb.ScanCommand({ TableName: name, ConsistentRead: true }))).Items
  .sort((a, b) => a.pk.S.localeCompare(b.pk.S));

/** Waits until a table that is being restored is there. */
const restored = (name) => ddb.waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName: name });

before(async () => {
  await send(new ddb.CreateTableCommand({
    TableName, AttributeDefinitions: attributes({ pk: 'S' }), KeySchema: schema('pk'), BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  }));
});

after(async () => {
  for (const name of [TableName, 'shelves_then', 'shelves_backed_up']) {
    await send(new ddb.DeleteTableCommand({ TableName: name }));
  }
});

describe('streams', () => {
  test('are followed from an iterator to the next', async () => {
    const { LatestStreamArn: StreamArn } = (await send(new ddb.DescribeTableCommand({ TableName }))).Table;
    const { StreamDescription } = await follower.send(new streams.DescribeStreamCommand({ StreamArn }));
    assert.equal(StreamDescription.StreamStatus, 'ENABLED');
    const [{ ShardId }] = StreamDescription.Shards;
    const start = { StreamArn, ShardId, ShardIteratorType: 'LATEST' };
    let { ShardIterator } = await follower.send(new streams.GetShardIteratorCommand(start));
    const seen = [];
    for (let round = 0; round < 3; round += 1) {
      await put('jar', round);
      const page = await follower.send(new streams.GetRecordsCommand({ ShardIterator }));
      seen.push(...page.Records);
      ShardIterator = page.NextShardIterator;
    }
    assert.deepEqual(seen.map((record) => record.eventName), ['INSERT', 'MODIFY', 'MODIFY']);
    assert.deepEqual(seen[2].dynamodb.OldImage, { pk: { S: 'jar' }, n: { N: '1' } });
    assert.ok(seen[0].dynamodb.ApproximateCreationDateTime instanceof Date);
    await assert.rejects(follower.send(new streams.GetRecordsCommand({ ShardIterator: 'nonsense' })), /Invalid ShardIterator/);
    const { Streams } = await follower.send(new streams.ListStreamsCommand({ TableName }));
    assert.deepEqual(Streams.map((stream) => stream.StreamArn), [StreamArn]);
  });
});

describe('recovery and backups', () => {
  test('a table comes back as it was', async () => {
    await send(new ddb.UpdateContinuousBackupsCommand({
      TableName, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 2 },
    }));
    await put('bowl', 1);
    const before = await scan(TableName);
    const { BackupDetails } = await send(new ddb.CreateBackupCommand({ TableName, BackupName: 'nightly' }));
    const { BackupArn } = BackupDetails;
    await put('bowl', 2);
    await until(async () => {
      const { BackupDescription } = await send(new ddb.DescribeBackupCommand({ BackupArn }));
      return BackupDescription.BackupDetails.BackupStatus === 'AVAILABLE';
    });
    await send(new ddb.RestoreTableFromBackupCommand({ BackupArn, TargetTableName: 'shelves_backed_up' }));
    await send(new ddb.RestoreTableToPointInTimeCommand({
      SourceTableName: TableName, TargetTableName: 'shelves_then', UseLatestRestorableTime: true,
    }));
    await restored('shelves_backed_up');
    await restored('shelves_then');
    assert.deepEqual(await scan('shelves_backed_up'), before);
    assert.deepEqual(await scan('shelves_then'), await scan(TableName));
    const listed = await send(new ddb.ListBackupsCommand({ TableName }));
    assert.deepEqual(listed.BackupSummaries.map((backup) => backup.BackupName), ['nightly']);
    await send(new ddb.DeleteBackupCommand({ BackupArn }));
    await refused(send(new ddb.DescribeBackupCommand({ BackupArn })), 'BackupNotFoundException');
    await refused(send(new ddb.RestoreTableToPointInTimeCommand({
      SourceTableName: TableName, TargetTableName: 'shelves_then', UseLatestRestorableTime: true,
    })), 'TableAlreadyExistsException');
  });
});
