/** Two organizations in the same tables, and the first one's responses before the second one had any data. */
import type { Directory } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { type MeteredRead, meterReads } from '#test/support/dynamodb/read-meter.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { type Caller, type ReportFixture, startReportFixture } from '#test/support/reports/fixture.ts';
import {
  createDuplicateEntries,
  createRequests,
  type IsolationRequest,
  markerOf,
  nowMs,
  uniqueEntryId,
} from './requests.ts';

export interface IsolationFixture {
  reports: ReportFixture;
  directory: Directory;
  callers: [Caller, Caller];
  requests: IsolationRequest[];
  baselineResponses: string[];
  send(request: IsolationRequest, caller: Caller): Promise<string>;
  /** Sends the requests one after the other, so that reads can be attributed to a request. */
  sendAll(caller: Caller, onReads?: (reads: MeteredRead[]) => void): Promise<string[]>;
}

export async function startIsolationFixture(): Promise<IsolationFixture> {
  const reports = await startReportFixture();
  const meter = meterReads(reports.database.client);
  reports.setTime(new Date(nowMs));
  const callers: [Caller, Caller] = [
    await reports.newCaller({ logShards: 2 }),
    await reports.newCaller({ logShards: 2 }),
  ];
  const [firstEntries = [], secondEntries = []] = createDuplicateEntries(callers);
  const fixture: IsolationFixture = {
    reports,
    directory: createDirectoryStore({
      client: reports.database.documentClient,
      tableName: reports.tables.directory,
    }),
    callers,
    requests: createRequests(callers, [...firstEntries.map(({ id }) => id), uniqueEntryId]),
    baselineResponses: [],
    async send({ endpoint, ...request }, caller) {
      const { status, text } = await reports.get(endpoint, { caller, ...request });
      return `${status} ${text}`;
    },
    async sendAll(caller, onReads = () => {}) {
      const responses: string[] = [];
      for (const request of fixture.requests) {
        meter.take();
        responses.push(await fixture.send(request, caller));
        onReads(meter.take());
      }
      return responses;
    },
  };
  await writeAndRollUp(reports, firstEntries, 1);
  fixture.baselineResponses = await fixture.sendAll(callers[0]);
  const uniqueEntry = logEntry({
    id: uniqueEntryId,
    organization_id: callers[1].organizationId,
    api_key_id: markerOf(1),
  });
  await writeAndRollUp(reports, [...secondEntries, uniqueEntry], 1000);
  return fixture;
}

async function writeAndRollUp(reports: ReportFixture, entries: LogEntry[], firstSequenceNumber: number) {
  await reports.write(...entries);
  await reports.rollUp(entries, firstSequenceNumber);
}
