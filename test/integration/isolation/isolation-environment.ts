/** Two organizations on the same tables, and what the first one was answered while it was alone. */

import type { Directory } from '#lambdas/access/directory.ts';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { type MeteredRead, meterReads } from '#test/support/read-meter.ts';
import { type Caller, type ReportHarness, startReportHarness } from '#test/support/report-harness.ts';
import { markOf, nowMs, onlyId, type Question, questionsAbout, twinEntries } from './isolation-questions.ts';

export interface IsolationEnvironment {
  reports: ReportHarness;
  directory: Directory;
  callers: [Caller, Caller];
  questions: Question[];
  aloneAnswers: string[];
  /** Status and text. */
  ask(question: Question, caller: Caller): Promise<string>;
  /** One after the other, so that what is read belongs to one question. */
  askAll(caller: Caller, whenRead?: (reads: MeteredRead[]) => void): Promise<string[]>;
}

export async function startIsolationEnvironment(): Promise<IsolationEnvironment> {
  const reports = await startReportHarness();
  const meter = meterReads(reports.database.client);
  reports.setTime(new Date(nowMs));
  const callers: [Caller, Caller] = [
    await reports.newCaller({ logShards: 2 }),
    await reports.newCaller({ logShards: 2 }),
  ];
  const [ours = [], theirs = []] = twinEntries(callers);
  const world: IsolationEnvironment = {
    reports,
    directory: createDirectoryStore({
      client: reports.database.documentClient,
      tableName: reports.tables.directory,
    }),
    callers,
    questions: questionsAbout(callers, [...ours.map(({ id }) => id), onlyId]),
    aloneAnswers: [],
    async ask({ endpoint, ...question }, caller) {
      const { status, text } = await reports.get(endpoint, { caller, ...question });
      return `${status} ${text}`;
    },
    async askAll(caller, whenRead = () => {}) {
      const answers: string[] = [];
      for (const question of world.questions) {
        meter.take();
        answers.push(await world.ask(question, caller));
        whenRead(meter.take());
      }
      return answers;
    },
  };
  await count(reports, ours, 1);
  world.aloneAnswers = await world.askAll(callers[0]);
  const only = logEntry({ id: onlyId, organization_id: callers[1].organizationId, api_key_id: markOf(1) });
  await count(reports, [...theirs, only], 1000);
  return world;
}

async function count(reports: ReportHarness, entries: LogEntry[], firstSequenceNumber: number) {
  await reports.write(...entries);
  await reports.rollUp(entries, firstSequenceNumber);
}
