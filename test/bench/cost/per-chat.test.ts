/** The arithmetic, with sums worked by hand from the published prices. */
import { describe, expect, it } from 'vitest';
import type { ChatFootprint } from '#bench/cost/chat-footprint.ts';
import {
  egressLine,
  keptLines,
  requestLines,
  restLines,
  rollupLines,
  streamedUsd,
  totalOf,
} from '#bench/cost/per-chat.ts';
import type { Setup } from '#bench/cost/setup.ts';

const setup: Setup = {
  platformLines: true,
  rollupMemoryMb: 1024,
  batchSeconds: 1,
  batchSize: 1000,
  accessLogBytes: 400,
  entryDays: 73,
  logDays: 36.5,
};
const footprint: ChatFootprint = {
  entryWriteUnits: 3,
  entryStoredBytes: 1000,
  entryCopies: 3,
  logBytes: 500,
  platformLogBytes: 400,
};
const load = { coldStarts: 0.01, batch: 100, batchRows: 50 };

describe('a million chats', () => {
  it('cost what each of their parts costs', () => {
    expect(requestLines({ setup, footprint, load, memoryMb: 128 })).toEqual([
      // 5 s × 128/1024 GB × 1,000,000 × $0.0000133334
      { name: 'Lambda: five seconds', usd: 8.333375 },
      // 1 in 100 × 0.3 s × 0.125 GB × 1,000,000 × $0.0000133334
      { name: 'Lambda: starts of environments', usd: 0.005 },
      { name: 'Lambda: the request', usd: 0.2 },
      { name: 'Lambda: bytes streamed above 6 MB', usd: 0 },
      // 3 × $0.625
      { name: 'DynamoDB: the log entry', usd: 1.875 },
      // 50/100 × $0.625
      { name: 'DynamoDB: the sums', usd: 0.3125 },
      // $0.20 and $0.125 a million, and (0.02 + 0.05) s × 1 GB × $13.3334, each for a hundred entries
      { name: 'Lambda: adding to the sums', usd: 0.012583 },
      // (1 in 100 + 5 s of 20 s) × $0.125
      { name: 'DynamoDB: reading the key', usd: 0.0325 },
      // (1 in 100 + 5 s of 300 s) × $5
      { name: 'Secrets Manager: reading credentials', usd: 0.133333 },
      // 500 bytes × 1,000,000 = 0.5 GB × $0.50
      { name: 'CloudWatch: the line of the request', usd: 0.25 },
      { name: "CloudWatch: Lambda's own lines", usd: 0.2 },
    ]);
  });

  it('cost in proportion to memory, in their duration alone', () => {
    const totals = [128, 256, 1024].map((memoryMb) =>
      totalOf(requestLines({ setup, footprint, load: { ...load, coldStarts: 0 }, memoryMb })),
    );

    expect(totals.map((total) => Number((total - (totals[0] ?? 0)).toFixed(6)))).toEqual([
      0,
      8.333375,
      7 * 8.333375,
    ]);
  });

  it('read key and credentials each time when all come alone', () => {
    const lines = requestLines({
      setup,
      footprint,
      load: { coldStarts: 1, batch: 1, batchRows: 7 },
      memoryMb: 128,
    });

    expect(lines.filter(({ name }) => name.includes('reading')).map(({ usd }) => usd)).toEqual([0.125, 5]);
  });

  it('pay for a batch of their own when all come alone', () => {
    // 7 × $0.625; $0.20 + $0.125 + 0.027 s × 1 GB × $13.3334
    expect(rollupLines(setup, { coldStarts: 1, batch: 1, batchRows: 7 }).map(({ usd }) => usd)).toEqual([
      4.375, 0.685002,
    ]);
  });

  it('pay nothing for lines that Lambda does not write', () => {
    const quiet = requestLines({ setup: { ...setup, platformLines: false }, footprint, load, memoryMb: 128 });

    expect(quiet.at(-1)).toEqual({ name: "CloudWatch: Lambda's own lines", usd: 0 });
  });

  it('cost more for what is kept of them', () => {
    // 73 days are 2.4 months of 730 hours, and 36.5 are 1.2: 1 GB in 3 copies, 1 GB in backups, 0.9 GB of lines
    expect(keptLines({ setup, footprint })).toEqual([
      { name: 'DynamoDB: 73 days of the entry', usd: 1.8 },
      { name: 'DynamoDB: 73 days in backups', usd: 0.48 },
      { name: 'CloudWatch: 36.5 days of the lines', usd: 0.0324 },
    ]);
  });

  it('cost $3.50 more through API Gateway, and a line of its log', () => {
    expect(restLines(setup).map(({ usd }) => usd)).toEqual([3.5, 0.2]);
  });

  it('send 102 GB to the internet', () => {
    expect(egressLine().usd).toBe(9.18);
  });

  it('are charged for a streamed byte from the sixth megabyte on', () => {
    expect([streamedUsd(6_000_000), streamedUsd(7_000_000)]).toEqual([0, 0.000008]);
  });
});
