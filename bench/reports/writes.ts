/** What a request costs in write units, with and without each header. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import type { ReportHarness } from '#test/support/report-harness.ts';
import { markdownTable } from '../shared/markdown-table.ts';
import type { CapacityMeter } from './capacity-meter.ts';

const uuid = '01a1fa57-81ee-798e-89ae-413ad5140b00';
const requests: [name: string, fields: Partial<LogEntry>][] = [
  ['no header', {}],
  ['`gateway-prompt-id`', { prompt_id: uuid }],
  ['`gateway-session-id`', { session_id: uuid }],
  ['`gateway-user-id`', { user_id: uuid }],
  ['all three headers, UUIDs', { prompt_id: uuid, session_id: uuid, user_id: uuid }],
  [
    'all three headers, 256 bytes each',
    { prompt_id: 'p'.repeat(256), session_id: 's'.repeat(256), user_id: 'u'.repeat(256) },
  ],
  ['no header, status 429', { status: 429 }],
  [
    'rejected before a provider was called',
    { status: 400, outcome: 'rejected', provider: null, model: null },
  ],
];

export async function writeTable(harness: ReportHarness, meter: CapacityMeter): Promise<string> {
  const rows: (string | number)[][] = [];
  for (const [name, fields] of requests) {
    const { organizationId } = await harness.newCaller();
    const entry = logEntry({ ...fields, id: createLogId(Date.now()), organization_id: organizationId });
    meter.take();
    await harness.write(entry);
    const written = meter.take().units;
    await harness.rollUp([entry]);
    // One of the units is the read of the organization's state.
    const { units, calls } = meter.take();
    const counted = calls === 1 ? 0 : units - 1;
    rows.push([name, written, counted, written + counted]);
  }
  return markdownTable(
    'Writes: one request',
    ['Request', 'Entry and indexes', 'Rollups, alone in its batch', 'Write units'],
    rows,
  );
}
