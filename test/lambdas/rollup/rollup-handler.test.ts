import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { logEntry } from '../../support/log-entries.ts';
import { type ReportHarness, startReportHarness, streamRecord } from '../../support/report-harness.ts';

describe('the rollup function', () => {
  let reports: ReportHarness;
  beforeAll(async () => {
    reports = await startReportHarness();
  });
  afterAll(() => reports.stop());

  it('counts what stands before a record that it cannot read, and asks for the rest again', async () => {
    const caller = await reports.newCaller();
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const records = [1, 2, 3, 4].map((number) =>
      streamRecord(logEntry({ organization_id: caller.organizationId }), number),
    );
    const broken = records.with(2, {
      eventID: 'event-3',
      dynamodb: { SequenceNumber: '3', NewImage: { id: { S: 'secret' } } },
    });
    const count = async () => (await reports.get('costs', { caller })).body;

    const answer = await reports.rollupHandler({ shardId: 'shardId-7', Records: broken });
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '3' }] });
    expect(await count()).toMatchObject({ total_requests: 2 });
    expect(logged.mock.calls).toEqual([
      [
        '{"level":"ERROR","event":"unreadable_record","eventID":"event-3","sequenceNumber":"3","name":"Error"}',
      ],
    ]);

    await reports.rollupHandler({ shardId: 'shardId-7', Records: records });
    expect(await count()).toMatchObject({ total_requests: 4 });
    logged.mockRestore();
  });

  it('has nothing to do when a window ends', async () => {
    expect(await reports.rollupHandler({ Records: [] })).toEqual({ batchItemFailures: [] });
  });

  it('refuses records of a shard without a name, since it could not tell whether they came before', async () => {
    const Records = [streamRecord(logEntry(), 1)];
    await expect(reports.rollupHandler({ Records })).rejects.toThrow('the mapping needs a tumbling window');
  });
});
