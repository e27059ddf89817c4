// Exports, imports and bulk operations with the AWS SDK v3, from one table through a bucket into others.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as ddb from '@aws-sdk/client-dynamodb';
import { attributes, refused, schema, send, until } from './place.mjs';

const TableName = 'transfers';
const S3Bucket = 'js-story';
const COUNT = 60;
let tableArn;

before(async () => {
  const created = await send(new ddb.CreateTableCommand({
    TableName, AttributeDefinitions: attributes({ id: 'N' }), KeySchema: schema('id'), BillingMode: 'PAY_PER_REQUEST',
  }));
  tableArn = created.TableDescription.TableArn;
  await send(new ddb.UpdateContinuousBackupsCommand({
    TableName, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  }));
  for (let id = 0; id < COUNT; id += 1) {
    const Item = { id: { N: String(id) }, text: { S: `ü ${id}` }, bytes: { B: new Uint8Array([id, 0, 255]) } };
    await send(new ddb.PutItemCommand({ TableName, Item }));
  }
});

after(async () => {
  for (const name of [TableName, 'transfers-copy', 'transfers-bulk']) {
    await send(new ddb.DeleteTableCommand({ TableName: name }));
  }
});

const ended = (describeJob, status) => until(async () => {
  const job = await describeJob();
  return ['IN_PROGRESS', 'CANCELLING'].includes(job[status]) ? undefined : job;
});

const all = async (name) => {
  const { Items } = await send(new ddb.ScanCommand({ TableName: name, ConsistentRead: true }));
  return Items.sort((a, b) => Number(a.id.N) - Number(b.id.N));
};

describe('between tables and buckets', () => {
  test('a table is exported', async () => {
    const asked = { TableArn: tableArn, S3Bucket, S3Prefix: 'out', ClientToken: 'js-export' };
    const { ExportDescription: begun } = await send(new ddb.ExportTableToPointInTimeCommand(asked));
    assert.equal(begun.ExportStatus, 'IN_PROGRESS');
    const again = await send(new ddb.ExportTableToPointInTimeCommand(asked));
    assert.equal(again.ExportDescription.ExportArn, begun.ExportArn);
    await refused(send(new ddb.ExportTableToPointInTimeCommand({ ...asked, ExportFormat: 'ION' })), 'ExportConflictException');
    const { ExportArn } = begun;
    const done = await ended(
      async () => (await send(new ddb.DescribeExportCommand({ ExportArn }))).ExportDescription, 'ExportStatus');
    assert.equal(done.ExportStatus, 'COMPLETED', done.FailureMessage);
    assert.equal(done.ItemCount, COUNT);
    assert.ok(done.EndTime >= done.StartTime && done.ExportTime instanceof Date);
    const { ExportSummaries } = await send(new ddb.ListExportsCommand({ TableArn: tableArn }));
    assert.deepEqual(ExportSummaries.map((summary) => summary.ExportArn), [ExportArn]);
    const lost = new ddb.DescribeExportCommand({ ExportArn: `${tableArn}/export/01695353076000-a1e9a8d1` });
    await refused(send(lost), 'ExportNotFoundException');
  });

  test('the export is imported and is the same table', async () => {
    const { ImportTableDescription: begun } = await send(new ddb.ImportTableCommand({
      S3BucketSource: { S3Bucket, S3KeyPrefix: 'out/' }, InputFormat: 'DYNAMODB_JSON', InputCompressionType: 'GZIP',
      TableCreationParameters: {
        TableName: 'transfers-copy', AttributeDefinitions: attributes({ id: 'N' }), KeySchema: schema('id'),
        BillingMode: 'PAY_PER_REQUEST',
      },
    }));
    const { ImportArn } = begun;
    const done = await ended(
      async () => (await send(new ddb.DescribeImportCommand({ ImportArn }))).ImportTableDescription, 'ImportStatus');
    assert.equal(done.ImportStatus, 'COMPLETED', done.FailureMessage);
    assert.deepEqual([done.ProcessedItemCount, done.ImportedItemCount, done.ErrorCount], [COUNT, COUNT, 0]);
    assert.deepEqual(await all('transfers-copy'), await all(TableName));
    const { ImportSummaryList } = await send(new ddb.ListImportsCommand({ TableArn: done.TableArn }));
    assert.deepEqual(ImportSummaryList.map((summary) => summary.ImportArn), [ImportArn]);
  });

  test('a bulk operation puts the export into a table that is there', async () => {
    await send(new ddb.CreateTableCommand({
      TableName: 'transfers-bulk', AttributeDefinitions: attributes({ id: 'N' }), KeySchema: schema('id'),
      BillingMode: 'PAY_PER_REQUEST',
    }));
    const { BulkOperationDescription: begun } = await send(new ddb.StartBulkPutItemsCommand({
      TableName: 'transfers-bulk',
      InputS3Configuration: { S3Bucket, S3KeyPrefix: 'out/', InputFormat: 'DYNAMODB_JSON', InputCompressionType: 'GZIP' },
      OutputS3Configuration: { S3Bucket, S3KeyPrefix: 'reports', OutputType: ['ERROR'] },
    }));
    const { BulkOperationArn } = begun;
    const done = await ended(
      async () => (await send(new ddb.DescribeBulkOperationCommand({ BulkOperationArn }))).BulkOperationDescription,
      'BulkOperationStatus');
    assert.equal(done.BulkOperationStatus, 'COMPLETED', done.FailureMessage);
    assert.deepEqual([done.ProcessedItemCount, done.FailedItemCount], [COUNT, 0]);
    assert.deepEqual(await all('transfers-bulk'), await all(TableName));
    const { BulkOperationsSummaryList } = await send(new ddb.ListBulkOperationsCommand({}));
    assert.ok(BulkOperationsSummaryList.some((summary) => summary.BulkOperationArn === BulkOperationArn));
    const lost = new ddb.CancelBulkOperationCommand({ BulkOperationArn: `${BulkOperationArn}0` });
    await refused(send(lost), 'ResourceNotFoundException');
  });
});
